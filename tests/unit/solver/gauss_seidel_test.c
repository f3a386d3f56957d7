// Gauss-Seidel against Newton. tests/unit/solver/packed_test.c has the sweeps over bodies.
#include "friction_problem.h"

static const char *const LAWS[] = {"coulomb", "convex", "frictionless"};

// Newton converges fast where Gauss-Seidel crawls: a tall stack. The limit of 60 steps is twice a round.
static void newton_on_a_stack(void **state)
{
    enum { N = 20 };
    static double W[9 * N * N], q[3 * N];
    // Unit masses on top of each other, contact k between k - 1 and k: a tridiagonal W in every direction.
    for (int k = 0; k < N; ++k) {
        for (int i = 0; i < 3; ++i) {
            int row = 3 * k + i;
            W[row * 3 * N + row] = k == 0 ? 1.0 : 2.0;
            if (k > 0) {
                W[row * 3 * N + row - 3] = W[(row - 3) * 3 * N + row] = -1.0;
            }
        }
        q[3 * k] = k == 0 ? -1.0 : 0.0;
        q[3 * k + 1] = k == 0 ? 0.4 : 0.0;
    }
    friction_problem *f = friction_local(N, W, q, 0.5);
    for (int law = 0; law < 3; ++law) {
        f->problem.law = (tn_law)law;
        tn_solve_report newton = friction_solve(f, "newton", 1e-12);
        tn_solve_report pgs = friction_solve(f, "pgs", 1e-12);
        printf("stack of %d, %s: newton %d iterations (limit 60), pgs %d; weight on the floor %.12f (exact %d)\n", N,
               LAWS[law], newton.iterations, pgs.iterations, f->lambda[0], N);
        assert_true(newton.converged && newton.iterations <= 60);
        assert_true(pgs.converged && pgs.iterations > newton.iterations);
        assert_true(fabs(f->lambda[0] - N) <= 1e-9);
    }
    friction_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_on_a_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
