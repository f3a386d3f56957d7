"""A pendulum swings up by a weak torque, which pumps energy in, and balances by feedback."""
import numpy as np
import tenon

mass, length, strength = 1.0, 1.0, 3.0  # the weight's torque is up to 9.8 N m
scene = tenon.Scene()
scene.set("step", "5 ms")
scene.set("scheme", "midpoint")
scene.add("bodies", "bob", mass=mass, position=[0, 0, -length], shape={"sphere": 0.05})
scene.add("joints", "pivot", type="revolute", b="bob", anchor=[0, 0, 0], axis=[0, 1, 0])
model = scene.model()
state, sim = tenon.State(model), tenon.Sim(model)

inertia = mass * length**2 + 0.4 * mass * 0.05**2
top = mass * 9.81 * length
for step in range(4000):
    angle, rate = state.coordinates[0], state.rates[0]
    energy = 0.5 * inertia * rate**2 - top * np.cos(angle)
    off = (angle - np.pi + np.pi) % (2 * np.pi) - np.pi  # from upright
    if abs(off) < 0.3 and abs(rate) < 2:
        effort = -30 * off - 8 * rate  # balance
    else:
        effort = 2 * (top - energy) * np.sign(rate if rate else 1.0)  # pump
    sim.step(state, effort=[np.clip(effort, -strength, strength)])

off = (state.coordinates[0]) % (2 * np.pi) - np.pi
print(f"{off:.1e} rad from upright, {state.rates[0]:.1e} rad/s")
assert abs(off) < 1e-3 and abs(state.rates[0]) < 1e-3
