#include "scene/read_value.h"

#include "scene/color.h"
#include "scene/expression.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool range_error(tn_reader *reader, const tn_key *key, const tn_node *node, double value)
{
    char unit[32];
    tn_dimension_unit(key->unit, unit, sizeof unit);
    const char *gap = unit[0] ? " " : "";
    if (key->least > 0.0) {
        return tn_read_error(reader, node->place, "'%s' must be 0 or between %g%s%s and %g%s%s, not %.40s", key->name,
                             key->least, gap, unit, key->high, gap, unit, node->text);
    }
    if (key->low == 0.0 && key->high >= 1e6 && value <= key->high) {
        return tn_read_error(reader, node->place, "'%s' must %s, not %.40s", key->name,
                             key->above ? "be greater than 0" : "not be negative", node->text);
    }
    const char *range = key->above ? "'%s' must be above %g%s%s and at most %g%s%s, not %.40s"
                                   : "'%s' must be between %g%s%s and %g%s%s, not %.40s";
    return tn_read_error(reader, node->place, range, key->name, key->low, gap, unit, key->high, gap, unit, node->text);
}

static bool in_range(const tn_key *key, double x)
{
    bool any = key->low == 0.0 && key->high == 0.0;
    if (key->least > 0.0 && x > 0.0 && x < key->least) {
        return false;
    }
    return any || ((key->above ? x > key->low : x >= key->low) && x <= key->high);
}

// "a number in m" for messages.
static const char *wanted_number(const tn_key *key, char *text, size_t size)
{
    char unit[32];
    tn_dimension_unit(key->unit, unit, sizeof unit);
    snprintf(text, size, unit[0] ? "a number in %s" : "a number without unit", unit);
    return text;
}

static bool number_error(tn_reader *reader, const tn_key *key, const tn_node *node, tn_number_status status)
{
    char wanted[64];
    wanted_number(key, wanted, sizeof wanted);
    switch (status) {
    case TN_NUMBER_LARGE:
        return tn_read_error(reader, node->place, "'%s' must be finite, not %.40s", key->name, node->text);
    case TN_NUMBER_UNIT:
        return tn_read_error(reader, node->place, "unknown unit in '%.40s'; '%s' is %s", node->text, key->name, wanted);
    case TN_NUMBER_MISMATCH:
        return tn_read_error(reader, node->place, "wrong unit in '%.40s'; '%s' is %s", node->text, key->name, wanted);
    default:
        return tn_read_type_error(reader, node, key->name, wanted);
    }
}

static bool read_number(tn_reader *reader, const tn_key *key, const tn_node *node, double *value)
{
    if (node->kind != TN_NODE_SCALAR || tn_node_is_null(node)) {
        return number_error(reader, key, node, TN_NUMBER_NOT);
    }
    if (key->infinite && (strcmp(node->text, "infinite") == 0 || strcmp(node->text, ".inf") == 0)) {
        *value = INFINITY;
        return true;
    }
    bool any = key->low == 0.0 && key->high == 0.0;
    if (key->infinite && any && (strcmp(node->text, "-infinite") == 0 || strcmp(node->text, "-.inf") == 0)) {
        *value = -INFINITY;
        return true;
    }
    tn_number_status status = tn_number_parse(node->text, key->unit, value);
    if (status != TN_NUMBER_OK) {
        return number_error(reader, key, node, status);
    }
    return in_range(key, *value) || range_error(reader, key, node, *value);
}

static bool read_integer(tn_reader *reader, const tn_key *key, const tn_node *node, int *value)
{
    double x = 0.0;
    if (node->kind != TN_NODE_SCALAR || tn_number_parse(node->text, (tn_dimension){0}, &x) != TN_NUMBER_OK ||
        floor(x) != x) {
        return tn_read_type_error(reader, node, key->name, "a whole number");
    }
    if (!in_range(key, x)) {
        return range_error(reader, key, node, x);
    }
    *value = (int)x; // the tables' ranges fit an int
    return true;
}

static bool read_seed(tn_reader *reader, const tn_key *key, const tn_node *node, uint64_t *value)
{
    bool digits = node->kind == TN_NODE_SCALAR && node->text[0] &&
                  strspn(node->text, "0123456789") == strlen(node->text) && strlen(node->text) <= 20;
    errno = 0;
    unsigned long long x = digits ? strtoull(node->text, NULL, 10) : 0;
    if (!digits || errno) {
        return tn_read_type_error(reader, node, key->name, "a whole number from 0 to 2^64 - 1");
    }
    *value = x;
    return true;
}

static bool read_flag(tn_reader *reader, const tn_key *key, const tn_node *node, bool *value)
{
    bool yes = node->kind == TN_NODE_SCALAR && !node->quoted && strcmp(node->text, "true") == 0;
    bool no = node->kind == TN_NODE_SCALAR && !node->quoted && strcmp(node->text, "false") == 0;
    *value = yes;
    return yes || no || tn_read_type_error(reader, node, key->name, "true or false");
}

static bool read_choice(tn_reader *reader, const tn_key *key, const tn_node *node, int *value)
{
    int n = 0;
    char list[256] = "";
    for (; key->choices[n]; n++) {
        if (node->kind == TN_NODE_SCALAR && strcmp(node->text, key->choices[n]) == 0) {
            *value = n;
            return true;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", key->choices[n]);
    }
    const char *nearest = node->kind == TN_NODE_SCALAR ? tn_name_nearest(node->text, n, key->choices) : NULL;
    char found[80];
    char hint[128];
    return tn_read_error(reader, node->place, "'%s' must be one of %s, not %s%s", key->name, list,
                         tn_node_describe(node, found, sizeof found), tn_read_hint(nearest, hint, sizeof hint));
}

static bool is_list_of(const tn_node *node, int low, int high)
{
    return node->kind == TN_NODE_LIST && node->n >= low && node->n <= high;
}

static bool read_vector(tn_reader *reader, const tn_key *key, const tn_node *node, double value[3])
{
    if (!is_list_of(node, 3, 3)) {
        return tn_read_type_error(reader, node, key->name, "a list of 3 numbers [x, y, z]");
    }
    for (int i = 0; i < 3; i++) {
        if (!read_number(reader, key, node->item[i], &value[i])) {
            return false;
        }
    }
    if (key->nonzero && value[0] * value[0] + value[1] * value[1] + value[2] * value[2] < 1e-24) {
        return tn_read_error(reader, node->place, "'%s' must not be the zero vector", key->name);
    }
    return true;
}

static bool read_counts(tn_reader *reader, const tn_key *key, const tn_node *node, int value[3])
{
    if (!is_list_of(node, 3, 3)) {
        return tn_read_type_error(reader, node, key->name, "a list of 3 whole numbers [x, y, z]");
    }
    for (int i = 0; i < 3; i++) {
        if (!read_integer(reader, key, node->item[i], &value[i])) {
            return false;
        }
    }
    return true;
}

static bool read_numbers(tn_reader *reader, const tn_key *key, const tn_node *node, tn_numbers *numbers)
{
    bool one = key->scalar && node->kind == TN_NODE_SCALAR;
    if (!one && !is_list_of(node, key->low_count, key->high_count)) {
        char wanted[64];
        if (key->scalar) {
            snprintf(wanted, sizeof wanted, "a number, or a list of %d at most", key->high_count);
        } else if (key->low_count == key->high_count) {
            snprintf(wanted, sizeof wanted, "a list of %d numbers", key->low_count);
        } else {
            snprintf(wanted, sizeof wanted, "a list of %d to %d numbers", key->low_count, key->high_count);
        }
        return tn_read_type_error(reader, node, key->name, wanted);
    }
    int n = one ? 1 : node->n;
    double *value = TN_PUSH(reader->scratch, double, n);
    if (!value) {
        return tn_read_no_memory(reader);
    }
    for (int i = 0; i < n; i++) {
        if (!read_number(reader, key, one ? node : node->item[i], &value[i])) {
            return false;
        }
    }
    *numbers = (tn_numbers){n, value};
    return true;
}

static bool read_plane_points(tn_reader *reader, const tn_key *key, const tn_node *node, tn_numbers *numbers)
{
    if (!is_list_of(node, key->low_count, key->high_count)) {
        return tn_read_type_error(reader, node, key->name, "a list of points [[x, z], ...]");
    }
    double *value = TN_PUSH(reader->scratch, double, 2 * (size_t)node->n);
    if (!value) {
        return tn_read_no_memory(reader);
    }
    for (int i = 0; i < 2 * node->n; i++) {
        const tn_node *point = node->item[i / 2];
        if (!is_list_of(point, 2, 2)) {
            return tn_read_type_error(reader, point, key->name, "a list of 2 numbers [x, z]");
        }
        if (!read_number(reader, key, point->item[i % 2], &value[i])) {
            return false;
        }
    }
    *numbers = (tn_numbers){node->n, value};
    return true;
}

static bool read_points(tn_reader *reader, const tn_key *key, const tn_node *node, tn_numbers *numbers)
{
    if (!is_list_of(node, key->low_count, key->high_count)) {
        return tn_read_type_error(reader, node, key->name, "a list of points [[x, y, z], ...]");
    }
    double *value = tn_arena_push(reader->storage, (size_t)node->n, 3 * sizeof *value);
    if (!value) {
        return tn_read_no_memory(reader);
    }
    for (int i = 0; i < node->n; i++) {
        if (!read_vector(reader, key, node->item[i], &value[3 * i])) {
            return false;
        }
    }
    *numbers = (tn_numbers){node->n, value};
    return true;
}

// A scalar that begins like a number and goes on with a letter is a number with a unit, even a wrong one.
static bool looks_like_number(const char *text)
{
    size_t length = tn_number_length(text);
    const char *rest = text + length;
    rest += strspn(rest, " ");
    return length && (!*rest || (*rest >= 'a' && *rest <= 'z') || (*rest >= 'A' && *rest <= 'Z'));
}

static bool read_expression(tn_reader *reader, const tn_key *key, const tn_node *node, tn_value *value)
{
    *value = (tn_value){0};
    bool is_word = node->kind == TN_NODE_SCALAR &&
                   (node->text[0] == '.' || strcmp(node->text, "inf") == 0 || strcmp(node->text, "nan") == 0);
    if (node->kind != TN_NODE_SCALAR || tn_node_is_null(node) || is_word || looks_like_number(node->text)) {
        return read_number(reader, key, node, &value->constant);
    }
    int column = 0;
    char message[160];
    value->program = tn_expression_compile(node->text, reader->storage, &column, message, sizeof message);
    if (!value->program) {
        tn_place place = node->place;
        place.column += column - 1 + (node->quoted ? 1 : 0);
        return message[0] ? tn_read_error(reader, place, "in '%s': %s", key->name, message) : tn_read_no_memory(reader);
    }
    double rate = 0.0;
    double start = tn_expression_eval(value->program, 0.0, &rate);
    if (!isfinite(start)) {
        return tn_read_error(reader, node->place, "'%s' is not finite at t = 0: %.60s", key->name, node->text);
    }
    return true;
}

static bool read_expressions(tn_reader *reader, const tn_key *key, const tn_node *node, tn_value value[3])
{
    if (!is_list_of(node, 3, 3)) {
        return tn_read_type_error(reader, node, key->name, "a list of 3 numbers or expressions of t");
    }
    for (int i = 0; i < 3; i++) {
        if (!read_expression(reader, key, node->item[i], &value[i])) {
            return false;
        }
    }
    return true;
}

static bool read_text(tn_reader *reader, const tn_key *key, const tn_node *node, const char **text)
{
    if (node->kind != TN_NODE_SCALAR || tn_node_is_null(node)) {
        return tn_read_type_error(reader, node, key->name, "text");
    }
    size_t size = strlen(node->text) + 1;
    char *copy = tn_arena_push(reader->storage, size, 1);
    if (!copy) {
        return tn_read_no_memory(reader);
    }
    *text = memcpy(copy, node->text, size);
    return true;
}

static bool is_name(const tn_node *node)
{
    return node->kind == TN_NODE_SCALAR && node->text[0] && !tn_node_is_null(node);
}

static bool read_names(tn_reader *reader, const tn_key *key, const tn_node *node, const tn_node **field)
{
    *field = node;
    bool one = is_name(node) && key->low_count <= 1;
    if (!one && !is_list_of(node, key->low_count, key->high_count)) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "a list of %d name%s", key->low_count, key->low_count == 1 ? "" : "s");
        return tn_read_type_error(reader, node, key->name, key->low_count == 1 ? "a name or a list of names" : wanted);
    }
    for (int i = 0; i < node->n; i++) {
        if (!is_name(node->item[i])) {
            return tn_read_type_error(reader, node->item[i], key->name, "a name");
        }
    }
    return true;
}

static bool read_color(tn_reader *reader, const tn_key *key, const tn_node *node, tn_color *color)
{
    char found[80], hint[128];
    color->said = tn_color_read(node, color->rgb);
    if (color->said) {
        return true;
    }
    int n = 0;
    while (tn_color_names[n]) {
        n++;
    }
    const char *nearest = node->kind == TN_NODE_SCALAR ? tn_name_nearest(node->text, n, tn_color_names) : NULL;
    return tn_read_error(reader, node->place, "'%s' is a name, \"#rrggbb\" or [red, green, blue] from 0 to 1, not %s%s",
                         key->name, tn_node_describe(node, found, sizeof found),
                         tn_read_hint(nearest, hint, sizeof hint));
}

bool tn_read_value(tn_reader *reader, const tn_key *key, const tn_node *node, void *field)
{
    int choice = 0;
    switch (key->type) {
    case TN_KEY_NUMBER:
        return read_number(reader, key, node, field);
    case TN_KEY_INTEGER:
        return read_integer(reader, key, node, field);
    case TN_KEY_SEED:
        return read_seed(reader, key, node, field);
    case TN_KEY_FLAG:
        return read_flag(reader, key, node, field);
    case TN_KEY_TEXT:
        return read_text(reader, key, node, field);
    case TN_KEY_CHOICE:
        return read_choice(reader, key, node, field);
    case TN_KEY_WORD:
        if (!read_choice(reader, key, node, &choice)) {
            return false;
        }
        snprintf(field, 32, "%s", key->choices[choice]);
        return true;
    case TN_KEY_NAME:
        *(const tn_node **)field = node;
        return is_name(node) || tn_read_type_error(reader, node, key->name, "a name");
    case TN_KEY_MEASURE:
        *(const tn_node **)field = node;
        return true;
    case TN_KEY_NAMES:
        return read_names(reader, key, node, field);
    case TN_KEY_VECTOR:
        return read_vector(reader, key, node, field);
    case TN_KEY_NUMBERS:
        return read_numbers(reader, key, node, field);
    case TN_KEY_POINTS:
        return read_points(reader, key, node, field);
    case TN_KEY_PLANE_POINTS:
        return read_plane_points(reader, key, node, field);
    case TN_KEY_COUNTS:
        return read_counts(reader, key, node, field);
    case TN_KEY_COLOR:
        return read_color(reader, key, node, field);
    case TN_KEY_EXPRESSION:
        return read_expression(reader, key, node, field);
    default:
        return read_expressions(reader, key, node, field);
    }
}

void tn_read_absent(const tn_key *key, void *field)
{
    double *number = field;
    tn_value *value = field;
    switch (key->type) {
    case TN_KEY_NUMBER:
        *number = (double)NAN;
        break;
    case TN_KEY_VECTOR:
        number[0] = number[1] = number[2] = (double)NAN;
        break;
    case TN_KEY_EXPRESSION:
        value->constant = (double)NAN;
        break;
    case TN_KEY_EXPRESSIONS:
        value[0].constant = value[1].constant = value[2].constant = (double)NAN;
        break;
    default: // the struct is zeroed: NULL, no numbers
        break;
    }
}
