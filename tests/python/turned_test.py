"""A scene that is turned and moved as a whole, with gravity and all, moves the same: no law knows the world's axes.

    turned_test.py FIRST LAST [STEPS]   the scenes of these numbers (tests/cli/any_scene.py), for long hunts
"""
import copy
import json
import random
import sys
import unittest
import warnings
from pathlib import Path

import numpy as np

import tenon

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from any_scene import Draw  # noqa: E402

warnings.simplefilter("ignore")  # of robots' files

# Their second axis has a default of its own, which is some direction of the world's.
SECOND_AXIS = ("universal", "planar", "point_on_plane", "bushing", "cylindrical", "prismatic")


def product(p, q):
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def quaternion(rotation):
    """Of a scene's axis and angle, or quaternion; None: no rotation."""
    if rotation is None:
        return np.array([1.0, 0, 0, 0])
    if "quaternion" in rotation:
        return np.array(rotation["quaternion"], float)
    axis, half = np.array(rotation["axis"], float), 0.5 * rotation["angle"]
    return np.concatenate([[np.cos(half)], np.sin(half) * axis / np.linalg.norm(axis)])


def matrix(q):
    w, v = q[0], q[1:] / np.linalg.norm(q)
    w = w / np.linalg.norm(q)
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


class Turn:
    """x -> R x + d."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.q = np.array([draw.gauss(0.0, 1.0) for _ in range(4)])
        self.q /= np.linalg.norm(self.q)
        self.matrix, self.way = matrix(self.q), np.array([draw.uniform(-2.0, 2.0) for _ in range(3)])

    def direction(self, v):
        return (self.matrix @ np.array(v, float)).tolist()

    def place(self, x):
        return (self.matrix @ np.array(x, float) + self.way).tolist()

    def expressions(self, texts, way):
        return ["+".join(f"({m!r})*({text})" for m, text in zip(row.tolist(), texts)) + f"+({float(d)!r})"
                for row, d in zip(self.matrix, way)]

    def put(self, body):
        body["rotation"] = {"quaternion": product(self.q, quaternion(body.get("rotation"))).tolist()}
        body["position"] = self.place(body.get("position", [0, 0, 0]))
        for key in ("velocity", "angular_velocity"):
            if key in body:
                body[key] = self.direction(body[key])
        if "confine" in body:
            body["confine"]["normal"] = self.direction(body["confine"]["normal"])
        if "force" in body:
            body["force"] = self.expressions(body["force"], np.zeros(3))
        if "motion" in body:
            del body["position"]
            body["motion"]["position"] = self.expressions(body["motion"]["position"], self.way)
            body["motion"]["axis"] = self.direction(body["motion"].get("axis", [0, 0, 1]))

    def scene(self, scene):
        out = copy.deepcopy(scene)
        out["gravity"] = self.direction(scene.get("gravity", [0, 0, -9.81]))
        for section in ("bodies", "soft"):
            for body in out.get(section, {}).values():
                self.put(body)
        for rod in out.get("rods", {}).values():
            self.put(rod)
        for robot in out.get("robots", []):
            self.put(robot)
        for part in list(out.get("springs", {}).values()) + list(out.get("joints", {}).values()):
            for side in "ab":
                if part.get(side) == "world" and f"point_{side}" in part:
                    part[f"point_{side}"] = self.place(part[f"point_{side}"])
            if "anchor" in part:
                part["anchor"] = self.place(part["anchor"])
            for key in ("axis", "axis2"):
                if key in part:
                    part[key] = self.direction(part[key])
        return out

    def back(self, state):
        """Velocities, angular velocities, velocities of nodes as the scene has them that was not turned."""
        v = state.velocities
        return [x @ self.matrix for x in (v[:, :3], v[:, 3:], state.node_velocities)]


def differ(scene, turn, steps):
    """How far the turned scene's velocities are off, relative to the fastest ones: the worst of all steps."""
    start = [tenon.State(tenon.Model(text=json.dumps(s))) for s in (scene, turn.scene(scene))]
    sims = [tenon.Sim(state.model) for state in start]
    worst = 0.0
    for _ in range(steps):
        for sim, state in zip(sims, start):
            sim.step(state)
        v = start[0].velocities
        for here, there in zip((v[:, :3], v[:, 3:], start[0].node_velocities), turn.back(start[1])):
            if here.size:
                worst = max(worst, abs(here - there).max() / max(abs(here).max(), 1e-2))
    return worst


def drawn(seed):
    """A scene of any_scene whose motion is unique; None: it is jammed at the start."""
    scene, draw = Draw(seed, ROOT / "scenes/robots/models").scene(), random.Random(seed)
    direction = lambda: [draw.gauss(0.0, 1.0) for _ in range(3)]
    scene["solver"] = {"accuracy": "tight"}
    scene["initial"] = {"velocities": "project"}
    scene.pop("restitution_law", None)  # Poisson's has a polygon for friction
    if "robots" in scene:
        del scene["bodies"]["floor"]  # they bring one at the same place
    for joint in scene.get("joints", {}).values():
        if joint["type"] in SECOND_AXIS:
            joint["axis2"] = np.cross(joint["axis"], direction()).tolist()
    return None if tenon.State(tenon.Model(text=json.dumps(scene))).check()["overlaps"]["matters"] else scene


class Turned(unittest.TestCase):
    def same(self, scene, steps, most):
        for seed in range(6):
            self.assertLess(differ(scene, Turn(seed), steps), most)

    def test_grain(self):
        """On the face across a material's direction friction turns with the body, not with the world's axes."""
        self.same({"materials": {"wood": {"friction": {"mu1": 0.6, "mu2": 0.1, "direction": [1, 0, 0]}}},
                   "bodies": {"floor": {"fixed": True, "shape": {"plane": {}}},
                              "box": {"material": "wood", "position": [0, 0, 0.1], "velocity": [1, 1, 0],
                                      "rotation": {"axis": [0, 1, 0], "angle": 0.5 * np.pi},
                                      "shape": {"box": [0.2, 0.3, 0.4]}}}}, 10, 1e-9)

    def test_thrown(self):
        """A plate that flies past a ball: whether they meet does not depend on boxes along the world's axes."""
        self.same({"bodies": {"ball": {"position": [0.180, -0.348, 2.518], "shape": {"sphere": 0.1485}},
                              "plate": {"position": [0.106, -0.127, 2.685],
                                        "rotation": {"axis": [-0.545, -0.703, 0.0123], "angle": -0.243},
                                        "velocity": [-1.504, -0.655, -0.111], "angular_velocity": [-8.49, 3.98, -12.2],
                                        "shape": {"box": [0.3, 0.2, 0.0013]}}}}, 4, 1e-9)

    def test_mechanism(self):
        """Corrections of joints by forces are taken or left whatever axes their errors are counted along."""
        box = lambda *size: {"box": list(size)}
        self.same({"coordinates": "reduced",
                   "bodies": {"slider": {"position": [0.43, -0.26, 0.35], "shapes": [
                                  dict(box(0.08, 0.02, 0.08), position=[0, 0.01, -0.085]),
                                  dict(box(0.07, 0.07, 0.06), position=[-0.05, -0.035, 0.03])],
                                  "rotation": {"axis": [-0.43, -1.03, 0.5], "angle": 1.4}},
                              "nut": {"position": [0.54, -0.22, 0.39], "velocity": [-0.72, -1.56, -0.66],
                                      "angular_velocity": [11.1, -3.6, 0.9], "shape": box(0.1, 0.1, 0.16)}},
                   "joints": {"rail": {"type": "point_on_line", "b": "slider", "anchor": [0.43, -0.26, 0.425],
                                       "axis": [0.33, 0.91, 0.72], "slide": {"motor": {"velocity": 2.4}}},
                              "screw": {"type": "screw", "a": "slider", "b": "nut", "anchor": [0.48, -0.24, 0.37],
                                        "axis": [0.73, 0.70, 0.42], "pitch": 0.185}}}, 1, 1e-4)

    def test_drawn(self):
        for seed in range(60):
            scene = drawn(seed)
            if scene:
                with self.subTest(seed=seed):
                    self.assertLess(differ(scene, Turn(seed), 1), 1e-6)


class Apart(unittest.TestCase):
    """Mechanisms that nothing ties together do not change each other's motion."""

    def test_rotor(self):
        """A pendulum in full swing beside a rotor that turns by a radian in a step, or a soft ball, moves as if alone."""
        pendulum = {"arm": {"position": [0.5, 0, 0], "shape": {"box": [1, 0.1, 0.05]}},
                    "bob": {"position": [1.2, 0, 0], "angular_velocity": [0, 3, 0], "shape": {"box": [0.4, 0.1, 0.05]}}}
        joints = {"hinge": {"type": "revolute", "b": "arm", "anchor": [0, 0, 0], "axis": [0, 1, 0]},
                  "elbow": {"type": "revolute", "a": "arm", "b": "bob", "anchor": [1, 0, 0], "axis": [0, 1, 0]}}
        rotor = {"rotor": {"position": [9, 0, 0], "angular_velocity": [0, 0, 100], "shape": {"box": [0.4, 0.1, 0.1]}}}
        axle = {"axle": {"type": "revolute", "b": "rotor", "axis": [0, 0, 1]}}
        ball = {"ball": {"ball": {"radius": 0.1, "divisions": 2}, "position": [0, 9, 0], "young": 1e5}}
        for coordinates, scheme in (("maximal", "euler"), ("reduced", "euler"), ("maximal", "implicit")):
            poses = []
            for more, soft in (({}, {}), (rotor, {}), ({}, ball)):
                scene = {"bodies": {**pendulum, **more}, "joints": {**joints, **(axle if more else {})}, "soft": soft,
                         "coordinates": coordinates, "scheme": scheme, "initial": {"velocities": "project"}}
                state = tenon.State(tenon.Model(text=json.dumps(scene)))
                tenon.Sim(state.model).step(state, n=50)
                poses.append(state.poses[1:3].copy())
            with self.subTest(coordinates=coordinates, scheme=scheme):
                np.testing.assert_allclose(poses[1], poses[0], rtol=0, atol=1e-10)
                np.testing.assert_allclose(poses[2], poses[0], rtol=0, atol=1e-10)


    def test_loop(self):
        """In reduced coordinates: a loop beside a tree that turns far in a step; their energy is that of each alone."""
        bar = lambda x, z, speed, spin, size: {"position": [x, 0, z], "velocity": [speed, 0, 0], "shape": {"box": size},
                                               "angular_velocity": [0, spin, 0]}
        hinge = {"type": "revolute", "axis": [0, 1, 0]}
        loop = {"bodies": {"left": bar(0, 0.5, 1, 2, [0.1, 0.1, 1]), "top": bar(0.5, 1, 2, 0, [1, 0.1, 0.1]),
                           "right": bar(1, 0.4, 1, 2, [0.1, 0.1, 1])},
                "joints": {"foot": {**hinge, "b": "left", "anchor": [0, 0, 0]},
                           "knee": {**hinge, "a": "left", "b": "top", "anchor": [0, 0, 1]},
                           "elbow": {**hinge, "a": "top", "b": "right", "anchor": [1, 0, 1]},
                           "end": {"type": "point_on_line", "b": "right", "anchor": [1, 0, -0.2], "axis": [0, 1, 0]}}}
        tree = {"bodies": {"hub": {"position": [9, 0, 0], "angular_velocity": [0, 0, 600],
                                   "shape": {"box": [0.4, 0.1, 0.1]}},
                           "vane": {"position": [9.3, 0, 0.3], "velocity": [0, 180, 0], "angular_velocity": [0, 0, 600],
                                    "shape": {"box": [0.1, 0.1, 0.5]}}},
                "joints": {"axle": {"type": "revolute", "b": "hub", "axis": [0, 0, 1]},
                           "root": {"type": "weld", "a": "hub", "b": "vane", "anchor": [9.2, 0, 0.05]}}}
        both = {key: {**loop[key], **tree[key]} for key in loop}
        energy = []
        for scene in (loop, tree, both):
            more = {"coordinates": "reduced", "initial": {"velocities": "project"}}
            state = tenon.State(tenon.Model(text=json.dumps({**scene, **more})))
            tenon.Sim(state.model).step(state, n=3)
            energy.append(state.energy()["kinetic"])
        self.assertAlmostEqual(energy[0] + energy[1], energy[2], delta=1e-6 * energy[0])


class Directions(unittest.TestCase):
    """Springs along a surface, and what a pair of materials takes over."""

    @staticmethod
    def block(angle, force, block, **more):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        scene = {"step": 0.001, "materials": {"floor": {"friction": 1}, "block": block},
                 "bodies": {"floor": {"fixed": True, "material": "floor", "shape": {"plane": {}}},
                            "block": {"material": "block", "position": [0, 0, 0.05], "force": [*(turn @ force), 0],
                                      "rotation": {"axis": [0, 0, 1], "angle": angle},
                                      "shape": {"box": [0.2, 0.2, 0.1]}}}, **more}
        state = tenon.State(tenon.Model(text=json.dumps(scene)))
        tenon.Sim(state.model).step(state, n=1000)
        return turn.T @ state.poses[2, :2], turn.T @ state.velocities[2, :2]

    def test_tangential_stiffness(self):
        """Four corners give way by the force over their stiffness along and across the direction."""
        rubber = {"friction": {"mu1": 1, "mu2": 1, "direction": [1, 0, 0]}, "stiffness": 1e6, "damping": 2e3,
                  "tangential_stiffness": 1e4, "tangential_stiffness2": 4e4}
        for angle in (0.0, 0.5, 0.5 * np.pi):
            for force, stiffness in (([5.0, 0.0], 1e4), ([0.0, 5.0], 4e4)):
                at, _ = self.block(angle, force, rubber)
                np.testing.assert_allclose(at, np.array(force) / (4 * stiffness), rtol=0.02, atol=1e-7)
        with self.assertRaisesRegex(tenon.InputError, "across a direction"):
            self.block(0.0, [0.0, 0.0], {**rubber, "friction": 1})

    def test_pair(self):
        """A pair that says nothing of friction leaves it as it is, in the axes of the body that has the direction."""
        ice = {"density": 500, "friction": {"mu1": 1.0, "mu2": 0.01, "direction": [1, 0, 0]}}
        for pair in ([], [["floor", "block"]], [["block", "floor"]]):
            _, rate = self.block(0.5 * np.pi, [0.0, 4.0], ice,
                                 pairs=[{"materials": names, "restitution": 0} for names in pair])
            np.testing.assert_allclose(rate, [0.0, 4.0 / 2.0 - 0.1 * 9.81], atol=1e-3)


def main(first, last, steps=1):
    bad = n = 0
    for seed in range(int(first), int(last) + 1):
        scene = drawn(seed)
        off = differ(scene, Turn(seed), int(steps)) if scene else 0.0
        n += scene is not None
        if not off < 1e-6:
            bad += 1
            print(f"scene {seed}: off by {off:.1e}")
    print(f"{n} scenes, {bad} off")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        main(*sys.argv[1:])
    else:
        unittest.main()
