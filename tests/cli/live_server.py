"""A live run shows itself, obeys, and neither malformed messages nor slow readers nor many visits stop it."""
import struct, sys, time

from live_client import Socket
from server_check import check, files, finish, get, memory
import json, os, socket

port, pid = int(sys.argv[1]), int(sys.argv[2])
BOX = 2

# ---- who may look
origin = f"http://127.0.0.1:{port}"
check("our page", Socket(port, origin=origin).accepted)
check("a program of this machine", Socket(port).accepted)
check("another Origin", not Socket(port, origin="http://evil.example").accepted)
check("another Host", not Socket(port, host="evil.example").accepted)
check("another path", not Socket(port, path="/").accepted)
check("no subprotocol", not Socket(port, protocol=None).accepted)
check("another subprotocol", not Socket(port, protocol="chat").accepted)
status, text = get(port, "/api/header")
header = json.loads(text)
check("the header offers solvers", status == 200 and "nodal" in header["live"]["solvers"])
check("tables that do not change", get(port, "/api/rows/vertices?first=0&n=1")[0] == 200)
check("no rows that do", get(port, "/api/rows/poses?first=0&n=1")[0] == 404)

# ---- frames
start = time.time()
page = Socket(port)
news = json.loads(page.until(lambda m: isinstance(m, str)))
check("news at first", news["state"] == "running" and news["law"] == "coulomb", news)
width = sum(t["width"] for t in header["tables"] if t["name"] in ("poses", "nodes", "stress", "joint_forces", "series"))
frames = []
while time.time() - start < 2:
    frames.append(page.frame())
rate = (len(frames) - 2) / (time.time() - start)  # one was there before he came, one is made because he comes
check("30 frames a second at most", 1 <= rate <= 30, rate)
check("time goes on", all(a.time < b.time for a, b in zip(frames, frames[1:])))
check("a frame's numbers", all(len(f.numbers) == width + 12 * f.contacts for f in frames))

# ---- frames that are asked for
asker = Socket(port)


def on_their_way():
    """Frames that the asker gets until half a second brings none; ten at most."""
    asker.s.settimeout(0.5)
    seen = []
    try:
        while len(seen) < 10:
            seen.append(asker.frame())
    except OSError:
        pass
    asker.s.settimeout(15)
    return seen


for _ in range(5):
    asker.ask("next")
    asker.frame()
more = on_their_way()  # those that were sent before he asked first
check("who asks gets no other frames", len(more) <= 3, len(more))
behind = page.frame()
asker.ask("next")
check("what he asks for is new", asker.frame().time > behind.time)
asker.close()

# ---- commands
page.ask("pause")
check("pause", page.news(state="paused") is not None)


def resting_frame():
    """The frame of a paused run: what newcomers see twice in a row (older ones may still be on their way)."""
    seen = []
    while len(seen) < 2 or seen[-1].step != seen[-2].step:
        time.sleep(0.2)
        newcomer = Socket(port)
        seen.append(newcomer.frame())
        newcomer.close()
    return seen[-1]


first = resting_frame()
asker = Socket(port)
asker.ask("next")
seen = on_their_way()
check("who asks sees where a paused run stands", 1 <= len(seen) <= 3 and seen[-1].step == first.step, len(seen))
asker.ask("next")
newcomer = Socket(port)
check("who comes to a run that stands gets the same", newcomer.frame().step == first.step)
newcomer.close()
check("and who asks waits there", on_their_way() == [])
page.ask("step")
page.ask("step")
page.until(lambda m: isinstance(m, bytes) and struct.unpack_from("<dd", m)[1] >= first.step + 2)
other = Socket(port)
check("a newcomer sees the paused state", other.news(state="paused") is not None)
check("until it goes on", asker.frame().step > first.step)
asker.close()
here = resting_frame()
check("steps are counted", here.step == first.step + 2, (first.step, here.step))
other.close()
page.ask("pull", body=BOX, point=[0.2, 0, 0.1], target=[0.2, 0, 0.6])
page.ask("pace", value=1)
page.ask("resume")
check("resume", page.news(state="running") is not None)
high = page.until(lambda m: isinstance(m, bytes) and struct.unpack_from("<f", m, 24 + 4 * (7 * BOX + 2))[0] > 0.3, 20)
check("a pull lifts the box", high is not None)
page.ask("release")
low = page.until(lambda m: isinstance(m, bytes) and struct.unpack_from("<f", m, 24 + 4 * (7 * BOX + 2))[0] < 0.1, 20)
check("released it falls", low is not None)
page.ask("pace", value=0)
puller = Socket(port)
puller.ask("pull", body=BOX, point=[0.2, 0, 0.1], target=[0.2, 0, 5])
time.sleep(0.3)
puller.close()
low = page.until(lambda m: isinstance(m, bytes) and struct.unpack_from("<f", m, 24 + 4 * (7 * BOX + 2))[0] < 0.1, 20)
check("who leaves lets go", low is not None)
page.ask("pull", body=1, point=[0, 0, 0], target=[0, 0, 1])
check("a fixed body stays", page.news(message="this body does not move freely") is not None)
page.ask("solver", name="direct")
check("a solver that refuses is taken back", page.until(
    lambda m: isinstance(m, str) and json.loads(m).get("message", "").startswith("taken back")) is not None)
page.ask("pause")
page.ask("law", name="convex")
page.ask("solver", name="direct")
page.ask("resume")
kept = page.until(lambda m: isinstance(m, str) and json.loads(m)["state"] == "running" and json.loads(m)["message"] != "")
check("of two choices only the one that fails is taken back", kept is not None and json.loads(kept)["law"] == "convex", kept)
check("and not the solver that fails", kept is not None and json.loads(kept)["solver"] != "direct", kept)
page.ask("law", name="coulomb")
check("back to the first law", page.news(law="coulomb") is not None)
page.ask("solver", name="apgd")
check("another solver", page.news(solver="apgd") is not None)
page.ask("law", name="convex")
check("another law", page.news(law="convex") is not None)
page.ask("solver", name="nothing")
check("no such solver", page.news(message="there is no solver 'nothing'") is not None)
page.ask("reset")
again = page.until(lambda m: isinstance(m, bytes) and struct.unpack_from("<d", m)[0] < 0.5 * last_time if (last_time := struct.unpack_from("<d", low)[0]) else False)
check("reset starts again", again is not None)

# ---- what is no command
for raw in ["", "{", "{}", "[]", "null", "pause", '{"command": "explode"}', '{"command": "pause", "x": 1}', '{"command": 1}',
            '{"command": "pull", "body": 2}', '{"command": "pull", "body": -1, "point": [0,0,0], "target": [0,0,0]}',
            '{"command": "pull", "body": 2, "point": [0,0], "target": [0,0,0]}',
            '{"command": "pull", "body": 2, "point": [1e999,0,0], "target": [0,0,0]}',
            '{"command": "pull", "body": 2, "point": [nan,0,0], "target": [0,0,0]}',
            '{"command": "pace", "value": -1}', '{"command": "pause"} x', '{"command": "pau\\u0073e"}', "\0" * 100, "a" * 511,
            "{" * 500, '{"command": "pause", "command": "pause"}', "x" * 200_000]:
    page.send(raw)
    why = page.error()
    check(f"refused: {raw[:50]!r}", why is not None, why)
page.send(b"\xff\xfe\x00", opcode=2)
check("refused: binary", page.error() is not None)
page.send('{"comm', final=False)
page.send('and": "pause"}', opcode=0)
check("a command in pieces", page.news(state="paused") is not None)
page.ask("resume")
check("and on", page.news(state="running") is not None)
for name, raw in {"not masked": b"\x81\x05hello", "reserved bits": b"\xf1\x80\0\0\0\0", "no such opcode": b"\x8b\x80\0\0\0\0",
                  "endless": b"\x81\xff" + b"\x7f" * 8 + b"\0\0\0\0" + b"x" * 100_000}.items():
    bad = Socket(port)
    try:
        bad.s.sendall(raw)
        time.sleep(0.05)
    except OSError:
        pass
    bad.close()
check("still there after malformed frames", page.frame() is not None)

# ---- slow readers and many visits
slow = [Socket(port, receive_buffer=4096) for _ in range(10)]
for _ in range(30):
    page.receive()
a = page.frame()
start = time.time()
while time.time() - start < 2:
    b = page.frame()
check("goes on beside 10 slow readers", b.step > a.step, f"{(b.step - a.step) / 2:.0f} steps/s")
crowd = [Socket(port) for _ in range(40)]
check("no more than 32 may look", 10 < sum(s.accepted for s in crowd) < 32, sum(s.accepted for s in crowd))
for s in slow + crowd:
    s.close()


def visits(n):
    for k in range(n):
        if k % 2:
            s = Socket(port)
            if k % 4 == 1 and s.accepted:
                s.ask("pull", body=BOX, point=[0.2, 0, 0.1], target=[0.2, 0, 0.2])
            s.s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closes with a reset
            s.close()
        else:
            s = socket.create_connection(("127.0.0.1", port))
            s.sendall(b"GET /api/live HTTP/1.1\r\nUpgrade: webso")
            s.close()


visits(200)
time.sleep(12)
before, open_before = memory(pid), files(pid)
visits(1000)
patience = time.time() + 30  # half a request is given 10 s
while files(pid) > open_before + 3 and time.time() < patience:
    time.sleep(0.5)
check("memory after 1000 visits [KiB]", memory(pid) - before < 8192, memory(pid) - before)
check("open files after 1000 visits", files(pid) <= open_before + 3, f"{open_before} -> {files(pid)}")
page.close()
page = Socket(port)
check("still there", page.accepted and page.frame() is not None)
page.ask("solver", name="nodal")
check("obeys", page.news(solver="nodal") is not None)
finish()
