"""One step's problem of a heap of balls that one falls onto, solved by every solver that takes it: how long each needs for how small an error. Drawn
where matplotlib is installed, and checked: what converges has the velocities of all others."""
import sys

import numpy as np

import tenon

HEAP = """
step: 10 ms
materials: {default: {density: 500, friction: 0.5}}
defaults: {body: {shape: {sphere: 0.1}}}
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  low: {position: [0, 0, 0.1], array: {count: [3, 3, 1], spacing: [0.2, 0.2, 0]}}
  middle: {position: [0.1, 0.1, 0.2415], array: {count: [2, 2, 1], spacing: [0.2, 0.2, 0]}}
  top: {position: [0.2, 0.2, 0.383], velocity: [0, 0, -1], angular_velocity: [0, 0, 5]}
"""
TOLERANCES = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10]


def measure(problem: tenon.Problem) -> dict[str, list[dict]]:
    """Of each solver a solution for each tolerance, as far as it gets there."""
    found: dict[str, list[dict]] = {}
    for solver in tenon.solvers():
        try:
            solutions = [problem.solve(solver, natural=t, momentum=t, max_iterations=2000) for t in TOLERANCES]
        except tenon.Error as error:
            print(f"{solver:10} {error}")
            continue
        found[solver] = [s for s in solutions if s["converged"]]
        last = solutions[-1]
        print(f"{solver:10} {last['iterations']:5} iterations, natural map {last['certificate']['natural']:.1e}")
    return found


def draw(found: dict[str, list[dict]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = pyplot.figure(figsize=(7, 4.5)).gca()
    for solver, solutions in found.items():
        if solutions:
            axes.loglog([s["certificate"]["natural"] for s in solutions], [1e3 * s["seconds"] for s in solutions], "o-", label=solver)
    axes.set_xlabel("natural map [-]"), axes.set_ylabel("time [ms]"), axes.legend(ncols=2)
    pyplot.savefig(path)


if __name__ == "__main__":
    model = tenon.Model(text=HEAP)
    state, sim = tenon.State(model), tenon.Sim(model)
    sim.step(state)
    problem = sim.problem()
    found = measure(problem)
    try:
        draw(found, sys.argv[1] if len(sys.argv) > 1 else "/dev/null")
    except ImportError:
        pass
    exact = [s[-1] for s in found.values() if len(s) == len(TOLERANCES)]
    apart = max(np.abs(s["v"] - exact[0]["v"]).max() for s in exact)
    print(f"{problem.n_contacts} contacts; {len(exact)} solvers reach {TOLERANCES[-1]:g}, their velocities differ by {apart:.1e} m/s")
    assert len(exact) >= 5 and apart < 1e-6
    # The certificate is anybody's to ask: of this problem, not of a solver.
    assert problem.certify(exact[0])["natural"] == exact[0]["certificate"]["natural"]
