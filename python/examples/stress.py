"""Stress in a rubber block that a press comes down on, over time."""
import numpy as np
import tenon

model = tenon.Model(text="""
step: 10 ms
gravity: [0, 0, 0]
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  press: {shape: {box: [0.2, 0.2, 0.02]}, motion: {position: [0, 0, "0.11 - 0.002*min(t, 1)"]}}
soft:
  block: {grid: {size: [0.1, 0.1, 0.1], divisions: [4, 4, 4]}, position: [0, 0, 0.05], young: 100 kPa, poisson: 0.0,
          damping: {stiffness: 5 ms}}
""")
state, sim = tenon.State(model), tenon.Sim(model)
over_time = []
while state.time < 1.2:
    sim.step(state)
    over_time.append(state.stress[:, 2].mean())
force = sim.contacts["force"][sim.contacts["bodies"][:, 0] == model.body("press"), 2].sum()
print(f"stress {over_time[-1]:.1f} Pa, force of the press {force:.3f} N")
# Pressed by 2 %: E e, on 1 dm^2.
assert abs(over_time[-1] + 100e3 * 0.02) < 20 and abs(abs(force) - 100e3 * 0.02 * 0.01) < 0.2
assert np.all(np.diff(over_time[10:90]) < 0)
