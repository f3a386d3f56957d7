"""Scene, Query, Batch, options at run time: numbers against closed forms, same bits as elsewhere, refusals."""
import gc
import re
import signal
import tempfile
import unittest
from pathlib import Path

import numpy as np

import tenon

ROOT = Path(__file__).resolve().parents[2]
BOX = """
step: 10 ms
materials: {wood: {density: 500, friction: 0.4}}
bodies:
  floor: {fixed: true, material: wood, shape: {plane: {}}}
  box: {position: [0, 0, 10 cm], velocity: [3, 0, 0], material: wood, shape: {box: [0.2, 0.2, 0.2]}}
  ball: {position: [0, 1, 1], material: wood, shape: {sphere: 0.1}}
"""
ARM = """
gravity: [0, 0, 0]
bodies: {arm: {mass: 2, position: [0.5, 0, 0], shape: {box: [1, 0.1, 0.1]}}}
joints: {shoulder: {type: revolute, b: arm, anchor: [0, 0, 0], axis: [0, 0, 1]}}
"""


class Scenes(unittest.TestCase):
    def tower(self):
        """The tower of docs/tour.md, in code."""
        scene = tenon.Scene()
        scene.set("title", "A tower of planks")
        scene.set("step", "10 ms")
        scene.set("duration", 1)
        scene.set("solver", {"tolerance": {"natural": 1e-7}})
        scene.add("materials", "pine", density=500, friction=0.5)
        scene.set("defaults", {"body": {"material": "pine"}, "shape": {"box": {"size": [0.12, 0.024, 0.008]}}})
        scene.add("bodies", "floor", fixed=True, position=[0, 0, -0.5], shape={"box": [1, 1, 1]})
        scene.add("bodies", "along", position=[0, "-48 mm", "4 mm"], shape={},
                  array={"count": [1, 3, 20], "spacing": [0, "48 mm", "16 mm"]})
        scene.add("bodies", "across", position=np.array([-0.048, 0, 0.012]), shape={},
                  rotation={"axis": [0, 0, 1], "angle": "90 deg"},
                  array={"count": [3, 1, 20], "spacing": ["48 mm", 0, "16 mm"]})
        return scene

    def test_tower_of_the_readme(self):
        text = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "tour.md").read_text(), re.S)[1]
        self.assertIn("tower of planks", text)
        hashes = []
        for model in (tenon.Model(text=text), self.tower().model(), tenon.Model(text=self.tower().text())):
            state = tenon.State(model)
            tenon.Sim(model).step(state, n=5)
            hashes.append(state.hash())
        self.assertEqual(len(set(hashes)), 1)

    def test_file_and_back(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "box.yaml"
            path.write_text(BOX)
            scene = tenon.Scene(path)
            scene.add("bodies", "more", position=[5, 0, 1], shape={"sphere": 0.1})
            scene.save(Path(folder) / "more.yaml")
            model = tenon.Model(Path(folder) / "more.yaml")
        self.assertEqual(model.body_names, ("world", "floor", "box", "ball", "more"))
        self.assertEqual(tenon.State(model).hash(), tenon.State(scene.model()).hash())

    def test_paths(self):
        """What is at a path is changed, added and taken away as by --set; a mistake changes nothing."""
        scene = tenon.Scene(ROOT / "scenes" / "robots" / "models" / "double_pendulum.urdf")
        said = ["bodies.upper.mass=3", "joints.elbow.turn.friction=0.5", "joints.shoulder.turn=null"]
        scene.set("bodies.upper.mass", np.float64(3))
        scene.set("joints.elbow.turn.friction", 0.5)
        scene.set("joints.shoulder.turn", None)
        for path, value, words in (("bodies.uper.mass", 1, "no 'uper' in the scene; did you mean 'upper'"),
                                   ("bodies.upper.mas", 1, "unknown key 'mas'"), ("bodies..mass", 1, "no ''"), (".", 1, "")):
            with self.assertRaisesRegex(tenon.InputError, words):
                scene.set(path, value)
        other = tenon.Model(ROOT / "scenes" / "robots" / "models" / "double_pendulum.urdf", set=said)
        self.assertEqual(scene.model().hash, other.hash)
        self.assertNotEqual(other.hash, tenon.Model(ROOT / "scenes" / "robots" / "models" / "double_pendulum.urdf").hash)

    def test_refusals(self):
        scene = tenon.Scene()
        scene.add("bodies", "box", shape={"box": [1, 1, 1]})
        for call, place in [
            (lambda: scene.add("bodies", "box", shape={}), "bodies.box"),
            (lambda: scene.add("bodies", "b", shap={}), "bodies.b"),
            (lambda: scene.add("bodie", "b", shape={}), "bodie.b"),
            (lambda: scene.set("gravy", [0, 0, 0]), "gravy"),
        ]:
            with self.assertRaises(tenon.InputError) as caught:
                call()
            self.assertEqual((caught.exception.file, caught.exception.line), (place, 1))
        scene.add("bodies", "odd", material="stone", shape={"sphere": 1})
        with self.assertRaises(tenon.InputError) as caught:
            scene.model()
        self.assertEqual(caught.exception.file, "bodies.odd")
        for bad in ({1, 2}, float("nan"), object()):
            with self.assertRaises((TypeError, ValueError)):
                scene.set("title", bad)
        with self.assertRaises(TypeError):
            tenon.Model(scene=scene, text="")


class Queries(unittest.TestCase):
    def setUp(self):
        self.model = tenon.Model(text=BOX)
        self.state = tenon.State(self.model)
        self.query = tenon.Query(self.state)

    def test_distance(self):
        found = self.query.distance("box", "ball")
        # From the edge (0, 0.1, 0.2) to the center (0, 1, 1).
        self.assertAlmostEqual(found["distance"], np.hypot(0.9, 0.8) - 0.1, places=12)
        np.testing.assert_allclose(found["point_a"], [0, 0.1, 0.2], atol=0.101)
        way = np.subtract(found["point_b"], found["point_a"])
        self.assertAlmostEqual(np.linalg.norm(way), found["distance"], places=12)
        self.assertEqual(self.query.distance("box", "ball", reach=1)["distance"], np.inf)
        self.assertAlmostEqual(self.query.distance("floor", "ball")["distance"], 0.9, places=12)
        self.assertEqual(self.query.pairs(0.01).tolist(), [[1, 2]])
        self.assertEqual(self.query.pairs(2).tolist(), [[1, 2], [1, 3], [2, 3]])

    def test_rays(self):
        origins = np.array([[0, 1, 5], [0.05, 0, 5], [9, 9, 5], [0, 0, 5]], float)
        down = np.tile([0, 0, -2.0], (4, 1))
        found = self.query.rays(origins, down)
        names = [self.model.body_names[b] for b in found["body"]]
        self.assertEqual(names, ["ball", "box", "floor", "box"])
        np.testing.assert_allclose(found["distance"], [3.9, 4.8, 5, 4.8], atol=1e-14)
        np.testing.assert_allclose(found["normal"], np.tile([0, 0, 1], (4, 1)), atol=1e-14)
        self.assertEqual(self.query.rays(origins, -down)["body"].tolist(), [-1] * 4)
        self.assertEqual(self.query.rays(origins, down, reach=4)["body"].tolist(), [3, -1, -1, -1])
        self.assertEqual(self.query.rays(origins, down, leave_out="box", threads=2)["body"].tolist(), [3, 1, 1, 1])
        tenon.Sim(self.model).step(self.state, n=200)
        self.query.update(self.state)
        self.assertAlmostEqual(self.query.rays(origins, down)["distance"][0], 4.8, delta=1e-6)

    def test_many_poses(self):
        self.assertEqual(self.model.shapes, ((1, "plane"), (2, "box"), (3, "sphere")))
        poses = np.zeros((100, 7))
        poses[:, 2], poses[:, 3] = np.linspace(-1, 1, 100), 1
        there = self.model.shape_distances(2, 1, poses)
        np.testing.assert_allclose(there, np.abs(poses[:, 2]) - 0.2, atol=1e-12)
        far = self.model.support(1, np.eye(3) + 0.5)
        np.testing.assert_allclose(far, np.full((3, 3), 0.1))

    def test_jacobians(self):
        model = tenon.Model(text=ARM)
        state, arm = tenon.State(model), model.body("arm")
        velocities = np.zeros((model.n_rigid, 6))
        velocities[arm] = [0, 0.35, 0, 0, 0, 0.7]
        state.set_bodies(velocities=velocities)
        rate = state.rates[0]
        self.assertAlmostEqual(rate, 0.7, places=14)
        tip = (0.5, 0.02, 0.01)
        by_joint = state.joint_jacobian("arm", tip)[:, 0] * rate
        by_body = state.point_jacobian(arm, tip) @ state.velocities[arm]
        np.testing.assert_allclose(by_joint, by_body, atol=1e-14)
        self.assertGreater(np.linalg.norm(by_body), 0.1)

    def test_refusals(self):
        one = np.zeros((1, 3))
        for kind, call, *words in [
            (KeyError, lambda: self.query.distance("box", "bat")),
            (IndexError, lambda: self.query.distance("box", 9)),
            (TypeError, lambda: self.query.distance("box")),
            (tenon.InputError, lambda: self.query.distance("box", "ball", reach=-1)),
            (tenon.InputError, lambda: self.query.rays(one, one)),
            (ValueError, lambda: self.query.rays(one, np.ones((2, 3)))),
            (ValueError, lambda: self.query.rays(one, None)),
            (ValueError, lambda: self.query.rays([1, 2, 3], one), "shape (n, 3)"),
            (tenon.InputError, lambda: self.query.rays(one, np.full((1, 3), np.nan))),
            (tenon.InputError, lambda: self.query.pairs(-1), "below 0"),
            (ValueError, lambda: tenon.Scene().set("step", np.nan), "finite"),
            (ValueError, lambda: tenon.Env(self.model, n=0), "at least one step"),
            (OSError, lambda: tenon.State(self.model).load("/nowhere/last"), "No such file"),
            (tenon.InputError, lambda: self.query.update(tenon.State(tenon.Model(text=BOX)))),
            (TypeError, lambda: self.query.update(3)),
            (TypeError, lambda: tenon.Query(self.model)),
            (tenon.InputError, lambda: self.model.support(0, one + 1)),
            (tenon.InputError, lambda: self.model.shape_distances(0, 7, np.zeros((1, 7)))),
            (tenon.InputError, lambda: self.model.shape_distances(0, 1, np.zeros((1, 7)))),
            (tenon.InputError, lambda: self.state.joint_jacobian("box")),
        ]:
            with self.assertRaisesRegex(kind, re.escape("".join(words))):
                call()

    def test_lifetime(self):
        query = self.query
        del self.model, self.state
        gc.collect()
        self.assertEqual(query.pairs().tolist(), query.pairs(0).tolist())


class Options(unittest.TestCase):
    def test_set(self):
        model = tenon.Model(text=BOX)
        state, sim = tenon.State(model), tenon.Sim(model)
        sim.set("law=frictionless", "gravity=[0, 0, -1]")
        sim.step(state, n=50)
        self.assertAlmostEqual(state.velocities[model.body("box"), 0], 3.0, places=12)
        self.assertAlmostEqual(state.velocities[model.body("ball"), 2], -0.5, places=12)
        sim.set()
        sim.step(state, n=10)
        self.assertLess(state.velocities[model.body("box"), 0], 2.7)
        with self.assertRaises(tenon.InputError):
            sim.set("step=1 ms")
        with self.assertRaises(TypeError):
            sim.set(3)


class Batches(unittest.TestCase):
    N = 12

    def test_same_bits_as_alone(self):
        model = tenon.Model(text=BOX)
        wrench = np.zeros((self.N, model.n_rigid, 6))
        wrench[:, model.body("ball"), 1] = np.arange(self.N)
        hashes = []
        for threads in (1, 2):
            batch = tenon.Batch(model, self.N, threads=threads)
            self.assertEqual(len(batch), self.N)
            batch.step(30, wrench=wrench)
            hashes.append([batch.state(i).hash() for i in range(self.N)])
        alone = []
        for i in range(self.N):
            state = tenon.State(model)
            tenon.Sim(model).step(state, n=30, wrench=wrench[i])
            np.testing.assert_array_equal(state.poses, batch.poses[i])
            np.testing.assert_array_equal(state.velocities, batch.velocities[i])
            alone.append(state.hash())
        self.assertEqual(hashes, [alone, alone])
        self.assertEqual(len(set(alone)), self.N)
        self.assertLess(batch.natural.max(), 1e-6)
        self.assertEqual(batch.poses.ctypes.data, batch.poses.ctypes.data)

    def test_actuator_forces(self):
        """What motors give, by servos and by the program, without springs, friction and limits."""
        model = tenon.Model(text="""<mujoco><option gravity="0 0 -10"/><worldbody><body><joint name="a" axis="0 1 0" stiffness="3" damping="1"/>
            <geom type="capsule" fromto="0 0 0 1 0 0" size="0.02" mass="1"/></body><body pos="0 1 0"><joint name="b" axis="0 1 0" frictionloss="0.1"/>
            <geom type="capsule" fromto="0 0 0 1 0 0" size="0.02" mass="1"/></body></worldbody><actuator><position name="p" joint="a" kp="50"
            gear="2"/><motor name="m" joint="b" gear="4"/></actuator><sensor><jointactuatorfrc name="ja" joint="a"/><actuatorfrc name="fa"
            actuator="p"/><jointactuatorfrc name="jb" joint="b"/></sensor></mujoco>""")
        state, sim = tenon.State(model), tenon.Sim(model)
        a, b = model.coordinate("a"), model.coordinate("b")
        effort = np.zeros(2)
        effort[b] = -2.5
        for _ in range(2000):
            effort[a] = 0.75
            sim.step(state, effort=effort)
        read, q = sim.sensors(state), state.coordinates[a]
        servo = -50 * 4 * q # along the joint, at rest
        self.assertLess(abs(state.rates[a]), 1e-9)
        self.assertAlmostEqual(read["ja"][0], servo + 0.75, 6)
        self.assertAlmostEqual(read["fa"][0], 0.5 * (servo + 0.75), 6)
        self.assertEqual(read["jb"][0], -2.5)
        joints = sim.joints(state)
        self.assertEqual(joints["motor"][b], -2.5)
        self.assertAlmostEqual(joints["effort"][a], servo - 3 * q, 6)  # with the spring, without the program's
        self.assertAlmostEqual(servo + 0.75 - 3 * q, -10 * 0.5 * np.cos(q), 6)

    def test_sensors(self):
        text = BOX + "sensors: {place: {type: position, body: ball}, imu: {type: accelerometer, body: ball, noise: 0.1}}\n"
        model = tenon.Model(text=text)
        batch, wrench = tenon.Batch(model, 3, threads=2), np.zeros((3, model.n_rigid, 6))
        self.assertTrue(np.isnan(batch.sensors["imu"]).all() and np.isfinite(batch.sensors["place"]).all())
        wrench[:, model.body("ball"), 1] = np.arange(3)
        batch.step(4, wrench=wrench)
        self.assertEqual({name: array.shape for name, array in batch.sensors.items()}, {"place": (3, 3), "imu": (3, 3)})
        for i in range(3):
            state, sim = tenon.State(model), tenon.Sim(model)
            sim.step(state, n=4, wrench=wrench[i])
            for name, alone in sim.sensors(state).items():
                same = np.array_equal(batch.sensors[name][i], alone)
                self.assertEqual(same, name == "place" or i == 0) # noise is each state's own, the first one's as alone
        self.assertEqual(tenon.Batch(tenon.Model(text=BOX), 2).sensors, {})

    def test_states(self):
        model = tenon.Model(text=BOX)
        batch, state = tenon.Batch(model, 3), tenon.State(model)
        tenon.Sim(model).step(state, n=5)
        batch.set_state(1, state)
        self.assertEqual(batch.state(1).hash(), state.hash())
        self.assertNotEqual(batch.state(0).hash(), state.hash())
        batch.set("law=frictionless")
        batch.step(5)
        poses = batch.poses
        del batch
        gc.collect()
        self.assertEqual(poses.shape, (3, model.n_rigid, 7))

    def test_refusals(self):
        model = tenon.Model(text=BOX)
        batch = tenon.Batch(model, 2)
        gravity = np.array([[0, 0, -9.81], [0, np.nan, 0]])
        with self.assertRaises(tenon.InputError) as caught:
            batch.step(gravity=gravity)
        self.assertIn("state 1", caught.exception.message)
        for kind, call in [
            (ValueError, lambda: batch.step(-1)),
            (ValueError, lambda: batch.step(wrench=np.zeros((model.n_rigid, 6)))),
            (ValueError, lambda: batch.step(gravity=np.zeros(3))),
            (IndexError, lambda: batch.state(2)),
            (IndexError, lambda: batch.state(-1)),
            (TypeError, lambda: batch.set_state(0, 3)),
            (tenon.InputError, lambda: tenon.Batch(model, 0)),
            (tenon.InputError, lambda: batch.set_state(0, tenon.State(tenon.Model(text=BOX)))),
        ]:
            with self.assertRaises(kind):
                call()

    def test_interrupt(self):
        batch = tenon.Batch(tenon.Model(text=BOX), 4)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        was = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with self.assertRaises(KeyboardInterrupt):
                batch.step(10**9)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, was)
        batch.step()


if __name__ == "__main__":
    unittest.main()
