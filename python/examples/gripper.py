"""A gripper regulates its force by contact readings, and lifts a box with it."""
import numpy as np
import tenon

scene = tenon.Scene()
scene.set("step", "5 ms")
scene.add("materials", "rubber", density=800, friction=0.6)
scene.set("defaults", {"body": {"material": "rubber"}})
scene.add("bodies", "table", fixed=True, shape={"plane": {}})
scene.add("bodies", "box", position=[0, 0, 0.05], shape={"box": [0.1, 0.1, 0.1]})
scene.add("bodies", "palm", position=[0, 0, 0.25], mass=1, shape={"box": [0.3, 0.1, 0.04]})
scene.add("joints", "lift", type="prismatic", b="palm", anchor=[0, 0, 0.25], axis=[0, 0, 1],
          slide={"motor": {"velocity": 0}})
for name, side in (("left", -1), ("right", 1)):
    scene.add("bodies", name, position=[0.08 * side, 0, 0.1], mass=0.3, shape={"box": [0.02, 0.08, 0.16]})
    scene.add("joints", f"{name}_slide", type="prismatic", a="palm", b=name, anchor=[0.08 * side, 0, 0.1], axis=[-side, 0, 0],
              slide={"limits": [0, "6 cm"], "damping": 5})
model = scene.model()
state, sim = tenon.State(model), tenon.Sim(model)
box, left, lift = model.body("box"), model.body("left"), model.coordinate("lift:slide")
fingers = [model.coordinate("left_slide:slide"), model.coordinate("right_slide:slide")]

wanted, effort, target_rate = 20.0, np.zeros(len(model.coordinate_names)), np.full(len(model.coordinate_names), np.nan)
for step in range(400):
    # Grip: what the left finger presses with, and a little more or less of it.
    if step > 0:
        bodies, force = sim.contacts["bodies"], sim.contacts["force"]
        pressed = abs(force[(bodies == [box, left]).all(1), 0].sum())
        effort[fingers] += 0.1 * (wanted - pressed)
        effort[fingers] = np.clip(effort[fingers], 0, 40)
    target_rate[lift] = 0.1 if step > 200 else 0.0
    sim.step(state, effort=effort, target_rate=target_rate)

print(f"the finger presses with {pressed:.3f} N, the box is {state.poses[box, 2] - 0.05:.3f} m over the table")
assert abs(pressed - wanted) < 0.2 and abs(state.poses[box, 2] - 0.05 - 0.1) < 5e-3
