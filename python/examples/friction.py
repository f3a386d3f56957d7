"""Friction of a sliding box, found from where it was seen."""
import numpy as np
import tenon

scene = """
step: 5 ms
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  box: {position: [0, 0, 0.1], velocity: [2, 0, 0], shape: {box: [0.2, 0.2, 0.2]}}
"""


def track(friction):
    """Places of the box over time (100,) [m]."""
    model = tenon.Model(text=scene, set=["materials={m: {friction: %.17g}}" % friction, "bodies.box.material=m",
                                         "bodies.floor.material=m"])
    state, sim, x = tenon.State(model), tenon.Sim(model), []
    for _ in range(100):
        sim.step(state)
        x.append(state.poses[model.body("box"), 0])
    return np.array(x)


seen = track(0.37) + np.random.default_rng(3).normal(0, 1e-3, 100)  # measured to a millimetre
mu = 0.2
for _ in range(6):  # Gauss and Newton, the slope by a difference
    there = track(mu)
    slope = (track(mu + 1e-5) - there) / 1e-5
    mu += slope @ (seen - there) / (slope @ slope)
print(f"friction {mu:.4f}")
assert abs(mu - 0.37) < 2e-3
