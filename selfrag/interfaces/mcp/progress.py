"""The steps of a run as MCP progress notifications, while it goes on."""

import math
from typing import Any

import anyio
from anyio import from_thread, to_thread
from mcp.server.mcpserver import Context

from selfrag.errors import UserError
from selfrag.interfaces.backend import Answering
from selfrag.reflection.events import Event
from selfrag.reflection.story import tell

#: A thread of its own for each run that is followed: they wait, and cost nothing else.
_FOLLOWERS = anyio.CapacityLimiter(256)


async def report_steps(answering: Answering, ctx: Context[Any, Any]) -> list[str]:
    """Report one sentence for each step until the run ends; returns all of them."""
    steps: list[str] = []
    send, receive = anyio.create_memory_object_stream[Event](math.inf)

    def pump() -> None:
        try:
            for event in answering.events():
                from_thread.run_sync(send.send_nowait, event)
        except UserError:
            pass  # the connection broke: `result` says so
        finally:
            from_thread.run_sync(send.close)

    async with anyio.create_task_group() as tasks, receive:
        tasks.start_soon(_in_thread, pump)
        async for event in receive:
            sentence = tell(event)
            if sentence is not None:
                steps.append(sentence)
                await ctx.report_progress(len(steps), None, sentence)
    return steps


async def _in_thread(work: Any) -> None:
    await to_thread.run_sync(work, limiter=_FOLLOWERS, abandon_on_cancel=True)
