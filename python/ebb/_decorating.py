"""Functions whose calls are measured. Loaded when something is decorated, because inspect takes a while to load."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable


def decorated(function: Callable[..., Any], make: Callable[[], Any]) -> Callable[..., Any]:
    """Each call of the function inside a tracker of its own; a generator, while it is iterated."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def tracked_async(*args: Any, **kwargs: Any) -> Any:
            with make():
                return await function(*args, **kwargs)

        return tracked_async

    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def tracked_async_generator(*args: Any, **kwargs: Any) -> Any:
            with make():
                inner = function(*args, **kwargs)
                try:
                    value = await inner.__anext__()
                    while True:
                        try:
                            sent = yield value
                        except GeneratorExit:
                            raise
                        except BaseException as error:
                            value = await inner.athrow(error)
                        else:
                            value = await inner.asend(sent)
                except StopAsyncIteration:
                    return
                finally:
                    await inner.aclose()

        return tracked_async_generator

    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def tracked_generator(*args: Any, **kwargs: Any) -> Any:
            with make():
                return (yield from function(*args, **kwargs))

        return tracked_generator

    @functools.wraps(function)
    def tracked(*args: Any, **kwargs: Any) -> Any:
        with make():
            return function(*args, **kwargs)

    return tracked
