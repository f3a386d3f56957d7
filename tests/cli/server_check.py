"""What the tests of servers share: checks that are counted, requests, and what a process holds."""
import http.client, os, sys

failed = 0


def check(what, ok, seen=""):
    global failed
    failed += not ok
    print(f"{'ok' if ok else 'FAILED'}: {what} {seen}", flush=True)


def get(port, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def memory(pid):
    """Resident, in KiB."""
    with open(f"/proc/{pid}/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def finish():
    sys.exit(1 if failed else 0)
