"""Sweeps: values of parameters, the same table from every executor, interrupted and gone on, failed runs as rows."""
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np
import tenon

SCENE = """
step: 10 ms
duration: 0.5
materials: {default: {density: 500, friction: 0.4}}
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  box: {position: [0, 0, 0.1], velocity: [1, 0, 0], shape: {box: [0.2, 0.2, 0.2]}}
"""
STUDY = {
    "scene": SCENE,
    "parameters": {"materials.default.friction": {"from": 0.1, "to": 0.4, "n": 4}, "bodies.box.velocity": [[1, 0, 0], [2, 0, 0]]},
    "results": {"way": "body('box')[-1, 0]", "worst": "max(certificate('natural'))"},
}


class Sweeps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # The command takes the first python3 of the PATH: here the one that runs this.
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "python3").symlink_to(sys.executable)
        self.command = [os.environ["TENON"], "sweep"]
        self.environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def test_closed_form(self):
        table = tenon.sweep(STUDY)
        self.assertEqual(len(table["run"]), 8)
        self.assertEqual(set(table["error"]), {""})
        for friction, velocity, way in zip(*(table[name] for name in ("materials.default.friction", "bodies.box.velocity", "way"))):
            v, h, x = velocity[0], 0.01, 0.0
            for _ in range(50):
                v = max(0.0, v - friction * 9.81 * h)
                x += h * v
            self.assertAlmostEqual(way, x, places=6)

    def test_draws(self):
        study = {**STUDY, "grid": "paired", "n": 3, "seed": 5,
                 "parameters": {"materials.default.friction": {"uniform": [0.1, 0.5]}, "bodies.box.mass": {"normal": [5, 0.1]}}}
        first, again = tenon.sweep(study), tenon.sweep(study)
        self.assertEqual(first, again)
        self.assertEqual(len(first["run"]), 3)
        self.assertNotEqual(first, tenon.sweep({**study, "seed": 6}))

    def test_executors(self):
        alone = tenon.sweep(STUDY)
        with concurrent.futures.ProcessPoolExecutor(2) as executor:
            self.assertEqual(tenon.sweep(STUDY, executor), alone)
        with concurrent.futures.ThreadPoolExecutor(2) as executor:
            self.assertEqual(tenon.sweep(STUDY, executor), alone)

    def test_dask(self):
        try:
            import distributed
        except ImportError:
            self.skipTest("no distributed")
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as cluster:
            with distributed.Client(cluster) as client:
                self.assertEqual(tenon.sweep(STUDY, client.get_executor()), tenon.sweep(STUDY))

    def test_mpi(self):
        try:
            import mpi4py  # noqa: F401
        except ImportError:
            self.skipTest("no mpi4py")
        script = self.folder / "mpi.py"
        script.write_text(f"import tenon\nfrom mpi4py.futures import MPIPoolExecutor\nif __name__ == '__main__':\n"
                          f"    with MPIPoolExecutor() as executor:\n        tenon.sweep({STUDY!r}, executor, out={str(self.folder / 'mpi.csv')!r})\n")
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        subprocess.run(["mpiexec", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", str(script)], check=True,
                       env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tenon.sweep(STUDY, out=self.folder / "alone.csv")
        self.assertEqual((self.folder / "mpi.csv").read_bytes(), (self.folder / "alone.csv").read_bytes())

    def test_interrupted(self):
        whole, part = self.folder / "whole.csv", self.folder / "part.csv"
        tenon.sweep(STUDY, out=whole)
        lines = Path(f"{whole}.rows").read_text().splitlines(keepends=True)
        Path(f"{part}.rows").write_text("".join(lines[:4]) + lines[4][:9])  # killed while it wrote the fourth run
        calls = []

        class Counting(concurrent.futures.ThreadPoolExecutor):
            def submit(self, *arguments):
                calls.append(1)
                return super().submit(*arguments)

        with Counting(1) as executor:
            tenon.sweep(STUDY, executor, out=part)
        self.assertEqual(len(calls), 5)
        self.assertEqual(part.read_bytes(), whole.read_bytes())
        with Counting(1) as executor:  # another study does not go on from it
            tenon.sweep({**STUDY, "duration": 0.1}, executor, out=part)
        self.assertEqual(len(calls), 13)

    def test_failed_runs(self):
        study = {**STUDY, "parameters": {"materials.default.friction": [0.4, -1, 0.2]}}
        table = tenon.sweep(study)
        self.assertEqual([bool(error) for error in table["error"]], [False, True, False])
        self.assertIn("must not be negative", table["error"][1])
        table = tenon.sweep({**STUDY, "results": {"nothing": "body('ball')[0, 0]"}})
        self.assertIn("ball", table["error"][0])

    def test_command(self):
        (self.folder / "scene.yaml").write_text(SCENE)
        (self.folder / "study.yaml").write_text(
            "scene: scene.yaml\nparameters: {materials.default.friction: [0.1, 0.2]}\nresults: {way: \"body('box')[-1, 0]\"}\n")
        try:
            import yaml  # noqa: F401
        except ImportError:
            self.skipTest("no yaml")
        for name, command in (("module", [sys.executable, "-m", "tenon.sweep"]), ("command", self.command)):
            out = subprocess.run([*command, "study.yaml", "-j", "2", "-o", f"{name}.csv"], cwd=self.folder, env=self.environment,
                                 capture_output=True, text=True, check=True).stdout
            self.assertEqual(out, f"{name}.csv: 2 runs, 0 failed; {name}_report.html: open it in a browser\n")
            self.assertEqual(len((self.folder / f"{name}.csv").read_text().splitlines()), 3)
        self.assertEqual((self.folder / "module.csv").read_bytes(), (self.folder / "command.csv").read_bytes())

    def tenon_sweep(self, *arguments, **environment):
        """(exit code, output and errors) of `tenon sweep`."""
        done = subprocess.run([*self.command, *arguments], cwd=self.folder, env={**self.environment, **environment}, capture_output=True,
                              text=True)
        return done.returncode, done.stdout + done.stderr

    def test_command_says_what_is_wrong(self):
        try:
            import yaml  # noqa: F401
        except ImportError:
            self.skipTest("no yaml")
        (self.folder / "scene.yaml").write_text(SCENE)
        study = "scene: scene.yaml\nparameters: {materials.default.friction: [0.1, -1]}\nresults: {way: \"body('box')[-1, 0]\"}\n"
        (self.folder / "study.yaml").write_text(study)
        code, text = self.tenon_sweep("study.yaml", "-q")
        self.assertEqual(code, 1)
        self.assertRegex(text, "^tenon sweep: run 1 failed: .*must not be negative.*\n$")
        self.assertIn("must not be negative", (self.folder / "study.csv").read_text())
        self.assertEqual(self.tenon_sweep("missing.yaml")[0], 2)
        self.assertEqual(self.tenon_sweep("study.yaml", "-o", "."), (2, "tenon: error: .: a table is FILE.csv or FILE.h5\n"))
        self.assertEqual(self.tenon_sweep()[0], 2)
        (self.folder / "broken.yaml").write_text("scene: [")
        code, text = self.tenon_sweep("broken.yaml")
        self.assertEqual(code, 2)
        self.assertIn("broken.yaml", text)
        for option, name in (("-o", "notes.csv"), ("--html", "notes.html")):  # another file is not written over
            (self.folder / name).write_text("my notes")
            code, text = self.tenon_sweep("study.yaml", option, name)
            self.assertEqual(code, 2)
            self.assertRegex(text, f"cannot write {name}: it exists and is no ")
            self.assertEqual((self.folder / name).read_text(), "my notes")
        code, text = self.tenon_sweep("study.yaml", PYTHONPATH="")  # an interpreter without the package
        self.assertEqual(code, 2)
        self.assertRegex(text, "cannot run sweeps: No module named 'tenon'; .*`make python`")
        code, text = self.tenon_sweep("study.yaml", PATH="/nowhere")
        self.assertEqual(code, 2)
        self.assertRegex(text, "cannot start python3 .*python3-numpy")

    def test_broken_studies(self):
        """Each mistake has its place and what would be right; whole ends make whole values."""
        try:
            import yaml  # noqa: F401
        except ImportError:
            self.skipTest("no yaml")
        (self.folder / "scene.yaml").write_text(SCENE)
        good = {"scene": "scene.yaml", "results": "{a: 'time[-1]'}"}
        for line, words in (("scene: nowhere.yaml", "there is no scene .*/nowhere.yaml"), ("results: [a]", "'results' must be a mapping"),
                            ("results: {a: 1}", "'results' must be"), ("results:", "'results' must be"), ("results: {}", "'results' must be"),
                            ("parameters: 3", "'parameters' must be"), ("parameters: {step: 3}", "a parameter is a list"),
                            ("parameters: {step: []}", "a parameter is a list"), ("parameters: {step: {uniform: 3}}", "a parameter is"),
                            ("parameters: {step: {from: a, to: b, n: 3}}", "a parameter is"), ("parameters: {step: {normal: [1]}}", "a parameter"),
                            ("parameters: {step: {from: 1, to: 2, n: 1.5}}", "a parameter is"), ("set: gravity=1", "'set' must be a list"),
                            ("parameters: {step: {from: 1, to: 2, n: 1000000000000}}", "a parameter is"),
                            ("parameters: {step: {from: 1, to: 2, n: 9999}, seed: {from: 1, to: 2, n: 9999}}", "99980001 combinations"),
                            ("results: {a: 'time[-1'}", "a: 'time\\[-1' is no expression"), ("results: {error: '1'}", "'error' is another column"),
                            ("n: x", "'n' must be a whole number"), ("n: 1000000000000", "'n' must be a whole number"), ("seed: -1", "'seed' must be"), ("duration: 2 s", "'duration' must be a time"),
                            ("parameters: {step: [2020-01-01]}", "no date"),
                            ("grid: pairs", "'grid' must be 'full' or"), ("params: {}", "no key 'params'"), ("scene: [", "expected")):
            study = self.folder / "study.yaml"
            key = line.split(":")[0]
            study.write_text("".join(f"{k}: {v}\n" for k, v in good.items() if k != key) + line + "\n")
            with self.assertRaisesRegex(ValueError, f"study.yaml:[23]:[0-9]+: error: .*{words}|study.yaml:4:1: error: .*{words}"):
                tenon.sweep(study)
        study.write_text("scene: scene.yaml\n")
        with self.assertRaisesRegex(ValueError, "study.yaml: error: a study needs 'results'"):
            tenon.sweep(study)
        study.write_text("- 1\n")
        self.assertEqual(self.tenon_sweep("study.yaml"), (2, "study.yaml: error: a study is a mapping of keys to values\n"))
        self.assertEqual(self.tenon_sweep("."), (2, "tenon: error: .: Is a directory\n"))
        study.write_text("scene: scene.yaml\nduration: 2e-2\nparameters: {step: {from: 1e-3, to: 2e-3, n: 2}}\nresults: {a: 'time[-1]'}\n")
        self.assertEqual(tenon.sweep(study)["step"], [0.001, 0.002])
        table = tenon.sweep({**STUDY, "duration": 0.02, "parameters": {"seed": {"from": 1, "to": 5, "n": 3}}})
        self.assertEqual((table["seed"], table["error"]), ([1, 3, 5], [""] * 3))
        table = tenon.sweep({**STUDY, "duration": np.float32(0.02), "seed": np.int64(3), "parameters": {"seed": np.arange(1, 3)}},
                            out=self.folder / "numpy.csv", page=self.folder / "numpy.html")
        self.assertEqual((table["seed"], table["error"]), ([1, 2], [""] * 2))

    def test_command_interrupted(self):
        """Ctrl-C ends it within a step or two, with 130; the same command goes on from there to the same table."""
        (self.folder / "scene.yaml").write_text(SCENE)
        (self.folder / "study.yaml").write_text("scene: scene.yaml\nparameters: {materials.default.friction: {from: 0.1, to: 0.5, n: 24}}\n"
                                                "duration: 30\nresults: {way: \"body('box')[-1, 0]\"}\n")
        rows = self.folder / "part.csv.rows"
        with subprocess.Popen([*self.command, "study.yaml", "-j", "2", "-o", "part.csv"], cwd=self.folder, env=self.environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True) as program:
            while not (rows.exists() and len(rows.read_text().splitlines()) > 3) and program.poll() is None:
                time.sleep(0.01)
            os.killpg(program.pid, signal.SIGINT)
            said = program.stderr.read()
        self.assertEqual(program.returncode, 130, said)
        self.assertIn("part.csv.rows", said)
        self.assertNotIn("Traceback", said)
        self.assertFalse((self.folder / "part.csv").exists())
        kept = len(rows.read_text().splitlines()) - 1
        self.assertLess(kept, 24)
        self.assertEqual(self.tenon_sweep("study.yaml", "-q", "-j", "2", "-o", "part.csv"), (0, ""))
        self.assertEqual(self.tenon_sweep("study.yaml", "-q", "-j", "1", "-o", "whole.csv"), (0, ""))
        self.assertEqual((self.folder / "part.csv").read_bytes(), (self.folder / "whole.csv").read_bytes())

    def test_changed_scene(self):
        """Rows of a scene that says something else now do not count."""
        scene = self.folder / "scene.yaml"
        scene.write_text(SCENE)
        study = {**STUDY, "scene": str(scene), "parameters": {"materials.default.friction": [0.2]}}
        first = tenon.sweep(study, out=self.folder / "table.csv")
        self.assertEqual(tenon.sweep(study, out=self.folder / "table.csv"), first)
        scene.write_text(SCENE.replace("velocity: [1", "velocity: [2"))
        self.assertGreater(tenon.sweep(study, out=self.folder / "table.csv")["way"][0], 2 * first["way"][0])

    def test_page(self):
        page = self.folder / "page.html"
        study = {**STUDY, "parameters": {**STUDY["parameters"], "bodies.box.mass": [1, 2]}}
        table = tenon.sweep(study, page=page)
        block = json.loads(re.search(r'<script id="tenon-report" type="application/json">(.*?)</script>', page.read_text(), re.S).group(1))
        self.assertEqual([chart["title"] for chart in block["charts"]],
                         [f"{r} over {p}" for r in ("way", "worst") for p in ("materials.default.friction", "bodies.box.mass")])
        way = block["charts"][0]
        self.assertTrue(way["line"])
        self.assertEqual(len(way["curves"]), 4)  # of two velocities and two masses
        self.assertEqual(way["curves"][0], {"label": "bodies.box.velocity = [1, 0, 0], bodies.box.mass = 1",
                                            "x": table["materials.default.friction"][::4], "y": table["way"][::4]})
        self.assertEqual([len(t["rows"]) for t in block["tables"]], [2, 16])
        self.assertEqual(block["tables"][0]["rows"][0]["cells"][3], f"{min(table['way']):.6g}")
        # Draws are points; what failed has none, and says why.
        draws = {**STUDY, "grid": "paired", "n": 20, "parameters": {"materials.default.friction": {"normal": [0.05, 0.05]}}}
        table = tenon.sweep(draws, page=page)
        block = json.loads(re.search(r'<script id="tenon-report" type="application/json">(.*?)</script>', page.read_text(), re.S).group(1))
        (curve,) = block["charts"][0]["curves"]
        self.assertEqual(curve["x"], sorted(table["materials.default.friction"]))
        self.assertEqual(curve["y"].count(None), sum(map(bool, table["error"])))
        self.assertGreater(curve["y"].count(None), 0)

    def test_refusals(self):
        with self.assertRaises(ValueError):
            tenon.sweep({**STUDY, "parameter": {}})
        with self.assertRaises(ValueError):
            tenon.sweep({**STUDY, "grid": "paired"})


if __name__ == "__main__":
    unittest.main()
