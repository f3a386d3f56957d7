"""Dynamics of mechanisms: against closed forms of a double pendulum; inverse kinematics; refusals."""
import math
import unittest

import numpy as np

import tenon

# Two rods of 1 m and 1 kg that hang from the origin, turning about y.
PENDULUM = """
coordinates: reduced
gravity: [0, 0, -10]
defaults: {body: {shape: {capsule: {radius: 1 cm, length: 0.9}}, mass: 1}, joint: {type: revolute, axis: [0, 1, 0]}}
bodies:
  one: {position: [0, 0, -0.5]}
  two: {position: [0, 0, -1.5]}
joints:
  top: {b: one, anchor: [0, 0, 0]}
  knee: {a: one, b: two, anchor: [0, 0, -1], turn: {limits: [-2, 0]}}
"""


class Dynamics(unittest.TestCase):
    def setUp(self):
        self.model = tenon.Model(text=PENDULUM)
        self.state = tenon.State(self.model)
        self.dynamics = tenon.Dynamics(self.state)

    def test_closed_form(self):
        d = self.dynamics
        self.assertEqual(d.names, self.model.coordinate_names)
        q, v = np.array([0.3, -0.8]), np.array([1.0, 2.0])
        d.set(self.state, q, v)
        np.testing.assert_allclose(self.state.coordinates, q, atol=1e-12)
        np.testing.assert_allclose(d.rates, v, atol=1e-12)
        # Inertia about the own center from what the mass matrix says of the last link alone: M_22 = I + 1/4.
        inertia = d.mass()[1, 1] - 0.25
        c, s = math.cos(q[1]), math.sin(q[1])
        m12 = inertia + 0.25 + 0.5 * c
        mass = [[2 * inertia + 0.25 + 1.25 + c, m12], [m12, inertia + 0.25]]
        np.testing.assert_allclose(d.mass(), mass, atol=1e-12)
        g1 = 10 * (1.5 * math.sin(q[0]) + 0.5 * math.sin(q.sum()))
        bias = [-0.5 * s * (2 * v[0] * v[1] + v[1] ** 2) + g1, 0.5 * s * v[0] ** 2 + 5 * math.sin(q.sum())]
        np.testing.assert_allclose(d.inverse(), bias, atol=1e-12)
        force = np.array([1.0, -2.0])
        np.testing.assert_allclose(d.forward(force), np.linalg.solve(mass, force - bias), atol=1e-10)
        np.testing.assert_allclose(d.inverse(d.forward(force)), force, atol=1e-10)
        tip = d.jacobian("two", (0, 0, -0.5)) @ v
        way = v[0] * np.array([-math.cos(q[0]), 0, math.sin(q[0])]) + v.sum() * np.array([-math.cos(q.sum()), 0, math.sin(q.sum())])
        np.testing.assert_allclose(tip, [*way, 0, v.sum(), 0], atol=1e-12)
        c = d.centroid()
        self.assertAlmostEqual(c["mass"], 2)
        np.testing.assert_allclose(c["momentum"], 2 * np.array(c["velocity"]), atol=1e-12)

    def test_named_frames(self):
        # A site and a body without joints, both turned, on a link that is turned itself.
        model = tenon.Model(text="""<mujoco><compiler angle="degree"/><worldbody><body name="arm" pos="0 0 1" euler="0 0 30">
            <joint name="swing" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.05"/><body name="hand" pos="1 0 0">
            <joint name="bend" axis="0 1 0"/><geom size="0.1"/><site name="tip" pos="0.2 0.1 0" euler="90 0 40"/>
            <body name="tool" pos="0 0 0.3" euler="0 20 0"/></body></body></worldbody></mujoco>""")
        state = tenon.State(model)
        self.assertEqual(model.frame_names, ("tool", "tip"))
        body, mount = model.frame("tip")
        self.assertEqual(body, model.body("hand"))
        np.testing.assert_allclose(mount[:3], [0.2, 0.1, 0], atol=1e-12)
        d = tenon.Dynamics(state)
        d.set(state, [0.3, -0.5])
        tip, tool = state.frame("tip"), state.frame("tool")
        np.testing.assert_allclose(d.jacobian("tip"), d.jacobian("hand", (0.2, 0.1, 0)), atol=1e-12)
        np.testing.assert_allclose(state.joint_jacobian("tool", (0, 0, 1)) @ [1, 0], d.jacobian("tool", (0, 0, 1))[:, 0], atol=1e-12)
        self.assertGreater(np.linalg.norm(tool[:3] - tip[:3]), 0.3)
        for name, goal in ("tip", tip), ("tool", tool):
            d.set(state, [0.2, -0.3])
            self.assertTrue(d.reach(state, name, goal[:3], goal[3:])["reached"])
            np.testing.assert_allclose(state.coordinates, [0.3, -0.5], atol=1e-5)
        eps = 1e-6 # where a point of the frame goes
        d.set(state, [0.3 + eps, -0.5])
        np.testing.assert_allclose((state.frame("tip")[:3] - tip[:3]) / eps, d.jacobian("tip")[:3, 0], atol=1e-5)
        for call in (lambda: d.jacobian("no"), lambda: state.frame("no"), lambda: model.frame("no"), lambda: state.frame("hand")):
            self.assertRaises(KeyError, call)

    def test_reach(self):
        d = self.dynamics
        d.set(self.state, [0.1, -0.4])
        place = (-0.8, 0.0, -1.2)
        found = d.reach(self.state, "two", place, point=(0, 0, -0.5))
        self.assertTrue(found["reached"] and found["iterations"] < 50)
        q = self.state.coordinates
        tip = -np.array([math.sin(q[0]) + math.sin(q.sum()), 0, math.cos(q[0]) + math.cos(q.sum())])
        np.testing.assert_allclose(tip, place, atol=2e-6)
        self.assertTrue(-2 <= q[1] <= 0)
        self.assertFalse(d.reach(self.state, "two", (5, 0, 0))["reached"])

    def test_refusals(self):
        d = self.dynamics
        other = tenon.State(tenon.Model(text=PENDULUM))
        for kind, call in [
            (TypeError, lambda: tenon.Dynamics(self.model)),
            (TypeError, lambda: d.update(3)),
            (tenon.InputError, lambda: d.update(other)),
            (ValueError, lambda: d.forward([1, 2, 3])),
            (tenon.InputError, lambda: d.inverse([math.nan, 0])),
            (KeyError, lambda: d.jacobian("three")),
            (ValueError, lambda: d.set(self.state, [1])),
            (tenon.InputError, lambda: d.set(self.state, [math.inf, 0])),
            (tenon.InputError, lambda: d.reach(self.state, "two", (math.nan, 0, 0))),
            (ValueError, lambda: d.reach(self.state, "two", (0, 0))),
        ]:
            with self.assertRaises(kind):
                call()


if __name__ == "__main__":
    unittest.main()
