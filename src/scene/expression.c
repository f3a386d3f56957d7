#include "scene/expression.h"

#include "scene/node.h"
#include "scene/program.h"
#include "scene/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

typedef struct function {
    const char *name;
    tn_op op;
    int n_arguments;
} function;

static const function functions[] = {
    {"sin", TN_OP_SIN, 1}, {"cos", TN_OP_COS, 1},     {"tan", TN_OP_TAN, 1},   {"exp", TN_OP_EXP, 1},
    {"log", TN_OP_LOG, 1}, {"sqrt", TN_OP_SQRT, 1},   {"abs", TN_OP_ABS, 1},   {"min", TN_OP_MIN, 2},
    {"max", TN_OP_MAX, 2}, {"pow", TN_OP_POW, 2},     {"step", TN_OP_STEP, 1}, {"ramp", TN_OP_RAMP, 1},
    {"if", TN_OP_IF, 3},   {"clamp", TN_OP_CLAMP, 3},
};
enum { N_FUNCTIONS = (int)(sizeof functions / sizeof *functions) };

typedef struct compiler {
    const char *text;
    const char *variables; // a letter each
    const char *p;
    int depth; // of recursion
    int stack; // of values when the program runs
    int n;
    tn_instruction code[TN_PROGRAM_CODE_MAX];
    int *column;
    char *message;
    size_t size;
} compiler;

static bool __attribute__((format(printf, 3, 4))) fail(compiler *c, const char *at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->message, c->size, format, list);
    va_end(list);
    *c->column = (int)(at - c->text) + 1;
    return false;
}

// Adds an instruction that takes `takes` values and leaves one.
static bool emit(compiler *c, tn_op code, double number, int takes)
{
    c->stack += 1 - takes;
    if (c->n == TN_PROGRAM_CODE_MAX || c->stack > TN_PROGRAM_STACK_MAX) {
        return fail(c, c->p, "expression too long");
    }
    c->code[c->n++] = (tn_instruction){code, number};
    return true;
}

static void skip_space(compiler *c)
{
    c->p += strspn(c->p, " \t\r\n");
}

static bool take(compiler *c, char symbol)
{
    skip_space(c);
    if (*c->p != symbol) {
        return false;
    }
    c->p++;
    return true;
}

static bool sum(compiler *c);

static bool is_letter(char x)
{
    return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || x == '_';
}

static bool call(compiler *c, const char *name, size_t length)
{
    const char *names[N_FUNCTIONS];
    for (int i = 0; i < N_FUNCTIONS; i++) {
        const function *f = &functions[i];
        names[i] = f->name;
        if (strlen(f->name) != length || strncmp(f->name, name, length) != 0) {
            continue;
        }
        if (!take(c, '(')) {
            return fail(c, c->p, "'(' must follow '%s'", f->name);
        }
        for (int k = 0; k < f->n_arguments; k++) {
            if (!sum(c)) {
                return false;
            }
            if (k + 1 < f->n_arguments && !take(c, ',')) {
                return fail(c, c->p, "'%s' takes %d arguments", f->name, f->n_arguments);
            }
        }
        if (!take(c, ')')) {
            return fail(c, c->p, "')' expected after %d argument%s of '%s'", f->n_arguments,
                        f->n_arguments == 1 ? "" : "s", f->name);
        }
        return emit(c, f->op, 0.0, f->n_arguments);
    }
    char word[24];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    const char *nearest = tn_name_nearest(word, N_FUNCTIONS, names);
    if (nearest) {
        return fail(c, name, "unknown name '%s'; did you mean '%s'?", word, nearest);
    }
    return fail(c, name, "unknown name '%s'; known are %s, pi, e and the functions", word,
                c->variables[1] ? "x, y" : "t");
}

static bool word(compiler *c)
{
    const char *name = c->p;
    while (is_letter(*c->p)) {
        c->p++;
    }
    size_t length = (size_t)(c->p - name);
    const char *variable = length == 1 ? strchr(c->variables, *name) : NULL;
    if (variable) {
        return emit(c, variable == c->variables ? TN_OP_FIRST : TN_OP_SECOND, 0.0, 0);
    }
    if (length == 2 && strncmp(name, "pi", 2) == 0) {
        return emit(c, TN_OP_NUMBER, 3.14159265358979323846, 0);
    }
    if (length == 1 && *name == 'e') {
        return emit(c, TN_OP_NUMBER, 2.71828182845904523536, 0);
    }
    return call(c, name, length);
}

static bool number(compiler *c)
{
    // Digits, point, exponent; "2e" is 2 times nothing and fails at the e.
    const char *begin = c->p;
    size_t length = tn_number_length(begin);
    if (!length || length > 60) {
        return fail(c, begin, *begin ? "'%c' is not part of an expression" : "expression ends too early", *begin);
    }
    char digits[64];
    snprintf(digits, sizeof digits, "%.*s", (int)length, begin);
    double value = 0.0;
    if (tn_number_parse(digits, (tn_dimension){0}, &value) != TN_NUMBER_OK) {
        return fail(c, begin, "number too large");
    }
    c->p += length;
    return emit(c, TN_OP_NUMBER, value, 0);
}

static bool atom(compiler *c)
{
    skip_space(c);
    if (take(c, '(')) {
        return sum(c) && (take(c, ')') || fail(c, c->p, "')' expected"));
    }
    return is_letter(*c->p) ? word(c) : number(c);
}

static bool power(compiler *c)
{
    if (++c->depth > DEPTH_MAX) {
        return fail(c, c->p, "nested too deeply");
    }
    bool ok;
    if (take(c, '-')) {
        ok = power(c) && emit(c, TN_OP_NEG, 0.0, 1);
    } else if (take(c, '+')) {
        ok = power(c);
    } else {
        ok = atom(c);
        if (ok && take(c, '^')) {
            ok = power(c) && emit(c, TN_OP_POW, 0.0, 2);
        }
    }
    c->depth--;
    return ok;
}

static bool product(compiler *c)
{
    bool ok = power(c);
    while (ok) {
        if (take(c, '*')) {
            ok = power(c) && emit(c, TN_OP_MUL, 0.0, 2);
        } else if (take(c, '/')) {
            ok = power(c) && emit(c, TN_OP_DIV, 0.0, 2);
        } else {
            break;
        }
    }
    return ok;
}

static bool sum(compiler *c)
{
    bool ok = product(c);
    while (ok) {
        if (take(c, '+')) {
            ok = product(c) && emit(c, TN_OP_ADD, 0.0, 2);
        } else if (take(c, '-')) {
            ok = product(c) && emit(c, TN_OP_SUB, 0.0, 2);
        } else {
            break;
        }
    }
    return ok;
}

static const tn_expression *compile(const char *text, const char *variables, tn_arena *arena, int *column,
                                    char *message, size_t size)
{
    compiler c = {.text = text, .variables = variables, .p = text, .column = column, .message = message, .size = size};
    *column = 1;
    message[0] = 0;
    if (!sum(&c)) {
        return NULL;
    }
    skip_space(&c);
    if (*c.p) {
        fail(&c, c.p, "'%c' is not expected here", *c.p);
        return NULL;
    }
    tn_expression *e = tn_arena_push(arena, 1, sizeof *e + (size_t)c.n * sizeof *e->code);
    char *copy = tn_arena_push(arena, 1, strlen(text) + 1);
    if (!e || !copy) {
        return NULL;
    }
    e->text = strcpy(copy, text);
    e->n = c.n;
    memcpy(e->code, c.code, (size_t)c.n * sizeof *e->code);
    return e;
}

const tn_expression *tn_expression_compile(const char *text, tn_arena *arena, int *column, char *message, size_t size)
{
    return compile(text, "t", arena, column, message, size);
}

const tn_expression *tn_expression_compile_place(const char *text, tn_arena *arena, int *column, char *message,
                                                 size_t size)
{
    return compile(text, "xy", arena, column, message, size);
}

const char *tn_expression_text(const tn_expression *expression)
{
    return expression->text;
}
