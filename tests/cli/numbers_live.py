"""Frames of a live run against the recording that it makes: numbers_live.py PORT PID F.h5. Ends the run."""
import json, os, signal, sys, time

import h5py
import numpy as np

from live_client import Socket
from server_check import check, finish, get

port, pid, recording = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
header = json.loads(get(port, "/api/header")[1])
page = Socket(port)
frames = []
while len(frames) < 12:
    frames.append(page.frame())
os.kill(pid, signal.SIGINT)
page.close()
for _ in range(600):
    try:
        f = h5py.File(recording, "r")
        if "outcome" in f.attrs:
            break
        f.close()
    except OSError:
        pass
    time.sleep(0.1)

width = {t["name"]: t["width"] for t in header["tables"]}
series = [s["name"] for s in header["series"]]
joints = [b.decode() for b in f["joints/name"]]
steps = list(f["step"][:])
worst = {}


def compare(what, got, wanted):
    wanted = np.asarray(wanted, float).ravel()
    got = np.asarray(got, float)
    assert got.shape == wanted.shape, (what, got.shape, wanted.shape)
    same = np.isnan(got) == np.isnan(wanted)
    scale = max(1e-30, float(np.abs(np.nan_to_num(wanted)).max(initial=0.0)))
    off = float(np.abs(np.nan_to_num(got - wanted)).max(initial=0.0)) / scale if same.all() else np.inf
    worst[what] = max(worst.get(what, 0.0), off)


def mises(frame):
    """At each node: the mean of its elements by volume."""
    tets, rest, s = f["soft/tets"][:], f["soft/rest"][:], f["soft/stress"][frame].astype(float)
    e = rest[tets[:, 1:]] - rest[tets[:, :1]]
    volume = np.einsum("ti,ti->t", np.cross(e[:, 0], e[:, 1]), e[:, 2]) / 6
    v = np.sqrt(0.5 * ((s[:, 0] - s[:, 1]) ** 2 + (s[:, 1] - s[:, 2]) ** 2 + (s[:, 2] - s[:, 0]) ** 2) + 3 * (s[:, 3:] ** 2).sum(1))
    total, around = np.zeros(len(rest)), np.zeros(len(rest))
    for k in range(4):
        np.add.at(total, tets[:, k], v * volume)
        np.add.at(around, tets[:, k], volume)
    return total / around


contacts = 0
for frame in frames:
    k = steps.index(int(frame.step))
    assert frame.time == f["time"][k]
    numbers, at = np.array(frame.numbers), 0
    parts = {}
    for name in ("poses", "nodes", "stress", "joint_forces", "series"):
        parts[name] = numbers[at : at + width[name]]
        at += width[name]
    compare("poses", parts["poses"], f["poses"][k, : header["rigid"]])
    compare("nodes", parts["nodes"], f["soft/positions"][k])
    compare("stress", parts["stress"], mises(k))
    compare("joint forces", parts["joint_forces"], [f["joints/force"][k, joints.index(j["name"])] for j in header["joints"]])
    for name, value in zip(series, parts["series"]):
        if not name.startswith("timings/"):
            compare("series " + name, [value], [f[name][k]])
    first, end = f["contacts/offset"][k : k + 2]
    rows, patches = numbers[at : at + 12 * frame.contacts].reshape(-1, 12), numbers[at + 12 * frame.contacts :]
    assert len(rows) == frame.contacts == end - first and width["patches"] == 6
    compare("patches", patches, f["contacts/patch"][first:end])
    compare("contacts' bodies", rows[:, :2].ravel(), f["contacts/bodies"][first:end])
    compare("contacts' points", rows[:, 2:5].ravel(), f["contacts/point"][first:end])
    compare("contacts' normals", rows[:, 5:8].ravel(), f["contacts/normal"][first:end])
    compare("contacts' forces", rows[:, 8:11].ravel(), f["contacts/force"][first:end])
    compare("slip speeds", rows[:, 11], np.linalg.norm(f["contacts/velocity"][first:end][:, 1:], axis=1))
    contacts += len(rows)
check("frames of different steps, with contacts", len({x.step for x in frames}) > 5 and contacts > 30, contacts)
for what, off in worst.items():
    if off > 1e-5 or not what.startswith("series"):
        check(what, off <= (1e-4 if what == "stress" else 1e-6), f"off by {off:.2g} of the largest")
finish()
