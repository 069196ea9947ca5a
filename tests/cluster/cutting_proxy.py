"""A TCP proxy on loopback that cuts connections after a random number of bytes of the answers, or a random time.

What goes through it is encrypted, so a cut may come anywhere: in the handshake, in a head, in the middle of an object.
"""

import asyncio
import random
import threading

HANDSHAKE_BYTES = 4_000
PIECE = 16 << 10


class CuttingProxy:
    """Cuts while `cutting` is true; what is open when that ends stays open. `cuts` counts.

    bytes_until_cut    the most bytes of answers that a connection carries which ends by bytes; three of five end by time
    seconds_until_cut  the longest that one lives, whatever it carries: a list must fit, or nobody gets on
    """

    def __init__(self, port, seed, bytes_until_cut=4_000_000, seconds_until_cut=2.0):
        self.target, self.random = port, random.Random(seed)
        self.bytes_until_cut, self.seconds_until_cut = bytes_until_cut, seconds_until_cut
        self.cutting, self.cuts, self.connections = True, 0, 0
        self.loop = asyncio.new_event_loop()
        self.server = self.loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self.server.sockets[0].getsockname()[1]
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
            self.loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        self.server.close()
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()

    def _budget(self):
        """None: it ends by time. As many small ones as large ones: the logarithm is uniform. One of six ends within its
        handshake."""
        drawn = self.random.random()
        if drawn < 1 / 6:
            return int(HANDSHAKE_BYTES ** self.random.random())
        if drawn > 2 / 5:
            return None
        return HANDSHAKE_BYTES + int(self.bytes_until_cut ** self.random.random())

    async def _serve(self, reader, writer):
        self.connections += 1
        budget, seconds = self._budget(), self.seconds_until_cut * self.random.random()
        try:
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:  # the server is away
            writer.transport.abort()
            return
        both = [writer, to_server]
        ways = [asyncio.ensure_future(way) for way in (self._pass_on(reader, to_server, None),
                                                       self._pass_on(from_server, writer, budget))]
        done, _ = await asyncio.wait(ways, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if not done and not self.cutting:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        elif not done:
            self.cuts += 1
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for each in both:
            each.transport.abort()

    async def _pass_on(self, reader, writer, budget):
        while piece := await reader.read(PIECE):
            if budget is not None and self.cutting and len(piece) >= budget:
                writer.write(piece[:budget])
                await writer.drain()
                self.cuts += 1
                return
            if budget is not None:
                budget -= len(piece)
            writer.write(piece)
            await writer.drain()
