// A JSON Schema (draft 07) of scene files from the tables, for completion and checks in editors.
#include "base/plain.h"
#include "scene/color.h"
#include "scene/print.h"

#include <string.h>

// text as a JSON string.
static void print_string(const tn_printer *p, const char *text)
{
    tn_print(p, "\"");
    for (const char *c = text; *c; c++) {
        tn_print(p, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    }
    tn_print(p, "\"");
}

static bool is_dimensionless(tn_dimension d)
{
    return !d.m && !d.kg && !d.s && !d.rad;
}

static void print_number(const tn_printer *p, const tn_key *key)
{
    // A text carries a unit, an expression or the word infinite: the schema sees how it begins, no more.
    bool expression = key->type == TN_KEY_EXPRESSION || key->type == TN_KEY_EXPRESSIONS;
    bool text = !is_dimensionless(key->unit) || key->infinite || expression;
    bool whole = key->type == TN_KEY_INTEGER || key->type == TN_KEY_COUNTS || key->type == TN_KEY_SEED;
    tn_print(p, "{\"type\": %s", text ? "[\"number\", \"string\"]" : whole ? "\"integer\"" : "\"number\"");
    if (text && !expression) {
        bool any = key->low == 0.0 && key->high == 0.0;
        tn_print(p, ", \"pattern\": \"^[-+]?[.]?[0-9]%s\"",
                 !key->infinite ? ""
                 : any          ? "|^-?infinite$"
                                : "|^infinite$");
    }
    if (key->type == TN_KEY_SEED) {
        tn_print(p, ", \"minimum\": 0");
    } else if (key->low != 0.0 || key->high != 0.0) {
        tn_print(p, ", \"%s\": %.17g, \"maximum\": %.17g", key->above ? "exclusiveMinimum" : "minimum", key->low,
                 key->high);
    }
    if (key->least > 0.0) {
        tn_print(p, ", \"not\": {\"type\": \"number\", \"exclusiveMinimum\": 0, \"exclusiveMaximum\": %.17g}",
                 key->least);
    }
    tn_print(p, "}");
}

static void print_list(const tn_printer *p, const tn_key *key, int low, int high)
{
    tn_print(p, "{\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": ", low, high);
    print_number(p, key);
    tn_print(p, "}");
}

static void print_reference(const tn_printer *p, const tn_section *section)
{
    tn_print(p, "{\"$ref\": \"#/definitions/%s\"}", section->name);
}

static void print_section_value(const tn_printer *p, const tn_key *key)
{
    if (key->type == TN_KEY_NAMED) {
        tn_print(p, "{\"type\": [\"object\", \"null\"], \"additionalProperties\": ");
        print_reference(p, key->section);
        tn_print(p, "}");
    } else if (key->type == TN_KEY_LIST) {
        tn_print(p, "{\"type\": [\"array\", \"null\"], \"items\": ");
        print_reference(p, key->section);
        tn_print(p, "}");
    } else {
        print_reference(p, key->section);
    }
}

static void print_choices(const tn_printer *p, const char *const *choices)
{
    tn_print(p, "{\"enum\": [");
    for (int i = 0; choices[i]; i++) {
        tn_print(p, "%s\"%s\"", i ? ", " : "", choices[i]);
    }
    tn_print(p, "]}");
}

static void print_value(const tn_printer *p, const tn_key *key)
{
    if (key->section) {
        print_section_value(p, key);
        return;
    }
    switch (key->type) {
    case TN_KEY_FLAG:
        tn_print(p, "{\"type\": \"boolean\"}");
        break;
    case TN_KEY_TEXT:
    case TN_KEY_NAME:
        tn_print(p, "{\"type\": \"string\"}");
        break;
    case TN_KEY_MEASURE:
        tn_print(p, key->scalar ? "{\"type\": [\"number\", \"string\", \"array\"]}"
                                : "{\"type\": [\"number\", \"string\"]}");
        break;
    case TN_KEY_NAMES:
        tn_print(p, "{\"type\": [\"string\", \"array\"], \"items\": {\"type\": \"string\"}}");
        break;
    case TN_KEY_CHOICE:
    case TN_KEY_WORD:
        print_choices(p, key->choices);
        break;
    case TN_KEY_VECTOR:
    case TN_KEY_COUNTS:
    case TN_KEY_EXPRESSIONS:
        print_list(p, key, 3, 3);
        break;
    case TN_KEY_NUMBERS:
        if (key->scalar) {
            tn_print(p, "{\"anyOf\": [");
            print_number(p, key);
            tn_print(p, ", ");
        }
        print_list(p, key, key->low_count, key->high_count);
        tn_print(p, key->scalar ? "]}" : "");
        break;
    case TN_KEY_COLOR:
        tn_print(p, "{\"anyOf\": [{\"pattern\": \"^#[0-9a-fA-F]{6}$\"}, ");
        print_choices(p, tn_color_names);
        tn_print(p, ", {\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3}]}");
        break;
    case TN_KEY_POINTS:
        tn_print(p, "{\"type\": \"array\", \"items\": ");
        print_list(p, key, 3, 3);
        tn_print(p, "}");
        break;
    case TN_KEY_PLANE_POINTS:
        tn_print(p, "{\"type\": \"array\", \"items\": ");
        print_list(p, key, 2, 2);
        tn_print(p, "}");
        break;
    default:
        print_number(p, key);
        break;
    }
}

// What materials, bodies, shapes, springs, joints and soft bodies lack may come from the defaults.
static void print_required(const tn_printer *p, const tn_section *section)
{
    bool has_defaults = section == &tn_section_material || section == &tn_section_body ||
                        section == &tn_section_shape || section == &tn_section_spring || section == &tn_section_joint ||
                        section == &tn_section_soft;
    int n = 0;
    for (int i = 0; i < section->n_keys && !has_defaults; i++) {
        if (section->keys[i].required) {
            tn_print(p, "%s\"%s\"", n++ ? ", " : ", \"required\": [", section->keys[i].name);
        }
    }
    if (n) {
        tn_print(p, "]");
    }
}

static void print_map(const tn_printer *p, const tn_section *section)
{
    tn_print(p, "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
    for (int i = 0; i < section->n_keys; i++) {
        const tn_key *key = &section->keys[i];
        tn_print(p, "%s\n      \"%s\": {\"description\": ", i ? "," : "", key->name);
        print_string(p, key->doc);
        tn_print(p, ", \"allOf\": [");
        print_value(p, key);
        tn_print(p, "]}");
    }
    tn_print(p, "}");
    print_required(p, section);
    tn_print(p, "}");
}

static void print_section(const tn_printer *p, const tn_section *section)
{
    tn_print(p, "\n    \"%s\": {\"description\": ", section->name);
    print_string(p, section->doc);
    tn_print(p, ", \"anyOf\": [{\"type\": \"null\"}, ");
    print_map(p, section);
    if (section->shorthand) {
        tn_print(p, ", ");
        print_value(p, tn_section_key(section, section->shorthand));
    }
    tn_print(p, "]}");
}

void tn_scene_schema_json(tn_text_writer write, void *user)
{
    tn_printer p = {write, user};
    if (!write) {
        return;
    }
    const tn_plain plain = tn_plain_begin();
    const tn_section *list[TN_SECTIONS_MAX];
    int n = tn_sections_list(&tn_section_scene, list);
    tn_print(&p, "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": \"Tenon scene\",\n"
                 "  \"$ref\": \"#/definitions/scene\",\n  \"definitions\": {");
    for (int i = 0; i < n; i++) {
        tn_print(&p, i ? "," : "");
        print_section(&p, list[i]);
    }
    tn_print(&p, "\n  }\n}\n");
    tn_plain_end(plain);
}
