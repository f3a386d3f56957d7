#!/usr/bin/env python3
"""Scenes at random: bodies of all shapes, joints with what acts in them, springs, a soft body, a rod, a robot, each
under random settings; some weightless, with plates and needles, on a belt, confined to planes, with friction above 10.
Every one of them runs to its end, or ends with the error that energy came from nowhere; what it
reports are numbers, and forces and velocities balance. Written by `convert`, stopped halfway and resumed, it comes to
the same state bit by bit, with a FOLDER also on two threads.

    any_scene.py TENON SCENES FIRST LAST [FOLDER]   the scenes of these numbers, written to FOLDER/N.yaml

The scenes of a number are the same everywhere. For long hunts: any_scene.py build/check/tenon scenes 1000 2000 /tmp/any
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

KINDS = ["sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull"]
JOINTS = ["revolute", "prismatic", "cylindrical", "spherical", "universal", "weld", "planar", "distance", "point_on_line",
          "point_on_plane", "screw", "bushing"]
TURNS = ("revolute", "cylindrical", "universal", "screw", "planar")
SLIDES = ("prismatic", "cylindrical", "planar", "point_on_line")
MOMENTUM = 1e-4  # of the forces


class Draw:
    """One scene. What a scheme or law refuses (docs/scene.md) is not drawn."""

    def __init__(self, seed, robots):
        self.r = random.Random(seed)
        self.between, self.one_of = self.r.uniform, self.r.choice
        self.scheme = self.one_of(["euler"] * 7 + ["midpoint"] + ["implicit"] * 2)
        self.whole = self.scheme != "midpoint"
        self.robots = robots

    def chance(self, part):
        return self.r.random() < part

    def power(self, low, high):
        return 10.0 ** self.between(low, high)

    def vector(self, low, high):
        return [self.between(low, high) for _ in range(3)]

    def rotation(self):
        return {"axis": [self.r.gauss(0.0, 1.0) for _ in range(3)], "angle": self.between(-3.1, 3.1)}

    def shape(self):
        size = self.power(-1.5, -0.6)
        length = lambda: size * self.power(-0.4, 0.4)
        kind = self.one_of(KINDS)
        return {kind: {
            "sphere": lambda: size,
            "box": lambda: [length(), length(), length()],
            "capsule": lambda: {"radius": 0.5 * size, "length": length()},
            "cylinder": lambda: {"radius": 0.5 * size, "length": length()},
            "cone": lambda: {"radius": 0.5 * size, "height": length(), "top_radius": self.one_of([0, 0.3 * size])},
            "ellipsoid": lambda: [0.5 * length(), 0.5 * length(), 0.5 * length()],
            "hull": lambda: {"points": [self.vector(-size, size) for _ in range(self.r.randint(4, 30))]},
        }[kind]()}

    def settings(self):
        out = {"duration": 0.6, "step": self.one_of([0.01, 0.01, 0.005]), "scheme": self.scheme}
        if self.chance(0.3) and self.whole:
            out["coordinates"] = "reduced"
        if self.chance(0.15):
            out["law"] = self.one_of(["convex", "frictionless"])
        if self.chance(0.15):
            out["gap"] = self.one_of(["none", "baumgarte"])
        if self.chance(0.1) and self.scheme == "euler":
            out["restitution_law"] = "poisson"
        if self.chance(0.2):
            out["solver"] = {"accuracy": self.one_of(["draft", "tight"])}
        return out

    def materials(self, settings):
        gives_way = self.chance(0.15) and self.whole and "restitution_law" not in settings
        rolls = self.whole and "law" not in settings
        out = {}
        for i in range(4):
            m = out[f"m{i}"] = {"density": self.power(1.5, 4.0), "friction": self.between(0.0, 1.3)}
            if self.chance(0.2):
                m["friction"] = {"mu1": self.between(0, 1), "mu2": self.between(0, 1), "direction": [1, 0, 0]}
            if self.chance(0.3) and not gives_way:
                m["restitution"] = self.between(0.0, 0.9)
            if self.chance(0.2) and rolls:
                m["rolling"] = self.power(-4.0, -2.0)
            if self.chance(0.5) and gives_way:
                m["stiffness"], m["damping"] = self.power(3.0, 6.0), self.power(0.0, 2.0)
        return out

    def bodies(self, materials):
        material = lambda: self.one_of(list(materials))
        floor = self.one_of([{"plane": {}}, {"plane": {}},
                             {"heights": {"size": [6, 6], "z": "0.1*sin(3*x)*cos(2*y)", "points": [40, 40]}}])
        out = {"floor": {"fixed": True, "shape": floor, "material": material()}}
        height = 0.35
        for i in range(self.r.randint(1, 12)):
            b = out[f"b{i}"] = {"position": [self.between(-0.5, 0.5), self.between(-0.5, 0.5), height],
                                "rotation": self.rotation(), "material": material()}
            height += self.between(0.1, 0.5)
            if self.chance(0.3):
                b["velocity"], b["angular_velocity"] = self.vector(-3.0, 1.0), self.vector(-20.0, 20.0)
            if self.chance(0.2):
                b["shapes"] = [dict(self.shape(), position=self.vector(-0.1, 0.1)) for _ in range(2)]
            else:
                b["shape"] = self.shape()
        if self.chance(0.3):
            out["mover"] = {"shape": {"box": [0.3, 0.3, 0.3]}, "material": material(),
                            "motion": {"position": ["1 - 0.8*sin(2*t)", 0, 0.15], "angle": "t"}}
        return out, height

    def acts(self, reach):
        """What acts on a coordinate that is free."""
        out = {}
        if self.chance(0.5):
            out["limits"] = [-reach * self.between(0.1, 1.0), reach * self.between(0.1, 1.0)]
        motor = self.r.random()
        if motor < 0.2:
            out["motor"] = {"velocity": self.between(-3.0, 3.0), "strength": self.power(-1.0, 3.0)}
        elif motor < 0.4:
            out["motor"] = {"position": f"{0.5 * reach:g}*sin(3*t)", "stiffness": self.power(1.0, 5.0),
                            "damping": self.power(-1.0, 3.0)}
        for key, low, high, allowed in (("friction", -2, 1, self.whole), ("damping", -2, 1, True),
                                        ("stiffness", 0, 4, True), ("armature", -3, -1, self.whole)):
            if allowed and self.chance(0.2):
                out[key] = self.power(low, high)
        return out

    def joints(self, bodies):
        names = [name for name in bodies if name.startswith("b")]
        out = {}
        for i in range(self.r.randint(1, min(5, len(names))) if self.chance(0.6) else 0):
            kind, b = self.one_of(JOINTS), names[i]
            a = self.one_of(["world"] + names[:i])
            if a != "world":  # near what it hangs from
                bodies[b]["position"] = [x + y for x, y in zip(bodies[a]["position"], self.vector(0.03, 0.12))]
            at = bodies[b]["position"]
            other = bodies[a]["position"] if a != "world" else [at[0], at[1], at[2] + 0.15]
            joint = out[f"j{i}"] = {"type": kind, "a": a, "b": b}
            if kind == "distance":
                joint.update(point_a=[0, 0, 0] if a != "world" else other, point_b=[0, 0, 0])
                if self.chance(0.4):
                    joint["slide"] = {"stiffness": self.power(1, 4), "damping": self.power(-2, 1), "rest": 0.15}
                continue
            joint["anchor"] = [0.5 * (x + y) for x, y in zip(at, other)]
            if kind not in ("spherical", "weld"):
                joint["axis"] = self.vector(0.1, 1.0)
            if kind == "screw":
                joint["pitch"] = self.between(0.01, 0.2)
            if kind == "bushing":
                joint.update(stiffness=self.power(2, 6), turn_stiffness=self.power(0, 4), damping=self.power(0, 2))
            if kind in TURNS:
                joint["turn"] = self.acts(1.5)
            if kind in SLIDES:
                joint["slide"] = self.acts(0.3)
        return out

    def tendon(self, joints):
        """Forces along the difference of two joints' coordinates, or a sum of more."""
        free = [(name, key) for name, joint in joints.items() for key in ("slide", "turn") if key in joint]
        if len(free) > 1 and self.chance(0.5):
            parts = self.r.sample(free, self.r.randint(2, min(4, len(free))))
            acts = self.acts(1.5 if parts[-1][1] == "turn" else 0.3)
            if any(joints[name]["type"] == "distance" for name, _ in parts):  # whose length is not 0 at the start
                acts = {"damping": self.power(-2, 1), "stiffness": self.power(0, 4)}
            joints["tendon"] = {"type": "gear", "joints": [name for name, _ in parts],
                                "coordinates": [key for _, key in parts],
                                "ratio": [self.between(-2.0, 2.0) for _ in parts[1:]], parts[-1][1]: acts}

    def soft(self, height, materials):
        mesh = self.one_of([{"grid": {"size": [0.3, 0.2, 0.1], "divisions": [4, 3, 2]}},
                            {"ball": {"radius": 0.12, "divisions": 3}}])
        return dict(mesh, position=[0, 0, height + 0.2], rotation=self.rotation(), young=self.power(4.5, 8.0),
                    poisson=self.between(0.2, 0.45), material=self.one_of(list(materials)),
                    damping={"stiffness": self.power(-4, -2)}, self_contact=self.chance(0.2))

    def rod(self, height, materials):
        z = height + 0.8
        return {"points": [[-0.4, self.between(-0.3, 0.3), z], [0.2, self.between(-0.3, 0.3), z], [0.7, 0.1, z + 0.2]],
                "radius": self.power(-2.3, -1.7), "segments": self.r.randint(4, 30), "young": self.power(5.0, 8.5),
                "material": self.one_of(list(materials))}

    def extremes(self, out):
        """What few scenes have."""
        bodies = [body for name, body in out["bodies"].items() if name.startswith("b")]
        floor = out["bodies"]["floor"]
        if self.chance(0.06):
            out["gravity"] = self.one_of([[0, 0, 0], [3, 0, -9]])
        if self.chance(0.06):
            self.one_of(list(out["materials"].values()))["friction"] = self.power(1.0, 1.7)
        if self.chance(0.1):
            thin, body = self.power(-4.0, -2.3), self.one_of(bodies)
            body.pop("shapes", None)
            body["shape"] = self.one_of([{"box": [0.3, 0.2, thin]}, {"box": [0.3, thin, thin]},
                                         {"cylinder": {"radius": 0.1, "length": thin}},
                                         {"capsule": {"radius": thin, "length": 0.3}}, {"ellipsoid": [0.1, 0.1, thin]}])
        if self.chance(0.1) and "plane" in floor["shape"]:
            belt = [self.between(-2.0, 2.0), self.between(-2.0, 2.0), 0]
            floor.update(position=[0, 0, -0.25], shape={"box": [6, 6, 0.5], "surface_velocity": belt})
        if self.chance(0.06):
            for body in bodies:
                body["confine"] = {"normal": self.one_of([[1, 0, 0], [0, 0, 1], [0.3, 0.4, 0.5]])}
                body.pop("velocity", None), body.pop("angular_velocity", None)

    def scene(self):
        out = self.settings()
        out["materials"] = self.materials(out)
        out["bodies"], height = self.bodies(out["materials"])
        joints = self.joints(out["bodies"])
        if joints:
            out["joints"] = joints
        if self.chance(0.3):
            out["springs"] = {"s": {"a": "b0", "b": "world", "point_b": [0, 0, 1.5], "stiffness": self.power(0, 4),
                                    "damping": self.power(-1, 2), "rest_length": self.between(0.0, 0.5)}}
        if self.chance(0.35):
            out["soft"] = {"soft": self.soft(height, out["materials"])}
        elif self.chance(0.1):
            out["sleep"] = 0.1
        if self.chance(0.25):
            out["rods"] = {"rope": self.rod(height, out["materials"])}
        if self.chance(0.15) and self.whole:
            model = self.one_of(["panda.xml", "humanoid.xml", "quadruped.xml"])
            out["robots"] = [{"file": str(self.robots / model), "prefix": "robot-", "position": [2.2, 0, 0]}]
        self.tendon(joints)
        self.extremes(out)
        return out


def complaint(tenon, path, state):
    """What is wrong with the run of a scene, or None, and whether energy that came from nowhere has ended it; its last
    state goes to a file."""
    run = subprocess.run([tenon, "run", path, "--no-record", "--save", state], capture_output=True, text=True, timeout=500)
    blown_up = run.returncode == 1 and "have come from nowhere" in run.stderr
    if run.returncode != 0 and not blown_up:
        return f"exit code {run.returncode}: {run.stderr.strip()[-500:]}", False
    if re.search(r"\b-?(nan|inf)\b", run.stdout):
        return "a figure is no number", blown_up
    momentum = re.search(r"^ +momentum +(\S+)", run.stdout, re.M)
    jammed = re.search("^overlap", run.stdout, re.M)  # joints may hold bodies in one another: no forces part them
    if not (blown_up or jammed) and float(momentum.group(1)) > MOMENTUM:
        return f"momentum figure {momentum.group(1)}", False
    return None, blown_up


def other_way(tenon, path, plain, scene, threads):
    """What the run's last state, plain, shows to depend on that it should not, or None."""
    half = round(0.5 * scene["duration"] / scene["step"])
    ends = round(scene["duration"] / scene["step"]) - half
    middle, last, copy = (plain.with_name(name) for name in ("middle", "last", "copy.yaml"))
    for command in (["convert", path, copy],
                    ["run", copy, "-n", half, "--threads", threads, "--save", middle],
                    ["run", copy, "-n", ends, "--resume", middle, "--save", last]):
        command += ["--no-record", "-q"] if command[0] == "run" else []
        run = subprocess.run([tenon] + [str(word) for word in command], capture_output=True, text=True, timeout=500)
        if run.returncode != 0:
            return f"{command}: exit code {run.returncode}: {run.stderr.strip()[-500:]}"
    return None if plain.read_bytes() == last.read_bytes() else "converted and resumed it comes to another state"


def main():
    tenon, scenes, first, last = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3]), int(sys.argv[4])
    folder = pathlib.Path(sys.argv[5] if len(sys.argv) > 5 else tempfile.mkdtemp(prefix="any_scene-"))
    folder.mkdir(parents=True, exist_ok=True)
    bad = ended = 0
    for seed in range(first, last + 1):
        path = folder / f"{seed}.yaml"
        scene = Draw(seed, scenes / "robots/models").scene()
        path.write_text(json.dumps(scene, indent=1))
        with tempfile.TemporaryDirectory() as scratch:
            state = pathlib.Path(scratch) / "plain"
            wrong, blown_up = complaint(tenon, path, state)
            ended += blown_up
            if not wrong and not blown_up:
                wrong = other_way(tenon, path, state, scene, 2 if len(sys.argv) > 5 else 1)
        if wrong:
            bad += 1
            print(f"scene {seed} ({path}): {wrong}")
        elif len(sys.argv) <= 5:
            path.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()
    print(f"{last + 1 - first} scenes, {bad} wrong, {ended} ended by energy from nowhere")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
