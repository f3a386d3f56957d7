"""Looks at `tenon run --live` as a page does, and as careless programs and attackers do. Only 127.0.0.1 is ever asked."""
import base64, hashlib, json, os, socket, struct, time

class Socket:
    """A WebSocket client (RFC 6455): what the test needs of it."""

    def __init__(self, port, path="/api/live", protocol="tenon-live", host=None, origin=None, receive_buffer=None):
        self.s = socket.socket()
        if receive_buffer:
            self.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.s.settimeout(15)
        self.s.connect(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Upgrade: websocket",
                 "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        lines += [f"Sec-WebSocket-Protocol: {protocol}"] if protocol else []
        lines += [f"Origin: {origin}"] if origin else []
        self.got = b""
        self.accepted = False
        try:
            self.s.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            while b"\r\n\r\n" not in self.got:
                self.got += self.more()
            head, self.got = self.got.split(b"\r\n\r\n", 1)
            wanted = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
            self.accepted = b" 101 " in head and base64.b64encode(wanted) in head
        except OSError:
            pass

    def more(self):
        piece = self.s.recv(1 << 16)
        if not piece:
            raise ConnectionError("closed")
        return piece

    def take(self, n):
        while len(self.got) < n:
            self.got += self.more()
        piece, self.got = self.got[:n], self.got[n:]
        return piece

    def receive(self):
        """The next message, text as str."""
        whole, text = b"", False
        while True:
            first, size = self.take(2)
            n = size & 127
            n = struct.unpack(">H", self.take(2))[0] if n == 126 else struct.unpack(">Q", self.take(8))[0] if n == 127 else n
            whole += self.take(n)
            text = text or first & 15 == 1
            if first & 15 == 8:
                raise ConnectionError("closed by the server")
            if first & 128:
                return whole.decode() if text else whole

    def send(self, payload, opcode=1, final=True):
        payload = payload.encode() if isinstance(payload, str) else payload
        n = len(payload)
        size = struct.pack(">B", 128 | n) if n < 126 else struct.pack(">BH", 254, n) if n < 65536 else struct.pack(">BQ", 255, n)
        mask = os.urandom(4)
        self.s.sendall(bytes([opcode | (128 if final else 0)]) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))

    def ask(self, command, **more):
        self.send(json.dumps({"command": command, **more}))

    def until(self, wanted, seconds=15):
        """The first message that `wanted` likes; None if it does not come in time."""
        end = time.time() + seconds
        while time.time() < end:
            message = self.receive()
            if wanted(message):
                return message
        return None

    def news(self, **wanted):
        def fits(message):
            return isinstance(message, str) and all(json.loads(message).get(k) == v for k, v in wanted.items())
        return self.until(fits)

    def error(self):
        message = self.until(lambda m: isinstance(m, str) and "error" in json.loads(m))
        return message and json.loads(message)["error"]

    def frame(self):
        return Frame(self.until(lambda m: isinstance(m, bytes)))

    def close(self):
        self.s.close()


class Frame:
    def __init__(self, message):
        self.time, self.step, self.contacts, _ = struct.unpack_from("<ddII", message)
        self.numbers = struct.unpack_from(f"<{(len(message) - 24) // 4}f", message, 24)

    def position(self, body):
        return self.numbers[7 * body:7 * body + 3]
