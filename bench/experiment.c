#include "experiment.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>

enum { SEED = 20 };

const experiment EXPERIMENT_MAT = {
    "mat",
    "cond, Table II: soft mat folding",
    "cond/soft_mat.yaml",
    "soft.mat.young",
    "soft.mat.poisson",
    {"materials.mat.friction", "pairs.0.friction"},
    {50e3, 100e3},
    {0.3, 0.4},
    {0.1, 0.5},
    1e-4,
    false,
    "force error mN",
    1e-3,
    {{"document: COND", 0.0033, 1.868, 9.568, 8.650, NAN, 39.72},
     {"document: PGS", 0.0328, 0.917, 9.599, 1412 - 898, 898, 50.59},
     {"document: APGD", 0.0576, 1.492, 9.563, 1645 - 890, 890, 81.57}},
    167.4,
    39.72,
    10,
    150,
    3000,
};
const experiment EXPERIMENT_BALL = {
    "ball",
    "cond, Table III: soft ball gripping",
    "cond/soft_ball.yaml",
    "soft.ball.young",
    "soft.ball.poisson",
    {"materials.rubber.friction", "materials.pad.friction"},
    {0.5e6, 2e6},
    {0.3, 0.4},
    {0.4, 0.6},
    1e-5,
    false,
    "force error N",
    1.0,
    {{"document: COND", 0.0058, 0.1560, 18.61, 8.464, NAN, 37.51},
     {"document: PGS", 1.9933, 0.3189, 18.51, 805.1 - 624, 624, 233.9},
     {"document: APGD", 0.2325, 0.1235, 18.43, 676.7 - 626, 626, 100.4}},
    138.8,
    37.51,
    10,
    150,
    3000,
};
const experiment EXPERIMENT_GRIPPER = {
    "gripper",
    "cond, Table VI: soft gripper",
    "cond/soft_gripper.yaml",
    "defaults.soft.young",
    "defaults.soft.poisson",
    {"materials.ecoflex.friction", "materials.object.friction"},
    {50e3, 100e3},
    {0.4, 0.49},
    {0.5, 2.1},
    1e-6,
    true,
    "force error N",
    1.0,
    {{"document: COND", 0.0005, 0.1169, 43.24, 18.24, NAN, 30.88},
     {"document: PGS", 0.0397, 0.1175, 42.89, 547.0 - 533, 533, 59.06},
     {"document: APGD", 0.0409, 0.1172, 42.78, 547.3 - 533, 533, 57.81}},
    155.7,
    30.88,
    35,
    150,
    1000,
};
const experiment EXPERIMENT_CABLE = {
    "cable",
    "cond, Table V: cable winding",
    "cond/cable.yaml",
    "rods.cable.young",
    "rods.cable.poisson",
    {"materials.cable.friction"},
    {4e6, 5e6},
    {0.4, 0.49},
    {0.5, 1.5},
    1e-4,
    false,
    "end force error N",
    1.0,
    {{"document: COND", 0.0021, 0.3996, 2.086, 1.229, NAN, 18.28},
     {"document: PGS", 0.0521, 0.3997, 2.103, 74.27 - 28.2, 28.2, 65.61},
     {"document: APGD", 0.0556, 0.3976, 2.112, 56.72 - 27.9, 27.9, 46.05}},
    40.14,
    18.28,
    500,
    5000,
    3000,
};

int experiment_draw(const experiment *e, int trial, char text[EXPERIMENT_SETS][EXPERIMENT_SET],
                    const char *set[EXPERIMENT_SETS])
{
    const range ranges[3] = {e->youngs, e->poissons, e->mus};
    double value[3];
    for (int k = 0; k < 3; k++) {
        double u = tn_random_uniform(SEED, (uint64_t)trial, (uint64_t)k);
        value[k] = ranges[k].low + u * (ranges[k].high - ranges[k].low);
    }
    int n = 0;
    snprintf(text[n++], EXPERIMENT_SET, "%s=%.17g", e->young, value[0]);
    snprintf(text[n++], EXPERIMENT_SET, "%s=%.17g", e->poisson, value[1]);
    for (int k = 0; k < 3 && e->friction[k]; k++) {
        snprintf(text[n++], EXPERIMENT_SET, "%s=%.17g", e->friction[k], value[2]);
    }
    snprintf(text[n++], EXPERIMENT_SET, "solver.max_iterations=5000");
    for (int i = 0; i < n; i++) {
        set[i] = text[i];
    }
    return n;
}
