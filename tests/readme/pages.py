#!/usr/bin/env python3
"""The code that the pages of docs show and that no other test runs: pages.py TENON SOURCE. docs/tour.md and c-api.md are
run.py's, docs/python.md has tests/python/guide_test.py."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tenon, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
MINE = {"compliant", "planning", "recording", "robots", "scene"}
OTHERS = {"c-api", "python", "tour"}
shown = {path.stem for path in (root / "docs").glob("*.md") if "\n```" in path.read_text()}
assert shown == MINE | OTHERS, f"pages with code that no test runs: {shown - MINE - OTHERS}; without: {(MINE | OTHERS) - shown}"


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (root / "docs" / f"{page}.md").read_text(), re.S)


def run(*words):
    result = subprocess.run([tenon, *words], cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, f"{words}: {result.stdout}{result.stderr}"
    return result.stdout


def check(name, text):
    (folder / name).write_text(text)
    return run("check", name)


def play(h5py, scene, duration, *more):
    """The recording of a scene of the gallery."""
    run("run", root / "scenes" / scene, "--out", "f.h5", "--time", str(duration), "--quiet", *more)
    shutil.move(folder / "f.h5", folder / f"{pathlib.Path(scene).stem}.h5")
    return h5py.File(folder / f"{pathlib.Path(scene).stem}.h5", "r")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (scene,) = blocks("scene", "yaml")
    check("scene.yaml", scene)
    run("run", "scene.yaml", "--quiet")
    (problem,) = blocks("planning", "yaml")
    (folder / "plan.yaml").write_text(problem)
    print(run("plan", "plan.yaml"))
    (robots,) = blocks("robots", "yaml")
    shutil.copy(root / "scenes/robots/models/double_pendulum.urdf", folder / "arm.urdf")
    print(check("robots.yaml", robots))
    (compliant,) = blocks("compliant", "yaml")
    rest = "materials: {steel: {density: 7800}}\nbodies: {bob: {position: [0, 0, -1], shape: {sphere: 0.1}, material: steel}}\n"
    print(check("compliant.yaml", compliant + rest))
    try:
        import h5py
        import numpy as np
    except ImportError:
        print("docs/recording.md is left out: no h5py")
        sys.exit(0)
    heap, patches, soft = blocks("recording", "python")
    play(h5py, "rigid/box_heap.yaml", 0.51).close()
    names = {"np": np}
    exec(heap.replace('"box_heap.h5"', repr(str(folder / "box_heap.h5"))), names)
    assert names["height"].shape == (103,) and names["first"] < names["end"]
    f = play(h5py, "compliant/foundation.yaml", 0.05)
    here = {"np": np, "f": f, "first": f["contacts/offset"][5], "end": f["contacts/offset"][6]}
    exec(patches, here)
    assert (here["pressure"] > 0).any()
    f = play(h5py, "soft/dragged_mat.yaml", 0.05, "--set", "record.stress=true")
    body_names = [b.decode() for b in f["bodies/name"]]
    here = {"np": np, "f": f, "n": len(f["time"]), "names": body_names}
    exec(soft, here)
    assert here["x"].shape[1] > 3 and np.isfinite(here["mises"]).all()
