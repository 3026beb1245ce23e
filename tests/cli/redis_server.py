"""A redis-server of a test."""
import shutil
import signal
import socket
import subprocess
import time

REDIS = shutil.which("redis-server")


def bulk_size(reply):
    """Of a bulk that begins so, with its head and its end."""
    head = reply.partition(b"\r\n")[0]
    return len(head) + 2 + (0 if head == b"$-1" else int(head[1:]) + 2)


class Redis:
    """A redis-server of a test, at a socket in `folder`; with TLS, at a port."""

    def __init__(self, folder, *flags):
        self.folder, self.flags, self.process = folder, list(map(str, flags)), None
        self.socket = folder / "redis.sock"

    def start(self):
        self.process = subprocess.Popen([REDIS, "--port", "0", "--unixsocket", str(self.socket), "--save", "", "--dir", str(self.folder), *self.flags],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while not self.answers():
            assert time.monotonic() < end and self.process.poll() is None, "redis-server does not start"
            time.sleep(0.02)
        return self

    def command(self, *words):
        """Its reply as bytes, with all heads; of an array the first 64 KiB."""
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(10)
            s.connect(str(self.socket))
            for said in ([["AUTH", "secret"]] if "--requirepass" in self.flags else []) + [list(words)]:
                s.sendall(b"*%d\r\n" % len(said) + b"".join(b"$%d\r\n%b\r\n" % (len(w), w) for w in (w if isinstance(w, bytes) else w.encode() for w in said)))
                reply = s.recv(1 << 16)
                while reply.startswith(b"$") and len(reply) < bulk_size(reply):
                    reply += s.recv(1 << 16)
            return reply

    def get(self, name):
        """Its value; None where there is none."""
        head, _, value = self.command("GET", name).partition(b"\r\n")
        return None if head == b"$-1" else value[:-2]

    def info(self, name):
        """A number that INFO tells."""
        return int(next(line for line in self.command("INFO").split(b"\r\n") if line.startswith(name.encode() + b":")).split(b":")[1])

    def answers(self):
        try:
            return self.command("PING").startswith(b"+PONG")
        except OSError:
            return False

    def size(self):
        return int(self.command("DBSIZE").strip()[1:])

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        if number != signal.SIGSTOP:
            self.process.wait()

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
