"""A server that is never done: it sends a beginning, and then a byte now and again."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def trickling(beginning: bytes, every: float = 0.02) -> Iterator[str]:
    """The address of one whose answer to everything begins with ``beginning``.

    Args:
        every: seconds between two bytes.
    """
    over = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65536)
            connection.sendall(beginning)
            while not over.wait(every):
                connection.sendall(b"a")

    def listen() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=listen, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            over.set()
            server.shutdown(socket.SHUT_RDWR)
