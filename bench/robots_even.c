// Robots: how fast each engine is at the same error, by its own curve of pace over error.
#include "robots.h"

#include <math.h>

robots_point robots_at(const robots_curve *c, double error)
{
    robots_point best = {NAN, NAN};
    for (int k = 0; k < c->n; k++) {
        double e = c->error[k], before = k > 0 ? c->error[k - 1] : (double)NAN;
        if (!(e <= error)) {
            continue;
        }
        bool between = before > error && e > 0.0;
        double part = between ? log(error / e) / log(before / e) : 0.0;
        double faster = between ? c->pace[k - 1] / c->pace[k] : 1.0,
               longer = between ? c->step[k - 1] / c->step[k] : 1.0;
        robots_point at = {c->step[k] * pow(longer, part), c->pace[k] * pow(faster, part)};
        best = at.pace <= best.pace ? best : at;
    }
    return best;
}

void robots_open_even(table *t)
{
    table_open(t, "Robots at equal errors", 9,
               (const char *[]){"robot", "error mm", "tenon h ms", "tenon s/s", "mujoco h ms", "mujoco s/s",
                                "tight h ms", "tight s/s", "times as fast"});
}

static void add_row(table *t, const char *robot, double error, const robots_curve curve[3])
{
    double ours = robots_at(&curve[0], error).pace, theirs = NAN;
    table_word(t, "%s", robot);
    table_number(t, "%g", 1e3 * error);
    for (int i = 0; i < 3; i++) {
        robots_point at = robots_at(&curve[i], error);
        table_number(t, "%.2f", 1e3 * at.step);
        table_number(t, "%.2f", at.pace);
        theirs = i > 0 ? fmax(theirs, at.pace) : theirs;
    }
    table_number(t, "%.2f", ours / theirs);
    table_row(t);
}

void robots_add_even(table *t, const char *robot, const robots_curve curve[3])
{
    static const double ROUND[] = {1.0, 2.0, 5.0};
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < curve[i].n; k++) {
            least = fmin(least, curve[i].error[k]);
            most = fmax(most, curve[i].error[k]);
        }
    }
    for (int decade = 0; decade > -6; decade--) { // from a metre down
        for (int i = 2; i >= 0; i--) {
            double error = ROUND[i] * pow(10.0, decade);
            if (error >= least && error < 2.5 * most) { // the first of them is beyond all
                add_row(t, robot, error, curve);
            }
        }
    }
}
