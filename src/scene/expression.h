// Expressions of time, e.g. "0.1*sin(2*pi*t)": compiled to a small stack program; value and exact derivative.
//
//     sum     = product { ("+" | "-") product }
//     product = power { ("*" | "/") power }
//     power   = ("-" | "+") power | atom [ "^" power ]          right-associative; -2^2 = -4
//     atom    = number | "t" | "pi" | "e" | name "(" sum { "," sum } ")" | "(" sum ")"
//
// Functions: sin cos tan exp log sqrt abs; min max pow of two; step(x) = 1 for x >= 0, else 0; ramp(x) = max(x, 0);
// clamp(x, low, high); if(x, a, b) = a where x >= 0, else b. Numbers are SI and radians.
#pragma once

#include "base/arena.h"
#include "scene/scene.h"

// text compiled into arena. On failure NULL: column is the place inside text, from 1, and message (size bytes) says
// what is wrong there; message is "" when there is no memory.
const tn_expression *tn_expression_compile(const char *text, tn_arena *arena, int *column, char *message, size_t size);

// The same of the place x, y instead of t.
const tn_expression *tn_expression_compile_place(const char *text, tn_arena *arena, int *column, char *message,
                                                 size_t size);
double tn_expression_eval_place(const tn_expression *expression, double x, double y);

// Value at time t and, if rate is not NULL, its time derivative. At a kink (abs, min, step ...) the right-hand one.
double tn_expression_eval(const tn_expression *expression, double t, double *rate);

// As the scene says it.
const char *tn_expression_text(const tn_expression *expression);
