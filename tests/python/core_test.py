"""Model, State, Sim: numbers against closed forms, lifetimes, refusals, threads."""
import copy
import gc
import os
import signal
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import tenon

BOX = """
step: 10 ms
materials: {wood: {density: 500, friction: 0.4}}
bodies:
  floor: {fixed: true, material: wood, shape: {plane: {}}}
  box: {position: [0, 0, 10 cm], velocity: [3, 0, 0], material: wood, shape: {box: [0.2, 0.2, 0.2]}}
"""
ARM = """
step: 1 ms
gravity: [0, 0, 0]
bodies:
  arm: {mass: 2, position: [0.5, 0, 0], shape: {box: [1, 0.1, 0.1]}}
joints: {shoulder: {type: revolute, b: arm, anchor: [0, 0, 0], axis: [0, 0, 1], turn: {motor: {velocity: 0}}},
  }
"""
SOFT = """
step: 10 ms
gravity: [0, 0, 0]
soft:
  mat: {grid: {size: [0.2, 0.2, 0.1], divisions: [2, 2, 1]}, young: 100 kPa, poisson: 0.3, density: 1000}
"""
IMU = BOX + """
sensors:
  imu: {type: accelerometer, body: box}
  turn: {type: orientation, body: box}
  below: {type: touch, body: box}
"""
POISSON = 0.3


def start(text):
    model = tenon.Model(text=text)
    return model, tenon.State(model), tenon.Sim(model)


class Robots(unittest.TestCase):
    MODELS = Path(__file__).resolve().parents[2] / "scenes/robots/models"

    def test_files_are_read_with_warnings(self):
        with self.assertWarnsRegex(UserWarning, "arm.urdf:[0-9]+: mesh 'meshes/bracket.stl' fills 64 %"):
            model = tenon.Model(self.MODELS / "arm.urdf")
        self.assertIn("upper", model.body_names)

    def test_scenes_take_robots(self):
        scene = tenon.Scene()
        scene.add("robots", None, {"file": str(self.MODELS / "double_pendulum.urdf"), "prefix": "a-", "position": [0, 0, 1]})
        scene.add("robots", None, {"file": str(self.MODELS / "double_pendulum.xml"), "prefix": "b-"})
        model = scene.model()
        state = tenon.State(model)
        np.testing.assert_allclose(state.poses[model.body("a-lower"), :3] - [0, 0, 1], state.poses[model.body("b-lower"), :3],
                                   atol=1e-14)
        self.assertEqual(len(tenon.Scene(self.MODELS / "double_pendulum.urdf").model().body_names), 3)


class Steps(unittest.TestCase):
    def test_sensors(self):
        model, state, sim = start(IMU)
        self.assertEqual(model.sensor_names, ("imu", "turn", "below"))
        self.assertTrue(np.isnan(sim.sensors(state)["imu"]).all())
        sim.step(state, n=200)
        read = sim.sensors(state)
        np.testing.assert_allclose(read["imu"], [0, 0, 9.81], atol=1e-9)
        np.testing.assert_allclose(read["turn"], [1, 0, 0, 0], atol=1e-6)
        np.testing.assert_allclose(read["below"], [4 * 9.81], rtol=1e-9)
        self.assertTrue(np.isnan(sim.sensors(tenon.State(model))["below"]).all())

    def test_box_slides_to_rest(self):
        model, state, sim = start(BOX)
        sim.step(state, n=100)
        box = model.body("box")
        # It stops after v^2 / (2 mu g), to first order in the step.
        self.assertAlmostEqual(state.poses[box, 0], 9.0 / (2 * 0.4 * 9.81), delta=0.02)
        contacts = sim.contacts
        self.assertEqual(contacts["bodies"].tolist(), [[model.body("floor"), box]] * 4)
        np.testing.assert_allclose(contacts["force"].sum(0), [0, 0, 4 * 9.81], atol=1e-9)
        self.assertEqual(sim.report["step"], 100)
        self.assertLess(sim.report["certificate"]["natural"], 1e-9)

    def test_inputs(self):
        model, state, sim = start(BOX)
        wrench = np.zeros((model.n_rigid, 6))
        wrench[model.body("box")] = [0, 0, 80, 0, 0, 0.1]
        sim.step(state, wrench=wrench, n=10)
        self.assertAlmostEqual(state.velocities[model.body("box"), 2], (80 / 4 - 9.81) * 0.1, places=12)
        sim.step(state, gravity=[0, 0, 1.0])
        self.assertAlmostEqual(state.velocities[model.body("box"), 2], (80 / 4 - 9.81) * 0.1 + 0.01, places=12)

    def test_effort_and_target(self):
        model, state, sim = start(ARM)
        turn = model.coordinate("shoulder:turn")
        self.assertEqual(turn, model.coordinate("shoulder"))
        self.assertEqual(model.coordinate_names, ("shoulder:turn",))
        sim.step(state, target_rate=[1.5], n=100)
        self.assertAlmostEqual(state.rates[turn], 1.5, places=5)  # positions are corrected at the end
        self.assertAlmostEqual(state.coordinates[turn], 0.15, places=6)
        joints = sim.joints(state)
        self.assertEqual(joints["force"].shape, (1, 3))
        # It turns steadily: the joint gives the centripetal force m r w^2, to first order in the step.
        self.assertAlmostEqual(np.linalg.norm(joints["force"][0]), 2 * 0.5 * 1.5**2, delta=0.01)

    def test_no_steps(self):
        """step(n=0) is no step: what the last one said is of the state that it led to."""
        model, state, sim = start(ARM)
        sim.step(state, target_rate=[1.5], n=5)
        other, effort = state.copy(), sim.joints(state)["effort"]
        sim.step(other, n=0)
        np.testing.assert_array_equal(sim.joints(state)["effort"], effort)
        with self.assertRaisesRegex(ValueError, "not the state that the last step led to"):
            sim.joints(other)

    def test_numbers_beyond_int(self):
        model = tenon.Model(text=BOX)
        batch = tenon.Batch(model, 2)
        for wrong in (lambda: model.shape(2**32), lambda: batch.state(2**32), lambda: batch.set_state(2**40, tenon.State(model))):
            with self.assertRaises(IndexError):
                wrong()

    def test_nodes(self):
        model, state, sim = start(SOFT)
        rows = model.nodes("mat")
        force = np.zeros((model.n_nodes, 3))
        force[rows, 2] = 0.1
        sim.step(state, node_force=force, n=10)
        momentum = sim.report["energy"]["momentum"]
        self.assertAlmostEqual(momentum[2], model.n_nodes * 0.1 * 0.1, places=6)
        state.set_nodes(velocities=np.ones((model.n_nodes, 3)))
        np.testing.assert_array_equal(state.node_velocities, 1.0)

    def test_facts(self):
        model, state, sim = start(SOFT)
        self.assertEqual(model.method["law"], "coulomb")
        self.assertEqual(model.method["coordinates"], "maximal") # there is no joint
        self.assertEqual(model.method["step"], model.step)
        self.assertEqual(model.body_kinds[model.body("mat")], "soft")
        soft = model.soft("mat")
        self.assertEqual((soft["nodes"], soft["elements"]), (model.n_nodes, model.n_elements))
        self.assertEqual(model.faces.shape, (soft["faces"], 3))
        with self.assertRaises(KeyError):
            model.soft("world")
        box = tenon.Model(text=BOX)
        inertia = box.inertia("box")
        np.testing.assert_allclose(inertia["moments"], [4 * 2 * 0.2**2 / 12] * 3)
        self.assertEqual([box.shape(i)["kind"] for i in range(2)], ["plane", "box"])
        self.assertEqual(box.shape(1)["size"], (0.1, 0.1, 0.1))
        self.assertEqual((box.shape(1)["points"].shape, box.pair("wood", "wood")["friction"]), ((0, 3), (0.4, 0.4)))
        self.assertEqual(tenon.Model(text=ARM).limits.shape, (1, 2))
        for wrong in (lambda: box.inertia("floor"), lambda: box.pair("wood", "tin"), lambda: box.shape(2)):
            with self.assertRaises(LookupError):
                wrong()
        found = state.check()
        self.assertFalse(found["overlaps"]["matters"])
        self.assertEqual(found["joints"]["rows"], 0)
        before = state.energy()
        sim.step(state, n=3)
        self.assertEqual(state.steps, 3)
        for part in ("kinetic", "gravity", "elastic", "injected"):
            self.assertAlmostEqual(state.energy()[part], sim.report["energy"][part], delta=1e-9 * before["gravity"])
        state.wake(), state.wake("mat")
        with self.assertRaises(KeyError):
            state.wake("nobody")

    def test_contact_conditions(self):
        model, state, sim = start(BOX)
        sim.step(state)
        self.assertEqual(sim.contacts["condition"].tolist(), [2] * 4)  # it slides
        self.assertTrue((sim.contacts["velocity"][:, 1:] ** 2).sum(1).min() > 1.0)
        sim.step(state, n=99)
        self.assertEqual(sim.contacts["condition"].tolist(), [1] * 4)  # it rests
        features = sim.contacts["feature"]
        self.assertEqual(len(set(features.tolist())), 4)
        self.assertIs(sim.contacts, sim.contacts)
        self.assertIs(sim.contacts["force"], sim.contacts["force"])
        self.assertEqual(set(sim.contacts), set(dict(sim.contacts)))
        with self.assertRaises(KeyError):
            sim.contacts["forces"]
        # What is kept over steps, or longer than the simulation, has all arrays of its own step, asked for or not.
        for over in (lambda one, at: one.step(at), lambda one, at: one.set(), lambda one, at: None):
            one, two = tenon.Sim(model), tenon.Sim(model)
            at, other = state.copy(), state.copy()
            one.step(at)
            two.step(other)
            kept = one.contacts
            over(one, at)
            del one, at
            gc.collect()
            for name, array in dict(two.contacts).items():
                np.testing.assert_array_equal(kept[name], array)
        # Else it has what was asked for.
        sim.step(state)
        kept = sim.contacts
        kept["gap"], kept["force"]
        sim.step(state)
        self.assertEqual(len(kept["gap"]), 4)
        with self.assertRaises(RuntimeError):
            kept["point"]
        with self.assertRaises(ValueError):
            sim.contacts["force"][0] = 0.0
        sim.step(state, gravity=[0, 0, 5])
        np.testing.assert_array_equal(sim.contacts["condition"], 0)
        np.testing.assert_array_equal(features, sim.contacts["feature"])

    def test_stress(self):
        model = tenon.Model(text=SOFT)
        state = tenon.State(model)
        self.assertEqual(model.elements.shape, (model.n_elements, 4))
        self.assertEqual(model.element_rows("mat"), slice(0, model.n_elements))
        state.set_nodes(state.nodes * [1, 1, 1.001])  # uniaxial strain
        strain, stress = state.strain, state.stress
        np.testing.assert_allclose(strain, np.tile([0, 0, 1e-3, 0, 0, 0], (model.n_elements, 1)), atol=1e-12)
        E, nu = 100e3, POISSON
        scale = E / ((1 + nu) * (1 - 2 * nu)) * 1e-3
        wanted = np.tile([nu * scale, nu * scale, (1 - nu) * scale, 0, 0, 0], (model.n_elements, 1))
        np.testing.assert_allclose(stress, wanted, atol=1e-8 * scale)

    def test_same_bits_as_one_by_one(self):
        model, a, sim = start(BOX)
        b, other = a.copy(), tenon.Sim(model)
        sim.step(a, n=30)
        for _ in range(30):
            other.step(b)
        self.assertEqual(a.hash(), b.hash())
        with tempfile.TemporaryDirectory() as folder:
            a.save(Path(folder) / "a.ckp")
            c = tenon.State(model)
            c.load(Path(folder) / "a.ckp")
        self.assertEqual(a.hash(), c.hash())
        sim.step(a)
        self.assertNotEqual(a.hash(), c.hash())
        c.copy_from(a)
        self.assertEqual(a.hash(), copy.copy(c).hash())

    def test_set_bodies(self):
        model, state, sim = start(BOX)
        poses = state.poses.copy()
        poses[model.body("box"), :3] = [5, 6, 7]
        velocities = np.full((model.n_rigid, 6), np.nan)
        velocities[model.body("box")] = [1, 0, 0, 0, 0, 2]
        state.set_bodies(poses, velocities)
        sim.step(state)
        np.testing.assert_allclose(state.poses[model.body("box"), :3], [5.01, 6, 7 - 9.81e-4], atol=1e-13)


class Memory(unittest.TestCase):
    def test_views_show_the_same_memory(self):
        model, state, sim = start(BOX)
        first = state.poses
        sim.step(state, n=5)
        self.assertEqual(first.ctypes.data, state.poses.ctypes.data)
        self.assertEqual(first[model.body("box"), 0], state.poses[model.body("box"), 0])
        with self.assertRaises(ValueError):
            first[0, 0] = 1.0

    def test_contacts_are_written_in_place(self):
        model, state, sim = start(BOX)
        wanted = ("bodies", "point", "force")
        sim.step(state)
        place = {name: sim.contacts[name].ctypes.data for name in wanted}
        for _ in range(5):  # nobody holds an array: the next step's is at the same place, and is that of the step
            sim.step(state)
            self.assertEqual(place, {name: sim.contacts[name].ctypes.data for name in wanted})
        held = [sim.contacts[name][1:] for name in wanted]
        were = [array.copy() for array in held]
        sim.step(state, wrench=[[0] * 6, [0] * 6, [0, 0, 3, 0, 0, 0]])
        self.assertFalse({sim.contacts[name].ctypes.data for name in wanted} & set(place.values()))
        for array, was in zip(held, were):
            np.testing.assert_array_equal(array, was)
        self.assertGreater(abs(held[2] - sim.contacts["force"][1:]).max(), 0.1)
        other, fresh = state.copy(), tenon.Sim(model)
        sim.step(state)  # two ways to the same arrays
        fresh.step(other)
        for name in wanted:
            np.testing.assert_array_equal(sim.contacts[name], fresh.contacts[name])

    def test_views_outlive_their_owners(self):
        model, state, sim = start(BOX)
        sim.step(state, n=5)
        views = [state.poses, state.velocities, sim.contacts["force"]]
        kept = [view.copy() for view in views]
        del model, state, sim
        gc.collect()
        for view, was in zip(views, kept):
            np.testing.assert_array_equal(view, was)

    @unittest.skipIf("TENON_SANITIZED" in os.environ, "what is freed is kept for a while")
    def test_no_growth(self):
        import resource

        model, state, sim = start(BOX)
        wrench = np.zeros((model.n_rigid, 6))

        def run(n):
            for _ in range(n):
                sim.step(state, wrench=wrench)
                state.poses, sim.contacts, sim.report
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = run(2000)
        self.assertLess(run(20000) - before, 500)  # kB: a leaked array a step would be 4000


class Refusals(unittest.TestCase):
    def test_scenes(self):
        with self.assertRaises(tenon.InputError) as caught:
            tenon.Model(text="bodies:\n  a: {shape: {sphere: -1}}\n")
        self.assertEqual((caught.exception.line, caught.exception.file), (2, "scene"))
        self.assertIn("radius", caught.exception.message)
        with self.assertRaises(OSError):
            tenon.Model("/nowhere/scene.yaml")
        for bad in [dict(), dict(path="a", text="b"), dict(text=3), dict(text="", set=[3]), dict(text="", set=3),
                    dict(text=BOX, set="step=1 ms"), dict(text=BOX, set={"step": "1 ms"})]:
            with self.assertRaises(TypeError):
                tenon.Model(**bad)
        with self.assertRaises(tenon.InputError):
            tenon.Model(text=BOX, set=["step=-1"])

    def test_arguments(self):
        model, state, sim = start(BOX)
        other = tenon.State(tenon.Model(text=BOX))
        before = state.hash()
        cases = [
            (ValueError, lambda: sim.step(state, wrench=np.zeros((1, 6)))),
            (ValueError, lambda: sim.step(state, wrench=np.zeros(18))),
            (ValueError, lambda: sim.step(state, n=-1)),
            (ValueError, lambda: sim.step(state, gravity="down"), "gravity: could not convert"),
            (TypeError, lambda: sim.step(state, wrench=np.zeros((3, 6), complex)), "wrench: Cannot cast"),
            (tenon.InputError, lambda: sim.step(state, wrench=np.full((model.n_rigid, 6), np.nan))),
            (tenon.InputError, lambda: sim.step(other)),
            (tenon.InputError, lambda: state.copy_from(other)),
            (tenon.InputError, lambda: state.load("/dev/null")),
            (TypeError, lambda: sim.step(None)),
            (TypeError, lambda: sim.step()),
            (TypeError, lambda: sim.step(state, state)),
            (TypeError, lambda: sim.step(state, push=1)),
            (TypeError, lambda: state.copy_from(3)),
            (TypeError, lambda: tenon.State(3)),
            (TypeError, lambda: tenon.Sim(state)),
            (KeyError, lambda: model.body("ball")),
            (KeyError, lambda: model.nodes("box")),
            (KeyError, lambda: model.coordinate("box:turn")),
            (ValueError, lambda: model.body("box\0")),
            (TypeError, lambda: model.body(1)),
            (ValueError, lambda: tenon.Model(text=BOX + "\0step: -1")),
            (ValueError, lambda: tenon.Model(text=BOX, set=["step=1\0 ms"])),
            (RuntimeError, lambda: tenon.Sim(model).report),
            (RuntimeError, lambda: tenon.Sim(model).contacts),
            (ValueError, lambda: state.set_bodies(np.zeros((2, 7)))),
            (tenon.InputError, lambda: state.set_bodies(np.zeros((model.n_rigid, 7)))),
        ]
        for number, (kind, call, *words) in enumerate(cases):
            with self.subTest(number), self.assertRaisesRegex(kind, "".join(words)):
                call()
        self.assertEqual(state.hash(), before)


class Threads(unittest.TestCase):
    def test_side_by_side(self):
        model = tenon.Model(text=BOX)
        states = [tenon.State(model) for _ in range(4)]
        threads = [threading.Thread(target=lambda s=s: tenon.Sim(model).step(s, n=200)) for s in states]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len({state.hash() for state in states}), 1)

    def test_one_state_in_two_threads(self):
        model, state, sim = start(BOX)
        thread = threading.Thread(target=lambda: sim.step(state, n=20000))
        thread.start()
        refused = 0
        while thread.is_alive():
            for call in (lambda: tenon.Sim(model).step(state), lambda: sim.step(tenon.State(model)), lambda: state.poses, lambda: sim.linearize(state)):
                try:
                    call()
                except RuntimeError:
                    refused += 1
        thread.join()
        self.assertGreater(refused, 0)

    def test_interrupt(self):
        model, state, sim = start(BOX)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        was = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with self.assertRaises(KeyboardInterrupt):
                sim.step(state, n=10**9)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, was)
        sim.step(state)  # goes on


if __name__ == "__main__":
    unittest.main()
