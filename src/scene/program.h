// A compiled expression: instructions of a stack machine. Shared by expression.c (compiles) and evaluate.c (runs).
#pragma once

enum { TN_PROGRAM_STACK_MAX = 32, TN_PROGRAM_CODE_MAX = 512 };

typedef enum tn_op {
    TN_OP_NUMBER,
    TN_OP_FIRST,  // variable: t, or x
    TN_OP_SECOND, // variable: y
    TN_OP_ADD,
    TN_OP_SUB,
    TN_OP_MUL,
    TN_OP_DIV,
    TN_OP_POW,
    TN_OP_NEG,
    TN_OP_SIN,
    TN_OP_COS,
    TN_OP_TAN,
    TN_OP_EXP,
    TN_OP_LOG,
    TN_OP_SQRT,
    TN_OP_ABS,
    TN_OP_MIN,
    TN_OP_MAX,
    TN_OP_STEP,
    TN_OP_RAMP,
    TN_OP_CLAMP,
    TN_OP_IF,
} tn_op;

typedef struct tn_instruction {
    tn_op op;
    double number; // TN_OP_NUMBER only
} tn_instruction;

struct tn_expression {
    const char *text; // as the scene says it
    int n;
    tn_instruction code[]; // the compiler has checked that the stack neither under- nor overflows
};
