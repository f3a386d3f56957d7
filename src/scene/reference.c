// docs/scene.md from the tables.
#include "base/plain.h"
#include "scene/color.h"
#include "scene/print.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const char head[] =
    "# Scene files\n"
    "\n"
    "Every key of a scene file. *Made by `tenon info --scene-reference` from the reader's tables; do not edit.*\n"
    "\n"
    "A scene is one YAML 1.2 (or JSON) document. Unknown keys, wrong types, units or ranges, duplicate names and\n"
    "missing references are errors with file, line and column. `tenon check SCENE` validates a scene;\n"
    "`tenon info --schema` prints a JSON Schema for editors.\n"
    "\n"
    "```yaml\n"
    "title: A box on a slope\n"
    "duration: 2 s\n"
    "materials:\n"
    "  wood: {density: 500, friction: 0.4}\n"
    "bodies:\n"
    "  slope: {fixed: true, rotation: {axis: [1, 0, 0], angle: 20 deg}, shape: {plane: {}, material: wood}}\n"
    "  box: {position: [0, 0, 12 cm], shape: {box: [0.2, 0.2, 0.2], material: wood}}\n"
    "```\n"
    "\n"
    "## Numbers, units, expressions\n"
    "\n"
    "Numbers are in SI units and radians, or have a unit that fits the key: `10 ms`, `20 deg`, `80 kPa`, `9.81 "
    "m/s^2`,\n"
    "`1e5 N s/m`. `/` divides by the one factor that follows. Units: ";

static const char expressions[] =
    "\n"
    "*Expressions* of the time `t` [s] are in SI units, for example `0.1*sin(2*pi*t)`:\n"
    "\n"
    "    sum     = product { (\"+\" | \"-\") product }\n"
    "    product = power { (\"*\" | \"/\") power }\n"
    "    power   = (\"-\" | \"+\") power | atom [ \"^\" power ]\n"
    "    atom    = number | \"t\" | \"pi\" | \"e\" | function \"(\" sum { \",\" sum } \")\" | \"(\" sum \")\"\n"
    "\n"
    "Functions: `sin cos tan exp log sqrt abs min(a, b) max(a, b) pow(a, b)`, `step(x)` = 1 for x >= 0 and else 0,\n"
    "`ramp(x)` = max(x, 0), `clamp(x, low, high)`, `if(x, a, b)` = a for x >= 0 and else b. Derivatives are exact. A "
    "value\n"
    "that is not real or beyond 1e30 ends the run with exit code 1; at t = 0 the scene is refused.\n"
    "\n"
    "## Includes, defaults, overrides\n"
    "\n"
    "`include` adds other files. `defaults` holds keys for every material, body, shape, spring, joint or soft body.\n"
    "`--set path=value` changes a value on the command line: `--set bodies.box.mass=2`; `null` takes away\n"
    "what stands there: `--set joints.elbow.turn.motor=null`. Anchors and aliases (`&a`, `*a`) work; merge keys and "
    "tags do not.\n"
    "\n"
    "Below, a section with a *short form* takes the value of that key in place of the map; a unit stands for a number "
    "in\n"
    "it; frames are right-handed.\n";

static const char *type_name(const tn_key *key)
{
    switch (key->type) {
    case TN_KEY_MEASURE:
        return key->scalar ? "number or numbers" : "number";
    case TN_KEY_NUMBER:
        return key->infinite ? "`infinite` or number" : "number";
    case TN_KEY_INTEGER:
    case TN_KEY_SEED:
        return "integer";
    case TN_KEY_FLAG:
        return "boolean";
    case TN_KEY_TEXT:
        return "text";
    case TN_KEY_NAME:
        return "name";
    case TN_KEY_NAMES:
        return "names";
    case TN_KEY_VECTOR:
        return "[x, y, z]";
    case TN_KEY_NUMBERS:
        return key->scalar ? "number or numbers" : "numbers";
    case TN_KEY_POINTS:
        return "list of [x, y, z]";
    case TN_KEY_PLANE_POINTS:
        return "list of [x, z]";
    case TN_KEY_COUNTS:
        return "[nx, ny, nz]";
    case TN_KEY_COLOR:
        return "colour";
    case TN_KEY_EXPRESSION:
        return "expression";
    case TN_KEY_EXPRESSIONS:
        return "3 expressions";
    default:
        return "";
    }
}

static void print_type(const tn_printer *p, const tn_key *key)
{
    if (key->choices) {
        for (int i = 0; key->choices[i]; i++) {
            tn_print(p, "%s`%s`", i ? ", " : "", key->choices[i]);
        }
        return;
    }
    if (!key->section) {
        tn_print(p, "%s", type_name(key));
        return;
    }
    const char *many = key->type == TN_KEY_NAMED ? "names to " : key->type == TN_KEY_LIST ? "list of " : "";
    tn_print(p, "%s[%s](#", many, key->section->name);
    for (const char *c = key->section->name; *c; c++) {
        if (*c == ' ' || *c == '_' || isalnum((unsigned char)*c)) { // as GitHub makes anchors of headings
            tn_print(p, "%c", *c == ' ' ? '-' : *c);
        }
    }
    tn_print(p, ")");
}

// Bounds below any sensible scene are written as 0.
static void print_range(const tn_printer *p, const tn_key *key)
{
    bool any = key->low == 0.0 && key->high == 0.0;
    bool tiny = key->low > 0.0 && key->low < 1e-6;
    if (key->least > 0.0) {
        tn_print(p, ", >= 0");
    } else if (!any && key->low > -1e5) {
        tn_print(p, ", %s %g", key->above || tiny ? ">" : ">=", tiny ? 0.0 : key->low);
    }
    if (!any && key->high < 1e6) {
        tn_print(p, ", <= %g", key->high);
    }
    if (key->nonzero) {
        tn_print(p, ", not zero");
    }
}

static void print_row(const tn_printer *p, const tn_key *key)
{
    char unit[64];
    tn_print(p, "| `%s` | ", key->name);
    tn_dimension_unit(key->unit, unit, sizeof unit);
    if (key->type != TN_KEY_NUMBER || key->infinite || !unit[0]) {
        print_type(p, key);
        tn_print(p, "%s", unit[0] ? ", " : "");
    }
    tn_print(p, "%s", unit);
    print_range(p, key);
    bool said = key->fallback && key->fallback[0];
    const char *quote = said ? "`" : "";
    tn_print(p, " | %s%s%s", quote, key->required ? "required" : said ? key->fallback : "", quote);
    tn_print(p, " | %s |\n", key->doc);
}

static void print_section(const tn_printer *p, const tn_section *section)
{
    tn_print(p, "\n## %s\n\n%s", section->name, section->doc);
    if (section->shorthand) {
        tn_print(p, " Short form: `%s`.", section->shorthand);
    }
    tn_print(p, "\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
    for (int i = 0; i < section->n_keys; i++) {
        print_row(p, &section->keys[i]);
    }
}

void tn_scene_reference_markdown(tn_text_writer write, void *user)
{
    tn_printer p = {write, user};
    if (!write) {
        return;
    }
    const tn_plain plain = tn_plain_begin();
    write(user, head, strlen(head));
    const char *const *units;
    int n_units = tn_unit_names(&units);
    for (int i = 0; i < n_units; i++) {
        tn_print(&p, "%s`%s`", i ? " " : "", units[i]);
    }
    tn_print(&p, ".\n\nA *colour* is `[red, green, blue]`, each 0 to 1 (sRGB), `\"#rrggbb\"` in quotes, or one of");
    for (int i = 0; tn_color_names[i]; i++) {
        tn_print(&p, " `%s`", tn_color_names[i]);
    }
    tn_print(&p, ".\n");
    write(user, expressions, strlen(expressions));
    tn_print(&p,
             "\nLimits: %d MiB a file, %d bodies, %d soft bodies, %d materials, %d pairs, %d anchors a file, %d "
             "nested levels.\n",
             TN_SCENE_BYTES_MAX >> 20, TN_SCENE_BODIES_MAX, TN_SCENE_SOFTS_MAX, TN_SCENE_MATERIALS_MAX,
             TN_SCENE_PAIRS_MAX, TN_SCENE_ANCHORS_MAX, TN_NODE_DEPTH_MAX);
    const tn_section *list[TN_SECTIONS_MAX];
    int n = tn_sections_list(&tn_section_scene, list);
    for (int i = 0; i < n; i++) {
        print_section(&p, list[i]);
    }
    tn_plain_end(plain);
}
