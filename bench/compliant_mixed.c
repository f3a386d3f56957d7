// What elasticity costs: scenes of joints and contacts at 10 ms, elastic and rigid, step by step in turns.
#include "compliant.h"

#include "peers.h"

enum { MIXED_SETS = 12, MIXED_STEPS = 800 };

typedef struct mixed {
    const char *name, *scene;
    int steps, quick_steps;
    const char *both[2];           // overrides of both; NULL: none
    const char *elastic;           // of the elastic one
    const char *rigid[MIXED_SETS]; // of the rigid one
} mixed;

#define RIGID_AXIS(n) "joints.axis" n ".turn.motor.stiffness=infinite", "joints.axis" n ".turn.motor.damping=0"
#define WELD(corner) "joints.rubber_" corner "={type: weld, a: carrier_" corner ", b: hub_" corner "}"

static const mixed CASES[] = {
    {"robot: servos, rigid drives",
     "compliant/elastic_robot.yaml",
     300,
     300,
     {NULL},
     NULL,
     {RIGID_AXIS("1"), RIGID_AXIS("2"), RIGID_AXIS("3"), RIGID_AXIS("4"), RIGID_AXIS("5"), RIGID_AXIS("6")}},
    {"car: bushings, welds",
     "compliant/car.yaml",
     800,
     800,
     {NULL},
     NULL,
     {WELD("fl"), WELD("fr"), WELD("rl"), WELD("rr")}},
    {"1000 spheres: steel, rigid",
     "rigid/balls1000.yaml",
     250,
     40,
     {"step=10 ms", "materials.stone.density=7800"},
     "pairs=[{materials: [stone, stone], contact_modulus: 2e11 Pa}]",
     {NULL}},
};

static bool open_one(play *p, const bench_options *options, const mixed *of, bool elastic)
{
    const char *set[2 + MIXED_SETS];
    int n = 0;
    for (int k = 0; k < 2 && of->both[k]; k++) {
        set[n++] = of->both[k];
    }
    if (elastic && of->elastic) {
        set[n++] = of->elastic;
    }
    for (int k = 0; !elastic && k < MIXED_SETS && of->rigid[k]; k++) {
        set[n++] = of->rigid[k];
    }
    return play_file(p, options, of->scene, n, set);
}

typedef struct mixed_side {
    play p;
    double seconds[MIXED_STEPS], mean, median, contacts, natural, law;
} mixed_side;

static bool step_one(mixed_side *side, int i)
{
    double start = peer_seconds();
    bool ok = play_step(&side->p);
    side->seconds[i] = peer_seconds() - start;
    side->contacts += tn_sim_contact_count(side->p.sim);
    side->natural = fmax(side->natural, side->p.report.solve.certificate.natural);
    side->law = fmax(side->law, side->p.report.spring_residual);
    return ok;
}

static void finish(mixed_side *side, int steps)
{
    for (int i = 0; i < steps; i++) {
        side->mean += side->seconds[i] / steps;
    }
    side->contacts /= steps;
    side->median = bench_median(steps, side->seconds);
    play_close(&side->p);
}

static int run_case(const bench_options *options, const mixed *of, table *t)
{
    static mixed_side elastic, rigid; // too large for a stack
    elastic = rigid = (mixed_side){.mean = 0.0};
    int steps = options->quick ? of->quick_steps : of->steps;
    bool ok = open_one(&elastic.p, options, of, true);
    ok = open_one(&rigid.p, options, of, false) && ok;
    for (int i = 0; i < steps && ok; i++) { // the first of each pair changes
        mixed_side *first = i % 2 ? &rigid : &elastic, *second = i % 2 ? &elastic : &rigid;
        ok = step_one(first, i) && step_one(second, i);
    }
    finish(&elastic, steps);
    finish(&rigid, steps);
    table_word(t, "%s", of->name);
    table_number(t, "%.0f", steps);
    table_number(t, "%.0f", elastic.contacts);
    table_number(t, "%.4f", 1e3 * elastic.median);
    table_number(t, "%.4f", 1e3 * rigid.median);
    table_number(t, "%.2f", elastic.median / rigid.median);
    table_number(t, "%.4f", 1e3 * elastic.mean);
    table_number(t, "%.4f", 1e3 * rigid.mean);
    table_number(t, "%.2f", elastic.mean / rigid.mean);
    table_number(t, "%.1e", elastic.natural);
    table_number(t, "%.1e", rigid.natural);
    table_number(t, "%.1e", elastic.law);
    table_row(t);
    return !ok;
}

int compliant_mixed(const bench_options *options, table *t)
{
    const char *heads[] = {"scene",    "steps",       "contacts",       "ms, median", "rigid, median", "ratio",
                           "ms, mean", "rigid, mean", "ratio of means", "natural",    "rigid's",       "law"};
    table_open(t, "compliant: elastic and rigid in turns, h 10 ms", 12, heads);
    int failures = 0;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        failures += run_case(options, &CASES[k], t);
    }
    table_note(t, "times: processor time of a step; natural: worst natural map of a step; law: worst residual of the "
                  "springs' law");
    table_close(t);
    return failures;
}
