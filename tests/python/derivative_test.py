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
