#include "rigid_pile.h"

#include <stdarg.h>

static const double SPACING = 0.21;   // of the scene [m]
static const double CLEARANCE = 0.05; // between the outermost spheres' cells and a wall [m]

__attribute__((format(printf, 2, 3))) static void add(pile *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (p->n_set < PILE_SETS) {
        p->set[p->n_set] = p->text[p->n_set];
        vsnprintf(p->text[p->n_set++], sizeof p->text[0], format, arguments);
    }
    va_end(arguments);
}

void pile_of(pile *p, int nx, int ny, int nz)
{
    double x = 0.5 * SPACING * nx + CLEARANCE, y = 0.5 * SPACING * ny + CLEARANCE;
    p->n_set = 0;
    add(p, "step=5e-3");
    add(p, "bodies.left.position=[%.6g,0,0]", -x);
    add(p, "bodies.right.position=[%.6g,0,0]", x);
    add(p, "bodies.front.position=[0,%.6g,0]", -y);
    add(p, "bodies.back.position=[0,%.6g,0]", y);
    add(p, "bodies.ball.position=[%.6g,%.6g,0.11]", -0.5 * SPACING * (nx - 1), -0.5 * SPACING * (ny - 1));
    add(p, "bodies.ball.array.count=[%d,%d,%d]", nx, ny, nz);
}

void pile_add(pile *p, const char *override)
{
    add(p, "%s", override);
}
