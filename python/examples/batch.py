"""1000 boxes are pushed at random speeds: a batch, each state on its own."""
import time

import numpy as np
import tenon

model = tenon.Model(text="""
step: 10 ms
materials: {wood: {density: 500, friction: 0.4}}
defaults: {body: {material: wood}}
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}
""")
n, box = 1000, model.body("box")
batch = tenon.Batch(model, n)
speed = np.random.default_rng(1).uniform(0.5, 2.0, n)
# As a push of one step: m v / h.
push = np.zeros((n, model.n_rigid, 6))
push[:, box, 0] = model.masses[box] * (speed / model.step + 0.4 * 9.81)
batch.step(wrench=push)
start = time.perf_counter()
batch.step(70)
way = batch.poses[:, box, 0]
print(f"70000 steps in {time.perf_counter() - start:.2f} s; ways {way.min():.3f} to {way.max():.3f} m")
# Friction stops a box after v^2 / (2 mu g), to first order in the step.
assert np.abs(way - speed**2 / (2 * 0.4 * 9.81)).max() < 0.02
assert batch.natural.max() < 1e-6
