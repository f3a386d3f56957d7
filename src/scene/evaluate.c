// Runs compiled expressions: value and time derivative side by side (forward differentiation).
#include "base/assert.h"
#include "scene/expression.h"
#include "scene/program.h"

#include <math.h>

// A value and its rate of change in time.
typedef struct dual {
    double x, d;
} dual;

// What asks where a number lies has no answer for none.
static const dual NONE = {NAN, NAN};

static dual power(dual a, dual b)
{
    if (isnan(a.x) || isnan(b.x)) {
        return NONE; // pow(NaN, 0) and pow(1, NaN) are 1
    }
    dual r = {pow(a.x, b.x), 0.0};
    // A constant exponent must not take the logarithm of a negative base.
    if (b.x != 0.0 && a.d != 0.0) {
        r.d = b.x * pow(a.x, b.x - 1.0) * a.d;
    }
    if (b.d != 0.0) {
        r.d += r.x * log(a.x) * b.d;
    }
    return r;
}

// Right-hand derivatives at ties: what the function does just after.
static dual smaller(dual a, dual b)
{
    return a.x < b.x || (a.x == b.x && a.d <= b.d) || isnan(a.x) ? a : b;
}

static dual larger(dual a, dual b)
{
    return a.x > b.x || (a.x == b.x && a.d >= b.d) || isnan(a.x) ? a : b;
}

static dual unary(tn_op op, dual a)
{
    switch (op) {
    case TN_OP_NEG:
        return (dual){-a.x, -a.d};
    case TN_OP_SIN:
        return (dual){sin(a.x), cos(a.x) * a.d};
    case TN_OP_COS:
        return (dual){cos(a.x), -sin(a.x) * a.d};
    case TN_OP_TAN:
        return (dual){tan(a.x), (1.0 + tan(a.x) * tan(a.x)) * a.d};
    case TN_OP_EXP:
        return (dual){exp(a.x), exp(a.x) * a.d};
    case TN_OP_LOG:
        return (dual){log(a.x), a.d / a.x};
    case TN_OP_SQRT:
        return (dual){sqrt(a.x), a.d == 0.0 ? 0.0 : 0.5 * a.d / sqrt(a.x)};
    case TN_OP_ABS:
        return larger(a, (dual){-a.x, -a.d});
    case TN_OP_STEP:
        return isnan(a.x) ? NONE : (dual){a.x >= 0.0 ? 1.0 : 0.0, 0.0};
    default:
        TN_ASSERT(op == TN_OP_RAMP);
        return larger(a, (dual){0.0, 0.0});
    }
}

static dual binary(tn_op op, dual a, dual b)
{
    switch (op) {
    case TN_OP_ADD:
        return (dual){a.x + b.x, a.d + b.d};
    case TN_OP_SUB:
        return (dual){a.x - b.x, a.d - b.d};
    case TN_OP_MUL:
        return (dual){a.x * b.x, a.d * b.x + a.x * b.d};
    case TN_OP_DIV:
        return (dual){a.x / b.x, (a.d - a.x / b.x * b.d) / b.x};
    case TN_OP_POW:
        return power(a, b);
    case TN_OP_MIN:
        return smaller(a, b);
    default:
        TN_ASSERT(op == TN_OP_MAX);
        return larger(a, b);
    }
}

static dual run(const tn_expression *expression, dual first, double second)
{
    dual stack[TN_PROGRAM_STACK_MAX] = {{0.0, 0.0}};
    int n = 0;
    for (int i = 0; i < expression->n; i++) {
        tn_op op = expression->code[i].op;
        if (op == TN_OP_FIRST) {
            stack[n++] = first;
        } else if (op == TN_OP_NUMBER || op == TN_OP_SECOND) {
            stack[n++] = (dual){op == TN_OP_SECOND ? second : expression->code[i].number, 0.0};
        } else if (op == TN_OP_CLAMP) {
            n -= 2;
            stack[n - 1] = larger(smaller(stack[n - 1], stack[n + 1]), stack[n]);
        } else if (op == TN_OP_IF) {
            n -= 2;
            stack[n - 1] = isnan(stack[n - 1].x) ? NONE : stack[n - 1].x >= 0.0 ? stack[n] : stack[n + 1];
        } else if (op <= TN_OP_POW || op == TN_OP_MIN || op == TN_OP_MAX) {
            n--;
            stack[n - 1] = binary(op, stack[n - 1], stack[n]);
        } else {
            stack[n - 1] = unary(op, stack[n - 1]);
        }
    }
    TN_ASSERT(n == 1);
    return stack[0];
}

double tn_expression_eval(const tn_expression *expression, double t, double *rate)
{
    dual value = run(expression, (dual){t, 1.0}, 0.0);
    if (rate) {
        *rate = value.d;
    }
    return value.x;
}

double tn_expression_eval_place(const tn_expression *expression, double x, double y)
{
    return run(expression, (dual){x, 0.0}, y).x;
}

double tn_value_at(const tn_value *value, double t)
{
    return value->program ? tn_expression_eval(value->program, t, NULL) : value->constant;
}

double tn_value_rate(const tn_value *value, double t)
{
    double rate = 0.0;
    if (value->program) {
        tn_expression_eval(value->program, t, &rate);
    }
    return rate;
}
