"""tenon.Env: what gymnasium's checker (gymnasium.utils.env_checker) asks of an environment, without gymnasium."""
import copy
import inspect
import unittest

import numpy as np

import tenon

ARM = """
step: 5 ms
duration: 0.2 s
bodies: {arm: {mass: 2, position: [0.25, 0, 0], shape: {box: [0.5, 0.05, 0.05]}}}
joints: {elbow: {type: revolute, b: arm, anchor: [0, 0, 0], axis: [0, -1, 0]}}
"""


class Arm(tenon.Env):
    """Hold level, from a random start; over once it hangs."""

    def __init__(self):
        super().__init__(tenon.Model(text=ARM), n=4)
        self.action_space = type(self.action_space)((1,), -10.0, 10.0)

    def start(self, rng):
        self.sim.step(self.state, effort=rng.uniform(-20, 20, 1), n=2)

    def reward(self, action):
        return -abs(self.state.coordinates[0])

    def terminated(self):
        return self.state.coordinates[0] < -1.5


class Compliance(unittest.TestCase):
    def setUp(self):
        self.env = Arm()

    def check_observation(self, observation):
        self.assertIsInstance(observation, np.ndarray)
        self.assertIn(observation, self.env.observation_space)
        self.assertEqual(observation.dtype, self.env.observation_space.dtype)
        self.assertTrue(np.isfinite(observation).all())

    def test_signatures(self):
        for parameter in ("seed", "options"):
            self.assertIs(inspect.signature(self.env.reset).parameters[parameter].default, None)
        self.assertIsInstance(self.env.metadata["render_modes"], list)
        self.assertIs(self.env.render_mode, None)
        self.assertIs(self.env.unwrapped, self.env)
        self.assertIs(self.env.spec, None)
        self.assertIsInstance(self.env.np_random, np.random.Generator)

    def test_spaces(self):
        space = self.env.action_space
        space.seed(3)
        first = [space.sample() for _ in range(50)]
        space.seed(3)
        np.testing.assert_array_equal(first, [space.sample() for _ in range(50)])
        for action in first:
            self.assertIn(action, space)
            self.assertEqual(action.dtype, space.dtype)
        self.assertGreater(np.ptp(first), 10)  # of 20
        self.assertNotIn(np.array([10.1]), space)
        self.assertNotIn(np.zeros(2), space)
        self.assertNotIn(np.array([np.nan]), space)
        half = type(space)((2, 3), low=1.0)
        self.assertIn(half.sample(), half)
        self.assertEqual(half.sample().shape, (2, 3))

    def test_reset(self):
        """The same seed gives the same start; none goes on with the numbers of the last one."""
        first, info = self.env.reset(seed=5)
        self.check_observation(first)
        self.assertIsInstance(info, dict)
        second, _ = self.env.reset()
        self.assertFalse(np.array_equal(first, second))
        np.testing.assert_array_equal(self.env.reset(seed=5)[0], first)
        np.testing.assert_array_equal(self.env.reset()[0], second)
        self.assertFalse(np.array_equal(self.env.reset(seed=6)[0], first))
        self.env.reset(options={})

    def test_step(self):
        self.env.reset(seed=1)
        self.env.action_space.seed(1)
        ended, total = False, 0.0
        while not ended:
            before = copy.copy(self.env.state.time)
            observation, reward, terminated, truncated, info = self.env.step(self.env.action_space.sample())
            self.check_observation(observation)
            self.assertEqual((type(reward), type(terminated), type(truncated), type(info)), (float, bool, bool, dict))
            self.assertAlmostEqual(self.env.state.time - before, 0.02)
            ended, total = terminated or truncated, total + reward
        self.assertTrue(truncated and not terminated and total < 0)
        # What was seen stays: no view of the state that goes on.
        seen = observation.copy()
        self.env.reset(seed=2)
        np.testing.assert_array_equal(observation, seen)
        self.env.close()

    def test_determinism(self):
        """Two environments, one seed, the same actions: the same to the last bit."""
        other = Arm()
        np.testing.assert_array_equal(self.env.reset(seed=9)[0], other.reset(seed=9)[0])
        for action in ([3.0], [-7.0], [0.5]):
            for mine, yours in zip(self.env.step(action)[:4], other.step(action)[:4]):
                np.testing.assert_array_equal(mine, yours)

    def test_sensors(self):
        """What is seen is what the chosen sensors read, in their order."""
        joint = tenon.Model(text=ARM).joint_names[0]
        text = ARM + f"sensors: {{angle: {{type: coordinate, joint: {joint}}}, load: {{type: force, joint: {joint}}}}}\n"
        env = tenon.Env(tenon.Model(text=text), sensors=["load", "angle"])
        observation, _ = env.reset()
        self.assertEqual(env.observation_space.shape, (4,))
        np.testing.assert_array_equal(observation, np.zeros(4))  # before a step there is no force
        observation = env.step([1.0])[0]
        read = env.sim.sensors(env.state)
        np.testing.assert_array_equal(observation, np.concatenate([read["load"], read["angle"]]))
        self.assertTrue(observation[:3].any() and observation[3] != 0)
        with self.assertRaises(KeyError):
            tenon.Env(env.model, sensors=["none"])

    def test_terminates(self):
        self.env.reset(seed=1)
        self.env.model = tenon.Model(text=ARM.replace("0.2 s", "5 s"))
        for _ in range(100):
            terminated, truncated = self.env.step([-10.0])[2:4]
            if terminated:
                break
        self.assertTrue(terminated and not truncated)


if __name__ == "__main__":
    unittest.main()
