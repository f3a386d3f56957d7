#!/usr/bin/env python3
"""The scene and the C example of README.md, extracted and run: run.py TENON CC LIBRARY INCLUDES... -- FLAGS..."""
import pathlib
import re
import subprocess
import sys
import tempfile

tenon, cc, library = sys.argv[1:4]
rest = sys.argv[4:]
includes, flags = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
readme = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text()
scene = re.search(r"```yaml\n(.*?)```", readme, re.S).group(1)
program = re.search(r"```c\n(.*?)```", readme, re.S).group(1)
assert len(scene.splitlines()) <= 16, "the README promises a scene of about 15 lines"
assert len(program.splitlines()) <= 18, "the README promises a C example of about 15 lines"

# A box that starts at 3 m/s on mu = 0.4 stops after v^2 / (2 mu g) = 1.1468 m; first order in the step (10 ms).
stop = 3.0**2 / (2 * 0.4 * 9.81)
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "box.yaml").write_text(scene)
    (folder / "example.c").write_text(program)
    subprocess.run([tenon, "check", "box.yaml"], cwd=folder, check=True)
    subprocess.run([tenon, "run", "box.yaml", "--out", "box.h5"], cwd=folder, check=True)
    assert (folder / "box.h5").stat().st_size > 1000
    subprocess.run(
        [cc, "-std=c17", "-Wall", "-Werror", "example.c", "-o", "example", *[f"-I{i}" for i in includes], library, *flags],
        cwd=folder, check=True,
    )
    text = subprocess.run([folder / "example"], cwd=folder, check=True, capture_output=True, text=True).stdout
    print(text, end="")
    x = float(re.search(r"x = ([0-9.]+) m", text).group(1))
    print(f"stopped at {x} m, wanted {stop:.4f} +- 0.02 m (O(h): v h / 2)")
    sys.exit(0 if abs(x - stop) < 0.02 else 1)
