#!/usr/bin/env python3
"""The scenes and the C example of docs/tour.md and that of docs/c-api.md, extracted and run: run.py TENON CC LIBRARY INCLUDES... -- FLAGS..."""
import math
import pathlib
import re
import subprocess
import sys
import tempfile

tenon, cc, library = sys.argv[1:4]
rest = sys.argv[4:]
includes, flags = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
readme = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "tour.md").read_text()
scene, tower, arm, soft = re.findall(r"```yaml\n(.*?)```", readme, re.S)
program = re.search(r"```c\n(.*?)```", readme, re.S).group(1)
guide = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "c-api.md").read_text()
(guide_program,) = re.findall(r"```c\n(.*?)```", guide, re.S)
assert len(scene.splitlines()) <= 16, "the tour promises a scene of about 15 lines"
assert len(tower.splitlines()) <= 17, "the tour promises a short scene of a tower"
assert len(arm.splitlines()) <= 16, "the tour promises a short scene of a joint"
assert len(soft.splitlines()) <= 12, "the tour promises a short scene of soft bodies"
assert len(program.splitlines()) <= 18, "the tour promises a C example of about 15 lines"


def strain_energy(folder):
    """Of the pressed cube at the end [J], from the scene and the lines that the tour shows of the run."""
    (folder / "press.yaml").write_text(soft)
    text = subprocess.run([tenon, "run", "press.yaml"], cwd=folder, check=True, capture_output=True, text=True).stdout
    number = r"[-+0-9.e]+"  # wall times differ, and last digits from machine to machine
    for line in re.search(r"prints\n\n(.*?)\n\n", readme, re.S).group(1).splitlines():
        shown = line.strip()
        pattern = number.join(re.escape(part) for part in re.split(r"[0-9][0-9.]*", shown))
        if not re.search(re.escape(shown) if "tetrahedra" in shown else pattern, text):
            sys.exit(f"the run prints no {shown!r} but\n{text}")
    subprocess.run([tenon, "export", "press.h5", "--csv", "press.csv"], cwd=folder, check=True)
    head, *_, last = (folder / "press.csv").read_text().split()
    return float(last.split(",")[head.split(",").index("cube.strain_energy")])


def tower_fall(folder):
    """How far the planks of the tower have moved at the end [m], and the worst natural map."""
    (folder / "tower.yaml").write_text(tower)
    subprocess.run([tenon, "run", "tower.yaml", "--quiet"], cwd=folder, check=True)
    subprocess.run([tenon, "export", "tower.h5", "--csv", "tower.csv"], cwd=folder, check=True)
    head, first, *_, last = (line.split(",") for line in (folder / "tower.csv").read_text().split())
    places = [k for k, name in enumerate(head) if re.search(r"\]\.[xyz]$", name)]
    assert len(places) == 3 * 120, head[:20]
    return max(abs(float(last[k]) - float(first[k])) for k in places), float(last[head.index("certificate.natural")])


def last_of(folder, name, text):
    """The last row of a scene's CSV, by column."""
    (folder / f"{name}.yaml").write_text(text)
    subprocess.run([tenon, "run", f"{name}.yaml", "--quiet"], cwd=folder, check=True)
    subprocess.run([tenon, "export", f"{name}.h5", "--csv", f"{name}.csv"], cwd=folder, check=True)
    head, *_, last = (line.split(",") for line in (folder / f"{name}.csv").read_text().split())
    return dict(zip(head, map(lambda word: float(word or "nan"), last)))


# A box that starts at 3 m/s on mu = 0.4 stops after v^2 / (2 mu g) = 1.1468 m; first order in the step (10 ms).
stop = 3.0**2 / (2 * 0.4 * 9.81)
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "box.yaml").write_text(scene)
    (folder / "example.c").write_text(program)
    subprocess.run([tenon, "check", "box.yaml"], cwd=folder, check=True)
    subprocess.run([tenon, "run", "box.yaml", "--out", "box.h5"], cwd=folder, check=True)
    assert (folder / "box.h5").stat().st_size > 1000
    # Pressed by a fifth of its height: between free sides, E e^2 V/2, and walls on all sides, (1-nu)/(1+nu)/(1-2nu) times.
    energy, free = strain_energy(folder), 0.5 * 50e3 * 0.2**2 * 1e-3
    print(f"strain energy {energy} J, must lie between {free} and {free * 0.6 / 1.4 / 0.2} J")
    assert free < energy < free * 0.6 / 1.4 / 0.2
    # A ten-millionth of the forces is 1e-6 m/s of the light planks on top: as far as that takes them in 1 s.
    fall, natural = tower_fall(folder)
    print(f"the tower moves by {fall} m (limit 1e-6), natural map {natural} (1e-7)")
    assert fall < 1e-6 and natural < 1e-7
    # 60 degrees; the box rests where the arm left it, a side or an edge on the arm of 2 cm.
    last = last_of(folder, "arm", arm)
    angle, speed = last["shoulder.turn"], math.hypot(last["box.vx"], last["box.vy"])
    away = last["box.y"] * math.cos(angle) - last["box.x"] * math.sin(angle)
    print(f"arm at {angle} rad (pi / 3 +- 1e-8), box {away} m beside it (0.12 to 0.162), at {speed} m/s (1e-9)")
    assert abs(angle - math.pi / 3) < 1e-8 and 0.12 - 1e-5 < away < 0.02 + 0.1 * math.sqrt(2) and speed < 1e-9
    (folder / "guide.c").write_text(guide_program)
    for name in ("guide", "example"):
        subprocess.run(
            [cc, "-std=c17", "-Wall", "-Werror", f"{name}.c", "-o", name, *[f"-I{i}" for i in includes], library, *flags],
            cwd=folder, check=True,
        )
    print(subprocess.run([folder / "guide"], check=True, capture_output=True, text=True).stdout, end="")
    text = subprocess.run([folder / "example"], cwd=folder, check=True, capture_output=True, text=True).stdout
    print(text, end="")
    x = float(re.search(r"x = ([0-9.]+) m", text).group(1))
    print(f"stopped at {x} m, wanted {stop:.4f} +- 0.02 m (O(h): v h / 2)")
    sys.exit(0 if abs(x - stop) < 0.02 else 1)
