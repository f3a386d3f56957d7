"""Sim.linearize: numbers against closed forms, lifetimes, refusals."""
import gc
import unittest

import numpy as np

import tenon

BOX = """
step: 10 ms
materials: {wood: {density: 500, friction: 0.4}}
bodies:
  floor: {fixed: true, material: wood, shape: {plane: {}}}
  box: {position: [0, 0, 10 cm], velocity: [3, 0, 0], material: wood, shape: {box: [0.2, 0.2, 0.2]}}
"""
BOX_X = 12  # first number of the box in a change of the state; its velocity 18 further on


def linearized(**inputs):
    model = tenon.Model(text=BOX)
    return tenon.Sim(model).linearize(tenon.State(model), tenon.parameter("materials.wood.friction", 0.4, text=BOX), **inputs)


# A light body hangs by a ball joint from a heavy one that has a ball joint too: six rows on the heavy one, of which one
# follows from the others.
BALLS = """
step: 5 ms
gravity: [0, 0, 0]
bodies:
  heavy: {mass: 7, inertia: [0.05, 0.06, 0.07], shape: {sphere: 0.01}}
  light: {mass: 0.05, inertia: [4.7e-5, 4.7e-5, 7.5e-5], position: [0.03, 0.02, 0.02], angular_velocity: [14, 3, 19], shape: {sphere: 0.01}}
joints:
  one: {type: spherical, b: heavy, anchor: [0, 0, 0]}
  two: {type: spherical, a: heavy, b: light, anchor: [0.01, 0.01, 0.01]}
initial: {velocities: project}
"""
# Weight presses it against a limit, and friction sticks there; or a servo pushes too.
STOP = """
step: 5 ms
gravity: [3, 1, -9]
bodies: {bar: {mass: 7, inertia: [0.5, 0.6, 0.7], position: [0.3, 0.1, 0], shape: {sphere: 0.01}}}
joints: {post: {type: cylindrical, b: bar, anchor: [0.1, 0.2, 0.3], axis: [0, 1, 0.3], turn: {limits: [-1, 0.1], WITH}}}
"""
# A ball slides over a floor that pulls at it; rolling friction counts the pull too.
MAGNET = """
step: 10 ms
gravity: [1, 0.5, -9.81]
materials: {steel: {friction: 0.3, rolling: 1 mm}}
pairs: [{materials: [steel, steel], adhesion: 10 N}]
bodies:
  floor: {fixed: true, shape: {plane: {}, material: steel}}
  ball: {position: [0, 0, 0.1], velocity: [1, 0.3, 0], shape: {sphere: 0.1, material: steel}}
"""


def moved(state, dx):
    """The state with its bodies' places and velocities changed."""
    n, out = len(state.poses), state.copy()
    poses, way = state.poses.copy(), dx[: 6 * n].reshape(n, 6)
    for pose, d in zip(poses, way):
        (w, v), angle = (pose[3], pose[4:].copy()), np.linalg.norm(d[3:])
        c, s = np.cos(angle / 2), np.sin(angle / 2) * d[3:] / (angle or 1)
        pose[:3] += d[:3]
        pose[3], pose[4:] = c * w - s @ v, c * v + w * s + np.cross(s, v)
    out.set_bodies(poses, state.velocities + dx[6 * n:].reshape(n, 6))
    return out


class Differences(unittest.TestCase):
    """Velocities of steps to both sides against the derivative of one."""

    def compare(self, text, n, what, side, limit):
        model = tenon.Model(text=text, set=["solver.accuracy=tight"])
        state, sim = tenon.State(model), tenon.Sim(model)
        sim.step(state, n=n)
        rng, size = np.random.default_rng(2), 6 * model.n_rigid
        lin = sim.linearize(state, wrench=np.zeros((model.n_rigid, 6)), effort=np.zeros(len(model.coordinate_names)))
        dx, du = np.zeros(2 * size), np.zeros(size + len(model.coordinate_names))
        if what == "state":
            dx[6:size], dx[size + 6:] = 0.01 * rng.normal(size=size - 6), rng.normal(size=size - 6)
        else:
            du[6:] = rng.normal(size=len(du) - 6)
        want, smooth = lin.push(dx, du)
        self.assertEqual(smooth, 2)
        ends = []
        for way in (-side, side):
            near = moved(state, way * dx)
            sim.step(near, wrench=way * du[:size].reshape(-1, 6), effort=way * du[size:])
            ends.append(near.velocities.ravel())
        off = np.abs((ends[1] - ends[0]) / (2 * side) - want[size:]).max() / np.abs(want[size:]).max()
        print(f"derivative by {what}: off by {off:.1e} of the largest (limit {limit:g})")
        self.assertLess(off, limit)

    def test_two_ball_joints(self):
        self.compare(BALLS, 10, "input", 1e-4, 1e-6)
        self.compare(BALLS, 10, "state", 1e-4, 1e-6)

    def test_friction_at_a_limit(self):
        for friction in ("0", "0.3"):
            self.compare(STOP.replace("WITH", f"friction: {friction}"), 60, "state", 1e-4, 1e-6)

    def test_servo_at_a_limit(self):
        servo = "motor: {position: 0.3, stiffness: 50, damping: 1, strength: 300}"
        self.compare(STOP.replace("WITH", servo), 60, "input", 1e-4, 1e-6)

    def test_adhesion(self):
        self.compare(MAGNET, 3, "input", 1e-4, 1e-6)


class Derivatives(unittest.TestCase):
    def test_matrices(self):
        lin = linearized(wrench=np.zeros((3, 6)))
        A, B, P, rough = lin.matrices()
        self.assertEqual((A.shape, B.shape, P.shape, rough), ((36, 36), (36, 18), (36, 1), 0))
        v = BOX_X + 18
        np.testing.assert_allclose(A[BOX_X, [BOX_X, v]], [1, 0.01], atol=1e-8)
        np.testing.assert_allclose(B[v, 12], 0.01 / 4, atol=1e-9)
        np.testing.assert_allclose(P[v, 0], -9.81 * 0.01, atol=1e-7)
        self.assertEqual(list(lin.contacts["condition"]), [2] * 4)
        self.assertTrue(lin.unique)
        rng = np.random.default_rng(1)
        dx, du, g = np.zeros(36), np.zeros(18), rng.normal(size=36)
        dx[BOX_X:BOX_X + 6], dx[v:v + 6], du[12:] = rng.normal(size=6), rng.normal(size=6), rng.normal(size=6)
        out, smooth = lin.push(dx, du, [0.5])
        np.testing.assert_allclose(out, A @ dx + B @ du + P[:, 0] * 0.5, atol=1e-5)
        self.assertEqual(smooth, 2)
        for pulled, matrix in zip(lin.pull(g), (A, B, P)):
            np.testing.assert_allclose(pulled, g @ matrix, atol=1e-9)

    def test_lifetime(self):
        lin = linearized(gravity=[0, 0, -9.81])
        gc.collect()
        next_state = lin.next
        push, _ = lin.push(du=[0, 0, 1])
        self.assertEqual(push.shape, (36,))
        del lin
        gc.collect()
        self.assertGreater(next_state.velocities[2, 0], 2.9)

    def test_refusals(self):
        model = tenon.Model(text=BOX)
        state, sim = tenon.State(model), tenon.Sim(model)
        lin = sim.linearize(state)
        with self.assertRaisesRegex(RuntimeError, "still in use"):
            sim.set("law=convex")
        with self.assertRaises(ValueError):
            lin.push(np.zeros(3))
        with self.assertRaises(ValueError):
            lin.pull(np.zeros(3))
        with self.assertRaises(TypeError):
            sim.linearize(state, n=2)
        with self.assertRaises(TypeError):
            sim.linearize(state, 0.4)
        with self.assertRaisesRegex(tenon.InputError, "other bodies"):
            other = tenon.Model(text="bodies: {one: {shape: {sphere: 1}}}")
            sim.linearize(state, (other, other, 1.0))
        del lin
        gc.collect()
        sim.set("law=convex")


if __name__ == "__main__":
    unittest.main()
