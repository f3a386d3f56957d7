#!/usr/bin/env python3
"""What the Python package costs, and its queries and batches: medians of five runs. On one thread processor time, so that
others on the machine count little; on two wall time, which wants a quiet machine.

    make python && PYTHONPATH=... python3 bench/python_costs.py"""
import statistics
import time

import numpy as np
import tenon

BOX = """
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}
"""
TWELVE = """
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}, array: {count: [2, 2, 3], spacing: [0.25, 0.25, 0.2]}}
"""
CROWD = """
seed: 3
bodies:
  balls: {shape: {sphere: 0.2}, scatter: {count: 334, low: [-6, -6, 0], high: [6, 6, 6]}}
  boxes: {shape: {box: [0.4, 0.3, 0.2]}, scatter: {count: 333, low: [-6, -6, 0], high: [6, 6, 6]}}
  bones: {shape: {capsule: {radius: 0.1, length: 0.4}}, scatter: {count: 333, low: [-6, -6, 0], high: [6, 6, 6]}}
"""
FIELD = """
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}, array: {count: [50, 50, 1], spacing: [0.25, 0.25, 1]}}
"""


def median(call, n=5, clock=time.thread_time):
    times = []
    for _ in range(n):
        start = clock()
        call()
        times.append(clock() - start)
    return statistics.median(times)


def step_cost():
    model = tenon.Model(text=BOX)
    state, sim = tenon.State(model), tenon.Sim(model)
    n = 5000

    def one_by_one():
        for _ in range(n):
            sim.step(state)

    sim.step(state, n=100)
    alone, loop = median(lambda: sim.step(state, n=n)) / n, median(one_by_one) / n
    print(f"a step of one box   {1e6 * loop:8.2f} us from a loop in Python, {1e6 * alone:.2f} us of n at once")


COMMON = ("bodies", "point", "normal", "gap", "force")


def contacts():
    """Of 10^4 contacts: what reading arrays after a step takes, and by how much the step is longer that writes them."""
    model = tenon.Model(text=FIELD)
    state, sim = tenon.State(model), tenon.Sim(model)
    sim.step(state)
    sets = ((), COMMON, tuple(sim.contacts.keys()))
    steps, reads = [[] for _ in sets], [[] for _ in sets]
    for _ in range(10):
        for k, names in enumerate(sets):
            sim.step(state)
            [sim.contacts[name] for name in names]  # what the next step writes
            start = time.thread_time()
            sim.step(state)
            middle = time.thread_time()
            [sim.contacts[name] for name in names]
            reads[k].append(time.thread_time() - middle)
            steps[k].append(middle - start)
    nothing, common, everything = ((1e6 * statistics.median(s), 1e6 * statistics.median(r)) for s, r in zip(steps, reads))
    first = tenon.Sim(model)
    first.step(state)
    start = time.thread_time()
    for name in COMMON:
        first.contacts[name]
    asked_first = 1e6 * (time.thread_time() - start)
    print(f"contacts            {common[1]:8.1f} us for {', '.join(COMMON)} of {len(sim.contacts['gap'])} in every step "
          f"({nothing[1]:.1f} with none), {everything[1]:.1f} for all; asked for the first time {asked_first:.0f} us; "
          f"steps of {nothing[0]:.0f} us take {common[0] - nothing[0]:.0f} and {everything[0] - nothing[0]:.0f} us more")


def rays():
    model = tenon.Model(text=CROWD)
    state = tenon.State(model)
    query = tenon.Query(state)
    random = np.random.default_rng(1)
    origins, directions = random.uniform(-7, 7, (10000, 3)), random.normal(size=(10000, 3))
    hits = (query.rays(origins, directions)["body"] >= 0).sum()
    one = 1e3 * median(lambda: query.rays(origins, directions))
    two = 1e3 * median(lambda: query.rays(origins, directions, threads=2), clock=time.perf_counter)
    print(f"10000 rays          {one:8.2f} ms on one thread, {two:.2f} on two, against {model.n_rigid - 1} bodies "
          f"({hits} hit); update of the tree {1e3 * median(lambda: query.update(state)):.2f} ms")


def batch():
    model = tenon.Model(text=TWELVE)
    rate = []
    for threads in (1, 2):
        many = tenon.Batch(model, 1000, threads=threads)
        many.step(5)
        rate.append(median(lambda: many.step(5), clock=time.perf_counter) / 5000)
    print(f"batch of 1000       {1e6 * rate[0]:8.2f} us a step of 12 bodies on one thread, {1e6 * rate[1]:.2f} on two: "
          f"{rate[0] / rate[1]:.2f} times")


for measure in (step_cost, contacts, rays, batch):
    measure()
