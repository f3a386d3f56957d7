"""Problems: views that are the problem's, solved and certified from Python, files, lifetimes, refusals."""
import gc
import os
import signal
import tempfile
import unittest
from pathlib import Path

import numpy as np

import tenon

SCENE = """
step: 10 ms
materials: {default: {density: 500, friction: 0.4}}
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  box: {position: [0, 0, 0.1], velocity: [1, 0, 0], shape: {box: [0.2, 0.2, 0.2]}}
  ball: {position: [1, 0, 0.1], shape: {sphere: 0.1}}
"""
ARM = """
coordinates: COORDINATES
bodies: {floor: {fixed: true, shape: {plane: {}}}, arm: {mass: 1, position: [0, 0, 0.2], shape: {box: [0.5, 0.1, 0.4]}}}
joints: {hinge: {type: revolute, b: arm, anchor: [-0.25, 0, 0.4], axis: [0, 1, 0]}}
"""


def stepped(text, n=1):
    model = tenon.Model(text=text)
    state, sim = tenon.State(model), tenon.Sim(model)
    sim.step(state, n=n)
    return state, sim


def dense(blocks, n):
    """A matrix of block rows, written out."""
    full = np.zeros((3 * n, 3 * n))
    for i in range(n):
        for k in range(blocks["start"][i], blocks["start"][i + 1]):
            j = blocks["column"][k]
            full[3 * i: 3 * i + 3, 3 * j: 3 * j + 3] = blocks["value"][k]
    return full


def jacobian(problem):
    """J of contacts, written out."""
    rows, n = problem.rows, len(problem.b)
    full = np.zeros((3 * problem.n_contacts, n))
    for c in range(problem.n_contacts):
        for k in range(rows["start"][c], rows["start"][c + 1]):
            b = rows["block"][k]
            full[3 * c: 3 * c + 3, 3 * b: 3 * b + 3] = rows["jacobian"][k]
    return full


class Problems(unittest.TestCase):
    def test_interrupt(self):
        """Ctrl-C ends a solve that would go on for hours, and the problem is as before."""
        balls = "".join(f"  b{k}: {{position: [{0.03 * (k % 3)}, 0, {0.1 + 0.19 * k}], shape: {{sphere: 0.1}}}}\n" for k in range(12))
        state, sim = stepped(SCENE + balls, n=20)
        problem = sim.problem()
        before = problem.solve("pgs")

        def ring(*unused):
            raise KeyboardInterrupt
        old = signal.signal(signal.SIGALRM, ring)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with self.assertRaises(KeyboardInterrupt):
                problem.solve("ccs", natural=1e-300, max_iterations=2**31 - 1)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
        np.testing.assert_array_equal(problem.solve("pgs")["forces"], before["forces"])

    def test_balance_and_law(self):
        """A v = b + J^T forces and Coulomb's law, by numpy from the views."""
        state, sim = stepped(SCENE)
        problem = sim.problem()
        self.assertEqual((problem.law, problem.step, problem.n_contacts), ("coulomb", 0.01, 5))
        found = problem.solve(natural=1e-12, momentum=1e-12)
        self.assertTrue(found["converged"])
        A, J = dense(problem.A, len(problem.b) // 3), jacobian(problem)
        np.testing.assert_allclose(A @ found["v"], problem.b + J.T @ found["forces"], atol=1e-12 * abs(problem.b).max())
        u = (J @ found["v"] + problem.rows["offset"]).reshape(-1, 3)
        f, mu = found["forces"].reshape(-1, 3), problem.rows["mu"][:, 0]
        self.assertEqual(set(mu), {0.4})
        np.testing.assert_allclose(f[:, 0] * u[:, 0], 0, atol=1e-10)
        slides = np.linalg.norm(u[:, 1:], axis=1) > 1e-6
        self.assertEqual(slides.sum(), 4)  # the box's corners
        np.testing.assert_allclose(np.linalg.norm(f[slides, 1:], axis=1), 0.4 * f[slides, 0], rtol=1e-9)
        # The simulation's own step is this problem's solution; how the box's corners share its weight is open.
        np.testing.assert_allclose(f[:, 0].sum(), sim.contacts["force"][:, 2].sum(), rtol=1e-7)

    def test_certificate(self):
        _, sim = stepped(SCENE)
        problem = sim.problem()
        found = problem.solve("pgs")
        self.assertEqual(found["solver"], "pgs")
        certificate = problem.certify(found)
        for name in ("momentum", "natural", "cone", "dissipation"):
            self.assertEqual(certificate[name], found["certificate"][name])
        forces = found["forces"].copy()
        forces[0] *= 1.1
        self.assertGreater(problem.certify({"v": found["v"], "forces": forces})["momentum"], 1e-3)
        # A start that is the solution needs no step; another law has another solution.
        self.assertLessEqual(problem.solve("pgs", start=found)["iterations"], 1)
        self.assertGreater(problem.certify(problem.solve(law="convex"))["natural"], 1e-3)
        self.assertLess(problem.certify(problem.solve(law="convex"), law="convex")["natural"], 1e-7)

    def test_every_solver(self):
        self.assertEqual(list(tenon.solvers())[:2], ["auto", "cond"])
        _, sim = stepped(SCENE)
        problem = sim.problem()
        reference = problem.solve("ipm", natural=1e-10)
        taken = 0
        for solver in tenon.solvers():
            try:
                found = problem.solve(solver)
            except tenon.InputError:
                continue
            if found["converged"] and solver != "penalty":
                taken += 1
                np.testing.assert_allclose(found["v"], reference["v"], atol=1e-6, err_msg=solver)
        self.assertGreaterEqual(taken, 9)

    def test_coordinates(self):
        """A mechanism's problem is one of bodies or, in reduced coordinates, of rates: both have the same motion."""
        found = []
        for coordinates in ("maximal", "reduced"):
            state, sim = stepped(ARM.replace("COORDINATES", coordinates))
            problem = sim.problem()
            found.append((problem.solve(natural=1e-10, joint=1e-10), state.velocities))
            self.assertLess(found[-1][0]["certificate"]["momentum"], 1e-8)
        np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-6)

    def test_files(self):
        _, sim = stepped(SCENE)
        problem = sim.problem()
        found = problem.solve(natural=1e-12)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "problem.hdf5"
            problem.save(path, solution=problem.solve(law="convex"), law="convex")
            self.assertEqual((tenon.Problem(path).law, problem.law), ("convex", "coulomb"))
            self.assertRaises(ValueError, problem.save, path, law="convx")
            problem.save(path, title="a box and a ball", solution=found)
            self.assertEqual(tenon.Problem(path).law, "coulomb")
            again = tenon.Problem(path)
            self.assertEqual((again.title, again.n_contacts, again.step, again.law), ("a box and a ball", 5, 1.0, "coulomb"))
            np.testing.assert_allclose(again.A["value"], 0.01 * problem.A["value"], rtol=1e-15)
            solved = again.solve(natural=1e-12)
            np.testing.assert_allclose(solved["v"], found["v"], atol=1e-9)
            notes = Path(folder) / "notes"
            notes.write_text("mine")
            with self.assertRaises(OSError):
                problem.save(notes)
            self.assertEqual(notes.read_text(), "mine")
            with self.assertRaises(tenon.InputError):
                tenon.Problem(notes)
            with self.assertRaises(OSError):
                tenon.Problem(Path(folder) / "missing")
        data = Path(__file__).resolve().parents[1] / "problems" / "piles" / "spheres_64.hdf5"
        pile = tenon.Problem(data)
        self.assertLess(pile.solve(natural=1e-8, fclib=0)["certificate"]["natural"], 1e-8)

    def test_views_outlive(self):
        """Arrays are the problem's memory, which they keep; the step's problem goes, its copy stays."""
        state, sim = stepped(SCENE)
        problem = sim.problem()
        value, b, rows = problem.A["value"], problem.b, problem.rows
        self.assertEqual(value.ctypes.data, problem.A["value"].ctypes.data)
        kept = value.copy(), b.copy(), rows["jacobian"].copy()
        sim.step(state, n=5)
        del problem, sim, state
        gc.collect()
        for array, copy in zip((value, b, rows["jacobian"]), kept):
            np.testing.assert_array_equal(array, copy)
            with self.assertRaises(ValueError):
                array[...] = 0

    def test_refusals(self):
        state, sim = stepped(SCENE)
        problem = sim.problem()
        for solver in ("none", "direct"):  # which knows no contacts
            with self.assertRaises(tenon.InputError):
                problem.solve(solver)
        for wrong in ({"law": "coulom"}, {"start": {}}, {"start": {"v": np.zeros(3), "forces": np.zeros(15)}}, {"start": 3}):
            with self.assertRaises(ValueError):
                problem.solve(**wrong)
        with self.assertRaises(tenon.Error):
            problem.solve(start={"v": np.full(len(problem.b), np.nan), "forces": np.zeros(15)})
        with self.assertRaises(RuntimeError):
            tenon.Sim(state.model).problem()
        with self.assertRaises(tenon.InputError):  # FCLIB has no place for joints
            stepped(ARM.replace("COORDINATES", "maximal"))[1].problem().save("/tmp/tenon_no_problem.hdf5")
        self.assertFalse(os.path.exists("/tmp/tenon_no_problem.hdf5"))


if __name__ == "__main__":
    unittest.main()
