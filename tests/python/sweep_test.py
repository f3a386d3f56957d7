"""Sweeps: values of parameters, the same table from every executor, interrupted and gone on, failed runs as rows."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

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
        out = subprocess.run([sys.executable, "-m", "tenon.sweep", "study.yaml", "-j", "2", "-o", "table.csv"], cwd=self.folder,
                             capture_output=True, text=True, check=True).stdout
        self.assertEqual(out, "table.csv: 2 runs, 0 failed\n")
        self.assertEqual(len((self.folder / "table.csv").read_text().splitlines()), 3)

    def test_refusals(self):
        with self.assertRaises(ValueError):
            tenon.sweep({**STUDY, "parameter": {}})
        with self.assertRaises(ValueError):
            tenon.sweep({**STUDY, "grid": "paired"})


if __name__ == "__main__":
    unittest.main()
