"""How far a box slides over friction and speed: 30 runs on Dask's workers where it is installed, else on processes; and where
the sweep is interrupted it goes on from there."""
import concurrent.futures
import tempfile
from pathlib import Path

import tenon

STUDY = {
    "scene": """
step: 10 ms
duration: 1.5
materials: {default: {density: 500, friction: 0.4}}
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}
""",
    "parameters": {
        "materials.default.friction": {"from": 0.2, "to": 0.6, "n": 10},
        "bodies.box.velocity": [[1, 0, 0], [2, 0, 0], [3, 0, 0]],
    },
    "results": {"way": "body('box')[-1, 0]", "stopped": "abs(body('box')[-1, 0] - body('box')[-2, 0]) < 1e-9"},
}


def run(out: Path) -> dict:
    try:
        import distributed
    except ImportError:
        with concurrent.futures.ProcessPoolExecutor(2) as executor:
            return tenon.sweep(STUDY, executor, out)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            return tenon.sweep(STUDY, client.get_executor(), out)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        table = run(Path(folder) / "slide.csv")
    assert not any(table["error"])
    worst = 0.0
    for friction, (speed, _, _), way, stopped in zip(*(table[name] for name in [*STUDY["parameters"], "way", "stopped"])):
        if stopped:  # v^2 / (2 mu g), and what steps of 10 ms leave out of it
            worst = max(worst, abs(way - speed**2 / (2 * friction * 9.81)) / (0.01 * speed))
    print(f"{sum(table['stopped']):.0f} of {len(table['run'])} boxes stop, {worst:.2f} steps' way off the formula at most")
    assert worst < 1
