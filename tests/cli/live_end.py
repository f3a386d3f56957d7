"""What a live run does at its end: it stays for a page, no longer than asked, and Ctrl-C then leaves the whole file."""
import json, re, signal, subprocess, sys, time

import h5py

from live_client import Socket
from server_check import check, finish

tenon, scene = sys.argv[1], sys.argv[2:]
STEPS = 300


class Run:
    def __init__(self, *options):
        command = [tenon, "run", *scene, "--set", "record.every=1", "--steps", str(STEPS), "--out", "end.h5", "--json",
                   "--live", "--no-browser", *options]
        self.begun = time.time()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.port = int(re.search(r"127\.0\.0\.1:(\d+)", self.process.stderr.readline())[1])

    def end(self):
        """Exit code, its JSON, seconds since its start."""
        out, _ = self.process.communicate(timeout=60)
        return self.process.returncode, json.loads(out), time.time() - self.begun


def whole(said):
    with h5py.File("end.h5", "r") as f:
        return len(f["time"]) == len(f["poses"]) == STEPS + 1 and said["outcome"] == "done" and said["steps"] == STEPS


# A page that comes late, stays, starts the run again, and goes.
run = Run("--linger", "30")
time.sleep(1)
page = Socket(run.port)
check("it waits at its end for a page", page.accepted and page.news(state="ended") is not None)
with h5py.File("end.h5", "r") as f:
    check("the file is whole meanwhile", len(f["time"]) == STEPS + 1, len(f["time"]))
page.ask("reset")
check("it starts again", page.news(state="running") is not None and page.news(state="ended") is not None)
page.ask("pause")
time.sleep(1)
page.close()
code, said, lasted = run.end()
check("it ends when the page is closed", code == 0 and whole(said), (code, f"{lasted:.1f} s"))
# At least a second of pause and two in which a page may come back.
check("wall_s does not count what it stood", 0 < said["wall_s"] < lasted - 2.5, (said["wall_s"], lasted))
steps = said["ms_per_step"]["total"] * STEPS / 1000
check("wall_s counts the steps", said["wall_s"] > 0.5 * steps, (said["wall_s"], steps))

# No longer than asked, whoever looks.
run = Run("--linger", "1.5")
page = Socket(run.port)
code, said, lasted = run.end()
check("a page keeps it no longer than --linger", code == 0 and whole(said) and lasted < 50, f"{lasted:.1f} s")
page.close()

# Ctrl-C at the end: the run is done.
run = Run("--linger", "60")
page = Socket(run.port)
check("it stays for the page", page.news(state="ended") is not None)
time.sleep(0.5)
check("still", run.process.poll() is None)
run.process.send_signal(signal.SIGINT)
code, said, _ = run.end()
check("Ctrl-C at the end", code == 0 and whole(said), (code, said["outcome"]))
page.close()

# Without a terminal and a page it ends by itself.
run = Run()
code, said, lasted = run.end()
check("nobody looks: it ends", code == 0 and whole(said), f"{lasted:.1f} s")
finish()
