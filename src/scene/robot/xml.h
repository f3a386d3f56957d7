// XML text to a tree of elements with their lines; libxml2 behind it.
#pragma once

#include "scene/read.h"

typedef struct tn_xml_attribute {
    const char *name, *value;
} tn_xml_attribute;

typedef struct tn_xml {
    const char *name;
    tn_place place; // line of the end of the start tag; no column
    int n_attributes;
    tn_xml_attribute *attribute; // (n_attributes)
    int n;
    struct tn_xml **child; // (n) elements; text between them is no part of the tree
    int model;             // of several whose trees are one; 0 as it is read
} tn_xml;

// The root element of text, in the reader's scratch; file names it in errors and must outlive the tree. Nothing is
// fetched, no entity is expanded. NULL with the error set.
tn_xml *tn_xml_parse(tn_reader *reader, const char *text, size_t length, const char *file);

const char *tn_xml_get(const tn_xml *element, const char *attribute); // NULL: not there
const tn_xml *tn_xml_child(const tn_xml *element, const char *name);  // the first; NULL: none
bool tn_xml_is(const tn_xml *element, const char *name);
int tn_xml_count(const tn_xml *element, const char *name); // elements of that name below, at any depth

// An attribute that must be there: NULL with the error set.
const char *tn_xml_need(tn_reader *reader, const tn_xml *element, const char *attribute);
// "a b c" to numbers, low to high of them; absent: *n = 0, value untouched. False with the error set.
bool tn_xml_numbers(tn_reader *reader, const tn_xml *element, const char *attribute, int low, int high, double *value,
                    int *n);
// The same of a text that stands in `element` or in what it takes its defaults from.
bool tn_xml_parse_numbers(tn_reader *reader, tn_place place, const char *attribute, const char *text, int low, int high,
                          double *value, int *n);
