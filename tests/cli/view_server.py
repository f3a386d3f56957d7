"""Asks `tenon view` as browsers, careless programs and attackers do. Only 127.0.0.1 is ever asked."""
import json, socket, struct, sys, time

import h5py
import numpy as np

from server_check import check, files, finish, get, memory

port, pid, recording = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


def send(raw):
    """The status line's code of the answer to raw bytes, 0 where the connection is closed without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=15) as s:
        got = b""
        try:
            s.sendall(raw)
            s.shutdown(socket.SHUT_WR)
            while b"\r\n" not in got and (piece := s.recv(4096)):
                got += piece
        except OSError:  # it hung up
            pass
    parts = got.split(b" ")
    return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0


status, page = get(port, "/")
check("the page", status == 200 and b"<html" in page, f"{len(page)} bytes")
status, text = get(port, "/api/header")
header = json.loads(text)
check("the header", status == 200 and header["format"] == "tenon view")
rows = {t["name"]: t for t in header["tables"]}
with h5py.File(recording, "r") as f:
    status, body = get(port, "/api/rows/poses?first=3&n=4")
    wanted = f["poses"][3:7, : header["rigid"]].astype("<f4").reshape(-1)
    check("rows are the recording's", status == 200 and np.array_equal(np.frombuffer(body, "<f4"), wanted))
    status, body = get(port, f"/api/rows/time?first=0&n={header['frames']}")
    check("times to the last bit", np.array_equal(np.frombuffer(body, "<f8"), f["time"][: header["frames"]]))
    for k, name in enumerate(f["bodies/name"]):  # each body over time, from docs/recording.md alone
        status, body = get(port, f"/api/body?body={k}")
        got = np.frombuffer(body, "<f8").reshape(-1, 8)
        offset, wanted = f["contacts/offset"][:], []
        for frame, t in enumerate(f["time"]):
            total, pressed, friction, n = np.zeros(3), 0.0, 0.0, 0
            for c in range(offset[frame], offset[frame + 1]):
                a, b = f["contacts/bodies"][c]
                if k in (a, b):
                    force, normal = f["contacts/force"][c].astype(float), f["contacts/normal"][c].astype(float)
                    total += force * ((k == b) - int(k == a))
                    pressed += force @ normal
                    friction += np.linalg.norm(force - (force @ normal) * normal)
                    n += 1
            wanted.append([t, *f["poses"][frame, k, :3], np.linalg.norm(total), pressed, friction, n])
        scale = np.abs(wanted).max(axis=0)
        error = (np.abs(got - wanted) / (scale + (scale == 0))).max()
        check(f"body {k} ({name.decode()}) over time", status == 200 and got.shape[0] == header["frames"] and error < 1e-12, error)



def hangs_up(raw):
    """Whether the server ends the connection after its answer, long before it would for want of requests (10 s)."""
    with socket.create_connection(("127.0.0.1", port), timeout=6) as s:
        s.sendall(raw)
        try:
            while s.recv(65536):
                pass
        except socket.timeout:
            return False
    return True


# Left open although its end was asked for, a connection would keep the server's thread busy once the client is gone.
ours, close = f"Host: 127.0.0.1:{port}\r\n".encode(), b"Connection: close\r\n\r\n"
for what, raw in [
    ("a small answer", b"GET /api/rows/time?first=0&n=2 HTTP/1.1\r\n" + ours + close), ("the page", b"GET / HTTP/1.1\r\n" + ours + close),
    ("a refused host", b"GET / HTTP/1.1\r\nHost: elsewhere\r\n" + close), ("no such page", b"GET /x HTTP/1.1\r\n" + ours + close),
    ("no such body", b"GET /api/body?body=-1 HTTP/1.1\r\n" + ours + close), ("HTTP 1.0", b"GET /x HTTP/1.0\r\n" + ours + b"\r\n"),
    ("not GET", b"POST / HTTP/1.1\r\nContent-Length: 0\r\n" + ours + close),
]:
    check(f"Connection: close is obeyed after {what}", hangs_up(raw))

last = rows["poses"]["rows"]
for path, wanted in [
    (f"/api/rows/poses?first={last}&n=1", 400), ("/api/rows/poses?first=-1&n=1", 400), ("/api/rows/poses?n=1", 400),
    ("/api/rows/poses?first=0&n=99999999999999999999", 400), ("/api/rows/poses?first=1x&n=1", 400),
    ("/api/rows/poses?first=0&n=", 400), ("/api/rows/nothing?first=0&n=1", 404), ("/api/rows/", 404),
    ("/api/body", 400), ("/api/body?body=", 400), ("/api/body?body=-1", 400), ("/api/body?body=99", 400),
    ("/api/body?body=99999999999999999999", 400), ("/api/body?body=4294967297", 400), ("/api/body/1", 404),
    ("/api", 404), ("/../../etc/passwd", 404), ("/%2e%2e/%2e%2e/etc/passwd", 404), ("/index.php", 404),
]:
    status, body = get(port, path)
    check(path, status == wanted, status)
check("another Host", get(port, "/", Host="evil.example")[0] == 403)
check("another Host with our port", get(port, "/", Host=f"evil.example:{port}")[0] == 403)
check("another Origin", get(port, "/api/header", Origin="http://evil.example")[0] == 403)
check("our Origin", get(port, "/api/header", Origin=f"http://127.0.0.1:{port}")[0] == 200)
check("POST", get(port, "/", method="POST")[0] in (403, 405))

host = f"Host: 127.0.0.1:{port}\r\n".encode()
for name, raw in {
    "no HTTP": b"hello\r\n\r\n",
    "zeros": b"\0" * 1000,
    "no Host": b"GET / HTTP/1.1\r\n\r\n",
    "endless line": b"GET /" + b"a" * 100_000,
    "endless headers": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000,
    "no such version": b"GET / HTTP/9.9\r\n" + host + b"\r\n",
    "broken escape": b"GET /%zz HTTP/1.1\r\n" + host + b"\r\n",
    "WebSocket": b"GET / HTTP/1.1\r\n" + host + b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    "half a request": b"GET / HT",
    "negative length": b"POST / HTTP/1.1\r\n" + host + b"Content-Length: -5\r\n\r\n",
}.items():
    code = send(raw)
    check(f"malformed: {name}", code != 200 or name == "no such version", code)

# Slow readers: they ask for much and read nothing; others are served meanwhile.
slow = []
for _ in range(20):
    s = socket.create_connection(("127.0.0.1", port))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.sendall(f"GET /api/rows/poses?first=0&n={last} HTTP/1.1\r\n".encode() + host + b"\r\n")
    slow.append(s)
start = time.time()
ok = all(get(port, "/api/header")[0] == 200 for _ in range(20))
check("served beside 20 slow readers", ok, f"{time.time() - start:.2f} s")  # each is given 10 s
for s in slow:
    s.close()


def visits(n):
    for k in range(n):
        s = socket.create_connection(("127.0.0.1", port))
        if k % 3 == 1:
            s.sendall(b"GET / HTTP/1.1\r\n" + host)
        if k % 3 == 2:
            s.sendall(b"GET /api/header HTTP/1.1\r\n" + host + b"\r\n")
            s.recv(100)
        if k % 5 == 0:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close with a reset
        s.close()
    time.sleep(0.5)


visits(200)
time.sleep(12)
before, open_before = memory(pid), files(pid)
visits(1000)
patience = time.time() + 30  # half a request is given 10 s
while files(pid) > open_before + 3 and time.time() < patience:
    time.sleep(0.5)
check("memory after 1000 visits [KiB]", memory(pid) - before < 4096, memory(pid) - before)
check("open files after 1000 visits", files(pid) <= open_before + 3, f"{open_before} -> {files(pid)}")
check("still there", get(port, "/api/header")[0] == 200)
finish()
