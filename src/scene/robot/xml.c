// XML by libxml2: its tree is copied into the arena and freed at once, so that nobody else sees the library.
#include "scene/robot/xml.h"

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static char *keep(tn_reader *reader, const xmlChar *text)
{
    size_t size = strlen((const char *)text) + 1;
    char *copy = tn_arena_push(reader->scratch, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

// "prefix:name" as the file says it.
static const char *keep_name(tn_reader *reader, const xmlNode *from)
{
    const char *prefix = from->ns ? (const char *)from->ns->prefix : NULL, *name = (const char *)from->name;
    size_t size = prefix ? strlen(prefix) + strlen(name) + 2 : 0;
    char *both = prefix ? tn_arena_push(reader->scratch, size, 1) : keep(reader, from->name);
    if (prefix && both) {
        snprintf(both, size, "%s:%s", prefix, name);
    }
    return both;
}

static bool copy_attributes(tn_reader *reader, const xmlNode *from, tn_xml *to)
{
    int n = 0;
    for (const xmlAttr *a = from->properties; a; a = a->next) {
        n++;
    }
    tn_xml_attribute *list = TN_PUSH(reader->scratch, tn_xml_attribute, n);
    to->attribute = list;
    for (const xmlAttr *a = from->properties; list && a; a = a->next) {
        xmlChar *value = xmlNodeListGetString(from->doc, a->children, 1);
        tn_xml_attribute *out = &list[to->n_attributes++];
        out->name = keep(reader, a->name);
        out->value = value ? keep(reader, value) : "";
        xmlFree(value);
        if (!out->name || !out->value) {
            return false;
        }
    }
    return list != NULL;
}

// The library bounds the depth of a document (256), and with it this recursion. NULL: no memory.
static tn_xml *copy(tn_reader *reader, const xmlNode *from, const char *file)
{
    tn_xml *to = TN_PUSH(reader->scratch, tn_xml, 1);
    if (!to || !(to->name = keep_name(reader, from)) || !copy_attributes(reader, from, to)) {
        return NULL;
    }
    to->place = (tn_place){file, (int)xmlGetLineNo((xmlNode *)from), 0};
    int n = 0;
    for (const xmlNode *child = from->children; child; child = child->next) {
        n += child->type == XML_ELEMENT_NODE;
    }
    to->child = TN_PUSH(reader->scratch, tn_xml *, n);
    for (const xmlNode *child = from->children; to->child && child; child = child->next) {
        if (child->type == XML_ELEMENT_NODE && !(to->child[to->n++] = copy(reader, child, file))) {
            return NULL;
        }
    }
    return to->child ? to : NULL;
}

static void say_error(tn_reader *reader, xmlParserCtxt *context, const char *file)
{
    const xmlError *found = context ? xmlCtxtGetLastError(context) : NULL;
    if (!found || found->code == XML_ERR_NO_MEMORY) {
        tn_read_no_memory(reader);
        return;
    }
    int length = (int)strcspn(found->message ? found->message : "", "\n");
    tn_read_error(reader, (tn_place){file, found->line, found->int2}, "no well-formed XML: %.*s", length,
                  found->message ? found->message : "");
}

tn_xml *tn_xml_parse(tn_reader *reader, const char *text, size_t length, const char *file)
{
    xmlParserCtxt *context = xmlNewParserCtxt();
    xmlDoc *document = context ? xmlCtxtReadMemory(context, text, (int)length, NULL, NULL,
                                                   XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                                       XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES)
                               : NULL;
    const xmlNode *root = document ? xmlDocGetRootElement(document) : NULL;
    tn_xml *tree = NULL;
    if (!root) {
        say_error(reader, context, file);
    } else if (document->intSubset) {
        tn_read_error(reader, (tn_place){file, 1, 0}, "an XML file with a DOCTYPE is not read: take it out");
    } else if (!(tree = copy(reader, root, file))) {
        tn_read_no_memory(reader);
    }
    xmlFreeDoc(document);
    xmlFreeParserCtxt(context);
    return tree;
}

const char *tn_xml_get(const tn_xml *element, const char *attribute)
{
    for (int i = 0; element && i < element->n_attributes; i++) {
        if (strcmp(element->attribute[i].name, attribute) == 0) {
            return element->attribute[i].value;
        }
    }
    return NULL;
}

const tn_xml *tn_xml_child(const tn_xml *element, const char *name)
{
    for (int i = 0; element && i < element->n; i++) {
        if (strcmp(element->child[i]->name, name) == 0) {
            return element->child[i];
        }
    }
    return NULL;
}

bool tn_xml_is(const tn_xml *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

int tn_xml_count(const tn_xml *element, const char *name)
{
    int n = 0;
    for (int i = 0; i < element->n; i++) {
        n += tn_xml_is(element->child[i], name) + tn_xml_count(element->child[i], name);
    }
    return n;
}

const char *tn_xml_need(tn_reader *reader, const tn_xml *element, const char *attribute)
{
    const char *value = tn_xml_get(element, attribute);
    if (!value) {
        tn_read_error(reader, element->place, "<%.60s> needs the attribute '%s'", element->name, attribute);
    }
    return value;
}

bool tn_xml_parse_numbers(tn_reader *reader, tn_place place, const char *attribute, const char *text, int low, int high,
                          double *value, int *n)
{
    static const char space[] = " \t\r\n";
    *n = 0;
    for (const char *p = text + strspn(text, space); *p; p += strspn(p, space)) {
        char word[64];
        size_t length = strcspn(p, space);
        double number = NAN;
        if (length < sizeof word) {
            memcpy(word, p, length);
            word[length] = 0;
        }
        if (length >= sizeof word || tn_number_length(word) != length ||
            tn_number_parse(word, (tn_dimension){0}, &number) != TN_NUMBER_OK) {
            return tn_read_error(reader, place, "'%s' has '%.*s' where a number is expected", attribute,
                                 (int)(length < 60 ? length : 60), p);
        }
        if (*n == high) {
            return tn_read_error(reader, place, "'%s' has more than %d number%s", attribute, high, high > 1 ? "s" : "");
        }
        value[(*n)++] = number;
        p += length;
    }
    return *n >= low ||
           tn_read_error(reader, place, "'%s' needs %d number%s, has %d", attribute, low, low > 1 ? "s" : "", *n);
}

bool tn_xml_numbers(tn_reader *reader, const tn_xml *element, const char *attribute, int low, int high, double *value,
                    int *n)
{
    const char *text = tn_xml_get(element, attribute);
    *n = 0;
    return !text || tn_xml_parse_numbers(reader, element->place, attribute, text, low, high, value, n);
}
