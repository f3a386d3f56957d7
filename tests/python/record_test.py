"""Recorder, Recording, pickling, Env."""
import os
import pickle
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

import numpy as np

import tenon

BOX = """
step: 10 ms
duration: 0.3
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  box: {position: [0, 0, 0.15], shape: {box: [0.2, 0.2, 0.2]}}
"""
POLE = """
step: 10 ms
duration: 0.2
bodies: {pole: {mass: 1, position: [0, 0, 0.5], shape: {box: [0.05, 0.05, 1]}}}
joints: {hinge: {type: revolute, b: pole, anchor: [0, 0, 0], axis: [0, 1, 0]}}
"""


# A locale with a decimal comma, of nothing else, so that no package is needed.
COMMA = 'LC_NUMERIC\ndecimal_point ","\nthousands_sep ""\ngrouping -1\nEND LC_NUMERIC\n'
EXPORTS = """
import locale, sys, urllib.request
import tenon
folder, used = sys.argv[1:]
if locale.setlocale(locale.LC_NUMERIC, used) != "C" and locale.localeconv()["decimal_point"] != ",":
    sys.exit(77)
model = tenon.Model(folder + "/robot.xml")
model.save(folder + f"/{used}.yaml")
with tenon.Recording(folder + "/box.h5") as r:
    for form in ("csv", "gltf", "html"):
        r.export(form, folder + f"/{used}.{form}")
    r.export("vtk", folder + f"/{used}_vtk")
state = tenon.State(model)
live = tenon.Live(tenon.Sim(model), state)
open(folder + f"/{used}.header", "wb").write(urllib.request.urlopen(live.url + "api/header").read())
live.stop()
"""


class Recordings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        model = tenon.Model(text=BOX + "record: {precision: double}\n")  # heights are compared to the last bit
        state, sim = tenon.State(model), tenon.Sim(model)
        self.heights = []
        with tenon.Recorder(self.folder / "box.h5", model) as recorder:
            recorder.append(sim, state)
            self.heights.append(state.poses[2, 2])
            for _ in range(30):
                sim.step(state)
                recorder.append(sim, state)
                self.heights.append(state.poses[2, 2])

    def test_locale(self):
        """Files have decimal points, whatever locale the program has set."""
        (self.folder / "comma.src").write_text(COMMA)
        (self.folder / "robot.xml").write_text(
            '<mujoco><worldbody><replicate count="3" offset="0.5 0 0.25"><geom size="0.125"/></replicate></worldbody></mujoco>')
        try:
            subprocess.run(["localedef", "-c", "--no-archive", "-i", self.folder / "comma.src", "-f", "ANSI_X3.4-1968", self.folder / "comma"],
                           capture_output=True, check=False)
        except FileNotFoundError:
            self.skipTest("no localedef")
        for used in ("C", "comma"):
            done = subprocess.run([sys.executable, "-c", EXPORTS, self.folder, used], env={**os.environ, "LOCPATH": str(self.folder)},
                                  capture_output=True, text=True)
            if done.returncode == 77 or "unsupported locale" in done.stderr:
                self.skipTest("the locale cannot be made")
            self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("yaml", "csv", "gltf", "html", "header"):
            self.assertEqual((self.folder / f"comma.{name}").read_bytes(), (self.folder / f"C.{name}").read_bytes(), name)
        self.assertEqual((self.folder / "comma_vtk" / "box.pvd").read_bytes(), (self.folder / "C_vtk" / "box.pvd").read_bytes())

    def test_read(self):
        with tenon.Recording(self.folder / "box.h5") as r:
            self.assertEqual(list(r.body("box")[:, 2]), self.heights)
            self.assertEqual([r.frame_at(t) for t in (-1, 0, 0.1049, 9)], [-1, 0, 10, 30])
            self.assertLessEqual({"energy/total", "poses", "contacts/force", "certificate/natural"}, set(r.quantities))
            total = r["energy/total"]
            self.assertEqual(total.shape, (31,))
            self.assertGreater(total[0], total[-1])
            np.testing.assert_allclose(total[[0, -1]], [8 * 9.81 * 0.15, 8 * 9.81 * 0.1], rtol=1e-6)

    def test_curves(self):
        with tenon.Recording(self.folder / "box.h5") as r:
            self.assertEqual(list(r["body:box:z"]), list(r.body("box")[:, 2]))
            with self.assertRaisesRegex(tenon.InputError, "did you mean 'box'"):
                r["body:bax:z"]

    def test_names_and_frames(self):
        with tenon.Recording(self.folder / "box.h5") as r:
            with self.assertRaisesRegex(KeyError, "no body 'bax'"):
                r.body("bax")
            with self.assertRaisesRegex(KeyError, "no coordinate 'hinge'"):
                r.coordinate("hinge")
            self.assertEqual(len(r.contacts(30)["gap"]), 4)
            np.testing.assert_array_equal(r.contacts(-1)["force"], r.contacts(30)["force"])
            with self.assertRaises(IndexError):
                r.contacts(31)
        model = tenon.Model(text=POLE)
        state, sim = tenon.State(model), tenon.Sim(model)
        with tenon.Recorder(self.folder / "pole.h5", model) as recorder:
            recorder.append(sim, state)
        with tenon.Recording(self.folder / "pole.h5") as r:
            self.assertEqual(list(r.coordinate("hinge")), list(r.coordinate("hinge:turn")))
            for name in ("hinge:slide", "hing", "hinge:turn:turn", ""):
                with self.assertRaisesRegex(KeyError, "no coordinate"):
                    r.coordinate(name)
        model = tenon.Model(text=POLE, set=["joints.hinge={type: weld, b: pole}"])
        with tenon.Recorder(self.folder / "weld.h5", model):
            pass
        with tenon.Recording(self.folder / "weld.h5") as r, self.assertRaisesRegex(KeyError, "no coordinate 'hinge'"):
            r.coordinate("hinge")

    def test_viewer(self):
        with tenon.Recording(self.folder / "box.h5") as r:
            viewer = r.view(browser=False)
        url = viewer.url
        with urllib.request.urlopen(url) as page:
            self.assertIn(b"<html", page.read().lower())
        with urllib.request.urlopen(url + "api/rows/time?first=0&n=31") as rows:
            np.testing.assert_allclose(np.frombuffer(rows.read()), np.arange(31) * 0.01, atol=1e-12)
        viewer.stop()
        self.assertIsNone(viewer.url)
        with self.assertRaises(OSError):
            urllib.request.urlopen(url)
        with self.assertRaises(tenon.InputError):
            tenon.Viewer(self.folder / "box.h5", every=0)

    def test_live(self):
        """A page sees what the program steps, and asks for things; a hand pulls the box up."""
        sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
        from live_client import Socket

        model = tenon.Model(text=BOX)
        state, sim = tenon.State(model), tenon.Sim(model)
        live = tenon.Live(sim, state)
        self.assertEqual((live.viewers, live.next(state), live.forces(state)), (0, None, {}))
        page = Socket(int(live.url.rstrip("/").rsplit(":", 1)[1]))
        self.assertTrue(page.accepted)
        for _ in range(10):
            sim.step(state)
            live.show(state)
        live.say("paused", message="look")
        self.assertIsNotNone(page.news(state="paused", message="look"))
        self.assertEqual(live.viewers, 1)
        time.sleep(0.1)  # a frame is due again
        sim.step(state)
        live.show(state)
        self.assertIsNotNone(page.until(lambda message: isinstance(message, bytes)))
        page.ask("pace", value=2)
        page.ask("solver", name="pgs")
        page.ask("pull", body=model.body("box"), point=[0, 0, 0.1], target=[0, 0, 0.5])
        got = []
        end = time.monotonic() + 15
        while time.monotonic() < end and not (len(got) == 2 and live.forces(state)):
            got += [command] if (command := live.next(state)) else []
        self.assertEqual(got, [("pace", 2.0), ("solver", "pgs")])
        for _ in range(30):
            sim.step(state, **live.forces(state))
        self.assertGreater(state.poses[model.body("box"), 2], 0.2)
        with self.assertRaises(ValueError):
            live.say("gone")
        with self.assertRaises(TypeError):
            live.show(tenon.State(tenon.Model(text=BOX)))
        page.close()
        live.stop()
        with self.assertRaises(RuntimeError):
            live.show(state)

    def test_exports(self):
        with tenon.Recording(self.folder / "box.h5") as r:
            self.assertEqual(r.export("csv", self.folder / "box.csv", 10), 4)
            self.assertEqual(r.export("vtk", self.folder / "vtk"), 31)
            page = r.show()._repr_html_()
            self.assertTrue(page.startswith("<iframe srcdoc=") and "tenon-recording" in page)
            with self.assertRaises(ValueError):
                r.export("doc", self.folder / "box.doc")
            with self.assertRaises(OSError):
                r.export("csv", "/nowhere/at/all.csv")

    def test_plot(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")
        with tenon.Recording(self.folder / "box.h5") as r:
            axes = r.plot("energy/total", "energy/kinetic")
            self.assertEqual(len(axes.lines), 2)
            self.assertEqual(list(axes.lines[1].get_ydata()), list(r["energy/kinetic"]))

    def test_refusals(self):
        model, other = tenon.Model(text=BOX), tenon.Model(text=BOX)
        recorder = tenon.Recorder(self.folder / "other.h5", model)
        with self.assertRaises(ValueError):
            recorder.append(tenon.Sim(other), tenon.State(other))
        recorder.close()
        with self.assertRaises(RuntimeError):
            recorder.append(tenon.Sim(model), tenon.State(model))
        with self.assertRaises(OSError):
            tenon.Recorder("/nowhere/at/all.h5", model)


class Travel(unittest.TestCase):
    def test_pickling(self):
        scene = tenon.Scene()
        scene.add("bodies", "ball", position=[0, 0, 1], shape={"sphere": 0.1})
        for model in (tenon.Model(text=BOX), tenon.Model(text=BOX, set=["step=5 ms"]), scene.model()):
            state, sim = tenon.State(model), tenon.Sim(model)
            sim.step(state, n=7)
            there = pickle.loads(pickle.dumps(state))
            self.assertEqual(there.hash(), state.hash())
            sim.step(state, n=7)
            tenon.Sim(there.model).step(there, n=7)
            self.assertEqual(there.hash(), state.hash())

    def test_viewer_that_is_not_there(self):
        with self.assertRaises(FileNotFoundError):
            tenon.view(tenon.State(tenon.Model(text=BOX)), command="no-such-command")

    def test_viewer_reads_the_scene_of_the_state(self):
        # The command is told to end at once. The scene names a mesh from the working folder; the viewer's lies elsewhere.
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
            command = Path(folder) / "viewer"
            command.write_text(f'#!/bin/sh\necho "$2" >"{folder}/asked"\nexec "{os.environ["TENON"]}" "$@" --no-browser --linger 0.1 -n 9\n')
            command.chmod(0o755)
            back = os.getcwd()
            os.chdir(folder)
            try:
                scene = tenon.Scene()
                scene.add("bodies", "part", fixed=True, shape={"mesh": {"file": "part.obj"}})
                model = tenon.Model(text=scene.text(), set=["duration=1 s"])
                self.assertEqual(tenon.view(tenon.State(model), command=str(command)).wait(60), 0)
            finally:
                os.chdir(back)
            left = Path((Path(folder) / "asked").read_text().strip()).parent
            for _ in range(100):  # it goes when the viewer has ended
                if not left.exists():
                    break
                time.sleep(0.05)
            self.assertFalse(left.exists())

    def test_scenes_are_saved_elsewhere(self):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            (Path(folder) / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
            scene = tenon.Scene()
            scene.add("bodies", "part", fixed=True, shape={"mesh": {"file": f"{folder}/part.obj"}})
            scene.save(Path(folder) / "scene.yaml")
            scene.model().save(Path(folder) / "model.yaml")
            hashes = {tenon.Model(Path(folder) / name).hash for name in ("scene.yaml", "model.yaml")}
            self.assertEqual(hashes, {scene.model().hash})
            with self.assertRaises(OSError):
                scene.save(Path(folder) / "none" / "scene.yaml")


class Balance(tenon.Env):
    def start(self, rng):
        poses = np.full((2, 7), np.nan)
        velocities = np.full((2, 6), np.nan)
        velocities[1] = np.array([0.5, 0, 0, 0, 1, 0]) * rng.uniform(-1, 1)
        self.state.set_bodies(poses, velocities)

    def reward(self, action):
        return -self.state.coordinates[0] ** 2

    def terminated(self):
        return abs(self.state.coordinates[0]) > 0.1


class Environments(unittest.TestCase):
    def test_episode(self):
        env = Balance(tenon.Model(text=POLE), n=2)
        first, info = env.reset(seed=3)
        self.assertEqual(info, {})
        rewards = []
        for k in range(20):
            observation, reward, terminated, truncated, info = env.step([0.0])
            rewards.append(reward)
            if terminated or truncated:
                break
        self.assertEqual(observation.shape, first.shape)
        self.assertTrue(all(r <= 0 for r in rewards))
        self.assertTrue(terminated or k == 9)  # 0.2 s in steps of 20 ms
        again, _ = env.reset(seed=3)
        self.assertEqual(list(again), list(first))


if __name__ == "__main__":
    unittest.main()
