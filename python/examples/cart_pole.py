"""A cart brings its pole upright from starts where a regulator that knows no walls loses it: the plan leans it against a wall.

    python3 cart_pole.py [STARTS [SCENE]]
"""
import pathlib
import sys

import numpy as np
import tenon
from tenon import plan

scene = sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parents[2] / "scenes" / "mpc" / "cart_pole_walls.yaml"
model = tenon.Model(str(scene))
Q, R, limit = np.diag([10.0, 50.0, 1.0, 1.0]), np.array([[0.1]]), 6.0
source = plan.Source(model, ["rail:slide", "hinge:turn"], inputs=["rail:slide"], step=0.04)
sets = dict(u_low=-limit, u_high=limit, x_low=np.array([-4, -1.2, -20, -30]), x_high=np.array([4, 1.2, 20, 30]))


class Regulator:
    """The linear-quadratic regulator of the system without contact, within the same limit, at every step."""

    def __init__(self):
        self.source = plan.Source(model, source.names, source.inputs)
        state = tenon.State(model)
        self.source.write(np.zeros(4), state)
        lcs = self.source.linearize(state)
        self.gain = plan.riccati(lcs.A, lcs.B, Q, 0.1 * R)[1]

    def solve(self, state):
        x = self.source.read(state)
        return plan.Solve(state.time, x, np.clip(-self.gain @ x, -limit, limit), None, None)


def end(controller, x0, every):
    """Largest number of x after 3 s, and the solves."""
    state = tenon.State(model)
    source.write(x0, state)
    solves = list(plan.closed_loop(controller, state, tenon.Sim(model), 3.0, every))
    return abs(source.read(state)).max(), solves


wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 2
rng, tried, upright, seconds = np.random.default_rng(7), 0, 0, []
for start in range(wanted):
    while True:
        x0 = [rng.uniform(-0.1, 0.1), rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), np.sign(rng.uniform(-1, 1)) * rng.uniform(2.5, 3.5)]
        tried += 1
        if end(Regulator(), x0, 1)[0] > 0.5:
            break
    controller = plan.Controller(source, 10, "miqp", dict(node_budget=60), "riccati", Q=Q, R=R, **sets)
    off, solves = end(controller, x0, 8)
    upright += off < 0.1
    seconds += [solve.plan.seconds for solve in solves]
print(f"the regulator lost {wanted} of {tried} starts; of these the planner brought {upright} upright; "
      f"a solve took {1e3 * np.median(seconds):.2g} ms (median)")
assert upright >= 0.95 * wanted
