"""A function as a job: ``python _call.py FOLDER`` calls what ebb.submit wrote there, and writes what came of it.

FOLDER has ``call.pickle``; ``result.pickle`` is added. Both have a pair: how to find the function's module, and the
rest, pickled again, since it can only be read once the module is found.
"""

import sys

if __name__ == "__main__":
    del sys.path[0]  # the folder of this file, whose modules have names of other packages

import os
import pickle
import runpy
import traceback
import types
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

CALL, RESULT = "call.pickle", "result.pickle"


def _write(path: str, value: Any) -> None:
    with open(path + ".tmp", "wb") as file:
        pickle.dump(value, file)
    os.replace(path + ".tmp", path)


def _read(path: str) -> Any:
    with open(path, "rb") as file:
        return pickle.load(file)


def write_call(folder: str, function: Callable[..., Any], args: Sequence[Any], kwargs: Dict[str, Any]) -> None:
    """What cannot be pickled raises what pickle raises."""
    main = sys.modules.get("__main__")
    path = getattr(main, "__file__", None)
    spec = getattr(main, "__spec__", None)
    main_path = os.path.abspath(path) if path and function.__module__ == "__main__" else None
    main_name = spec.name if main_path and spec is not None else None
    if function.__module__ == "__main__" and main_path is None:  # a notebook, or python -c
        try:
            import cloudpickle as pickler
        except ImportError:
            raise pickle.PicklingError(
                "the function is defined where a job cannot import it: move it into a file, or pip install cloudpickle"
            ) from None
        inner = pickler.dumps((function, tuple(args), dict(kwargs)))
    else:
        inner = pickle.dumps((function, tuple(args), dict(kwargs)))
    _write(os.path.join(folder, CALL), ([os.path.abspath(p) for p in sys.path], main_path, main_name, inner))


def read_result(folder: str) -> Optional[Tuple[bool, Any, str]]:
    """Whether it returned, its value or exception, and the traceback; None: nothing was written."""
    path = os.path.join(folder, RESULT)
    return _read(path) if os.path.exists(path) else None


def _become_main(path: Optional[str], name: Optional[str]) -> None:
    """Makes the caller's script importable as __main__, as multiprocessing does: what it guards by
    `if __name__ == "__main__"` is left out."""
    if path is None:
        return
    module = types.ModuleType("__mp_main__")
    found = runpy.run_module(name, run_name="__mp_main__") if name else runpy.run_path(path, run_name="__mp_main__")
    module.__dict__.update(found)
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module


def _readable(error: Exception) -> Exception:
    """The exception, or its text if it cannot be pickled and read again."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")


def _write_value(path: str, value: Any) -> None:
    try:
        _write(path, (True, value, ""))
    except Exception as error:
        text = f"the function returned {type(value).__name__}, which cannot be given back to the caller: {error}"
        raise TypeError(text) from None


def _run(folder: str) -> int:
    path: List[str]
    path, main_path, main_name, inner = _read(os.path.join(folder, CALL))
    sys.path[:] = path
    result = os.path.join(folder, RESULT)
    try:
        _become_main(main_path, main_name)
        function, args, kwargs = pickle.loads(inner)
        _write_value(result, function(*args, **kwargs))
        return 0
    except Exception as error:
        trace = traceback.format_exc()
        sys.stderr.write(trace)
        _write(result, (False, _readable(error), trace))
        return 1


if __name__ == "__main__":
    sys.exit(_run(sys.argv[1]))
