"""tenon.plan: problems of arrays, systems of models, the closed loop."""
import os
import signal
import unittest

import numpy as np
import tenon
import tenon.plan as tp

SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scenes", "mpc")


def wall(h=0.1):
    """A mass pushed by u, in front of a wall at 1 m."""
    A = np.array([[1, h], [0, 1]])
    return tp.LCS(A=A, B=np.array([[h * h], [h]]), C=np.array([[-h], [-1.0]]), D=np.array([[-1.0, 0.0]]), offset=np.array([1.0]), step=h)


class Arrays(unittest.TestCase):
    def problem(self, **more):
        given = dict(horizon=8, Q=[1.0, 0.1], R=[0.01], x0=[0.7, 2.0], x_ref=[0.5, 0.0], x_low=[-3, -9], x_high=[3, 9], u_low=-5, u_high=5)
        given.update(more)
        return tp.Problem(wall(), **given)

    def test_rows_of_one_are_not_repeated(self):
        for wrong in (dict(x0=[1.0]), dict(x_ref=[0.5]), dict(Q=[1.0]), dict(x_low=[[-3.0]]), dict(Qf=[[1.0]])):
            with self.assertRaisesRegex(ValueError, next(iter(wrong))):
                self.problem(**wrong)

    def test_optimum(self):
        problem = self.problem()
        plan, oracle = problem.solve("miqp"), problem.solve("enumerate")
        self.assertEqual(plan.status, "optimal")
        self.assertAlmostEqual(plan.cost, oracle.cost, delta=1e-8 * oracle.cost)
        self.assertTrue(plan.mode.any() and not plan.mode.all())
        self.assertEqual((plan.x.shape, plan.u.shape, plan.c.shape, plan.mode.shape), ((9, 2), (8, 1), (8, 1), (8, 1)))
        lcs = wall()
        for k in range(8):
            np.testing.assert_allclose(plan.x[k + 1], lcs.A @ plan.x[k] + lcs.B @ plan.u[k] + lcs.C @ plan.c[k], atol=1e-9)
        cost = sum((plan.x[k] - [0.5, 0]) @ np.diag([1, 0.1]) @ (plan.x[k] - [0.5, 0]) for k in range(9)) + 0.01 * (plan.u**2).sum()
        self.assertAlmostEqual(cost, plan.cost, delta=1e-9)

    def test_sets(self):
        rows = self.problem(u_rows=([[1.0], [-1.0]], [0.25, 0.5])).solve()
        self.assertLess(rows.u.max(), 0.25 + 1e-9)
        self.assertAlmostEqual(rows.u.min(), -0.5, delta=1e-6)
        none = self.problem(x_high=[0.6, 9]).solve()
        self.assertEqual((none.status, none.found), ("infeasible", False))

    def test_guards(self):
        """The velocity level: the wall takes all speed in the step in which it would be met, where the position level goes up to it."""
        lcs, at_position = wall(), self.problem(u_low=-0.1, u_high=0.1)
        lcs.guard, lcs.guard_offset, lcs.D, lcs.offset = lcs.D, lcs.offset, np.array([[0.0, -1.0]]), np.array([0.0])
        problem = self.problem(u_low=-0.1, u_high=0.1)
        problem.solve()
        problem.set_system(lcs)  # one with guards in the place of one without
        plan, oracle = problem.solve(), problem.solve("enumerate")
        self.assertAlmostEqual(plan.cost, oracle.cost, delta=1e-8 * oracle.cost)
        self.assertEqual(list(plan.mode[:2, 0]), [2, 1])
        self.assertAlmostEqual(plan.x[2, 0], plan.x[1, 0], delta=1e-9)
        self.assertLess(plan.x[2, 0], at_position.solve().x[2, 0] - 0.01)
        with self.assertRaisesRegex(tenon.InputError, "does not have guards"):
            problem.solve("mpcc")

    def test_forces_without_cost(self):
        """Three forces that act on one state: active rows that depend on one another but for the little that makes the
        cost strictly convex. Plans off by 0.9 counted as optimal, at less cost than the optimum."""
        lcs = tp.LCS(A=[[1.05819]], B=[[0.92023, 0.5771]], C=[[-0.63646, 0.54195, -0.3166]], D=[[1.00027], [0.13632], [1.53203]],
                     E=[[1.34953, 0.55329, 0.45008], [0.55329, 0.72028, 0.22797], [0.45008, 0.22797, 0.44232]], offset=[-0.65997, -0.31179, 0.33777],
                     D0=[[-2.17204], [-0.37015], [0.16438]])
        problem = tp.Problem(lcs, 2, Q=[1.73044], R=[0.30644, 0.53177], Qf=[0.35743], x0=[-13.05473], x_ref=[-0.06136], x_low=-10, x_high=10,
                             x_rows=([[2.28991]], [0.67078]))
        plan, oracle = problem.solve("miqp"), problem.solve("enumerate")
        self.assertEqual((plan.status, oracle.status), ("optimal", "optimal"))
        self.assertAlmostEqual(plan.cost, oracle.cost, delta=1e-6 * oracle.cost)
        for method in ("miqp", "enumerate", "admm", "mpcc"):
            found = problem.solve(method)
            self.assertTrue(not found.found or found.residual < 1e-6, found)

    def test_budget_of_every_method(self):
        """2^20 modes take longer than the budget."""
        problem = self.problem(horizon=20)
        for method in ("miqp", "admm", "mpcc", "enumerate"):
            plan = problem.solve(method, time_budget=0.2)
            self.assertLess(plan.seconds, 5.0)
            self.assertIn(plan.status, ("none", "feasible") if method == "enumerate" else ("none", "feasible", "optimal"))

    def test_interrupt(self):
        """Ctrl-C ends a search; the planner goes on from a later call."""
        problem = self.problem(horizon=20)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        was = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with self.assertRaises(KeyboardInterrupt):
                problem.solve("enumerate")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, was)
        self.assertEqual(problem.solve("miqp").status, "optimal")

    def test_nothing_to_choose(self):
        """Neither inputs nor forces: every method has the motion itself."""
        lcs = tp.LCS(A=[[0.5, 0.1], [0.0, 0.9]], B=np.zeros((2, 0)), C=np.zeros((2, 0)), D=np.zeros((0, 2)), offset=[])
        for method in ("miqp", "admm", "mpcc", "enumerate"):
            plan = tp.Problem(lcs, 1, Q=[1.0, 1.0], R=[], x0=[1.0, 2.0]).solve(method)
            np.testing.assert_allclose(plan.x[1], [0.7, 1.8])

    def test_mistakes(self):
        with self.assertRaisesRegex(ValueError, "no method 'simplex'"):
            self.problem().solve("simplex")
        with self.assertRaises(tenon.InputError):
            self.problem(R=[-1.0]).solve()
        with self.assertRaises(ValueError):
            self.problem().set_system(tp.LCS(A=np.eye(3), B=np.zeros((3, 1)), C=np.zeros((3, 1)), D=np.zeros((1, 3)), offset=[0.0]))


class Models(unittest.TestCase):
    def setUp(self):
        self.model = tenon.Model(os.path.join(SCENES, "cart_pole_walls.yaml"))
        self.state = tenon.State(self.model)

    def test_system(self):
        source = tp.Source(self.model, ["hinge:turn", "rail:slide"], inputs=["rail:slide", "pole.fx"], step=0.01)
        self.assertEqual(source.names, ("hinge:turn", "rail:slide"))
        source.write([0.1, 0.2, 0.3, 0.4], self.state)
        np.testing.assert_allclose(source.read(self.state), [0.1, 0.2, 0.3, 0.4], atol=1e-12)
        lcs = source.linearize(self.state)
        self.assertEqual(lcs.sizes, (4, 2, 2))
        self.assertEqual([row[0] for row in lcs.rows], ["normal", "normal"])
        self.assertGreater(lcs.E[0, 0], 0)
        x, _ = source.step(self.state, [3.0, -1.0])
        np.testing.assert_allclose(x, lcs.A @ [0.1, 0.2, 0.3, 0.4] + lcs.B @ [3.0, -1.0] + lcs.F, atol=1e-9)
        sim = tenon.Sim(self.model)
        act = source.act([3.0, -1.0])
        sim.step(self.state, **act, n=2)
        np.testing.assert_allclose(source.read(self.state), x, atol=2e-3)
        with self.assertRaisesRegex(tenon.InputError, "no coordinate 'rail:turn'"):
            tp.Source(self.model, ["rail:turn"])

    def test_level_and_points(self):
        """A box on a table: one point or its four corners, gaps or, with guards that turn them on, their rates."""
        model = tenon.Model(text="bodies: {table: {fixed: true, shape: {plane: {}}}, box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}}")
        systems = {(level, points): tp.Source(model, level=level, points=points).linearize(tenon.State(model)) for level in ("position", "velocity") for points in (1, 4)}
        self.assertEqual([lcs.sizes[2] for lcs in systems.values()], [1, 4, 1, 4])
        np.testing.assert_array_equal(systems["position", 4].guard_offset, -np.inf)
        np.testing.assert_allclose(systems["velocity", 4].guard, systems["position", 4].D)
        np.testing.assert_allclose(systems["velocity", 4].D[:, 6:], systems["position", 4].D[:, :6])

    def test_closed_loop(self):
        """From starts where a regulator that knows no walls fails, the planner leans the pole against them and comes back."""
        Q, R, limit = np.diag([10.0, 50.0, 1.0, 1.0]), np.array([[0.1]]), 6.0
        source = tp.Source(self.model, ["rail:slide", "hinge:turn"], inputs=["rail:slide"], step=0.04)

        class Blind:
            def __init__(self):
                self.source = tp.Source(source.model, source.names, source.inputs)
                state = tenon.State(source.model)
                self.source.write(np.zeros(4), state)
                lcs = self.source.linearize(state)
                self.gain = tp.riccati(lcs.A, lcs.B, Q, 0.1 * R)[1]

            def solve(self, state):
                x = self.source.read(state)
                return tp.Solve(state.time, x, np.clip(-self.gain @ x, -limit, limit), None, None)

        for x0 in ([0.0, -0.23, 0.12, 3.23], [0.01, 0.21, 0.09, -3.4]):
            ends = []
            for controller, every in (
                (Blind(), 1),
                (tp.Controller(source, 10, "miqp", dict(node_budget=60), "riccati", Q=Q, R=R, u_low=-limit, u_high=limit,
                               x_low=np.array([-4, -1.2, -20, -30]), x_high=np.array([4, 1.2, 20, 30])), 8)):
                source.write(x0, self.state)
                solves = list(tp.closed_loop(controller, self.state, tenon.Sim(self.model), 3.0, every))
                ends.append(abs(source.read(self.state)).max())
            self.assertGreater(ends[0], 0.5)
            self.assertLess(ends[1], 0.1)
            self.assertTrue(any(s.plan.mode.any() for s in solves))


if __name__ == "__main__":
    unittest.main()
