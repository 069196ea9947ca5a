"""libebb through ctypes: its functions with Python's values. Loaded when the first tracker starts or is asked for its
settings, so that a program which only names ebb.track does not pay for it.

The shared library is $EBB_LIBRARY, or libebb.so.0 beside this file, or the one the system finds.
"""

from __future__ import annotations

import ctypes
import functools
import io
import math
import os
import weakref
from _csv import reader  # what csv offers, which loads re for more

from ebb._error import Error
from ebb._log import warn
from ebb._settings import settings_of
from ebb._totals import NAMES, Totals

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Any, Dict, List, Mapping

    from ebb._settings import Settings


class _Setting(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class Options(ctypes.Structure):
    """What ebb_start is given; made by options_of."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("flags", ctypes.POINTER(_Setting)),
        ("flag_count", ctypes.c_size_t),
        ("codecarbon", ctypes.POINTER(_Setting)),
        ("codecarbon_count", ctypes.c_size_t),
        ("default_name", ctypes.c_char_p),
        ("read_codecarbon_settings", ctypes.c_int32),
        ("codecarbon_defaults", ctypes.c_int32),
    ]


class _Error(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("code", ctypes.c_int32), ("message", ctypes.c_char * 1012)]


class RawTotals(ctypes.Structure):
    """Totals as libebb has them: emissions that are unknown are NaN."""

    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_double) for name in NAMES]


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
    named = os.environ.get("EBB_LIBRARY")
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libebb.so.0")
    path = named or (beside if os.path.exists(beside) else "libebb.so.0")
    try:
        library = ctypes.CDLL(path)
    except OSError as reason:
        raise Error(f"libebb cannot be loaded: {reason} (set EBB_LIBRARY to its path)", 4) from None
    tracker, error = ctypes.c_void_p, ctypes.POINTER(_Error)
    signatures = {
        "ebb_version": ([], ctypes.c_char_p),
        "ebb_options_init": ([ctypes.POINTER(Options), ctypes.c_size_t], None),
        "ebb_read_settings": (
            [ctypes.POINTER(Options), ctypes.c_char_p, ctypes.c_size_t, error],
            ctypes.c_int,
        ),
        "ebb_get_emissions_row": ([tracker, ctypes.c_char_p, ctypes.c_size_t, error], ctypes.c_int),
        "ebb_write_emissions_row": (
            [ctypes.c_char_p, ctypes.POINTER(_Setting), ctypes.c_size_t, ctypes.c_int32, error],
            ctypes.c_int,
        ),
        "ebb_start": ([ctypes.POINTER(Options), error], tracker),
        "ebb_notes": ([tracker], ctypes.c_char_p),
        "ebb_run_directory": ([tracker], ctypes.c_char_p),
        "ebb_mark_epoch": ([tracker, ctypes.c_int32, error], ctypes.c_int),
        "ebb_add_work": ([tracker, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, error], ctypes.c_int),
        "ebb_get_totals": ([tracker, ctypes.POINTER(RawTotals), error], ctypes.c_int),
        "ebb_stop": ([tracker, ctypes.c_int32, ctypes.POINTER(RawTotals), error], ctypes.c_int),
        "ebb_free": ([tracker], None),
    }
    for name, (arguments, result) in signatures.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result
    return library


def version() -> str:
    """The version of libebb."""
    return str(_library().ebb_version().decode())


def _failure(error: _Error) -> Error:
    return Error(error.message.decode(errors="replace"), error.code)


def _call(function: str, *arguments: Any) -> _Error:
    """The error that it returns holds what was done beside, if anything was; what failed is raised."""
    error = _Error(ctypes.sizeof(_Error))
    if getattr(_library(), function)(*arguments, ctypes.byref(error)) != 0:
        raise _failure(error)
    return error


def _array(settings: Mapping[str, str]) -> Any:
    return (_Setting * len(settings))(*[_Setting(name.encode(), text.encode()) for name, text in settings.items()])


def options_of(
    flags: Mapping[str, str],
    codecarbon: Mapping[str, str],
    default_name: str,
    read_codecarbon_settings: bool,
    codecarbon_defaults: bool,
) -> Options:
    options = Options()
    _library().ebb_options_init(ctypes.byref(options), ctypes.sizeof(options))
    options.flags, options.flag_count = _array(flags), len(flags)
    options.codecarbon, options.codecarbon_count = _array(codecarbon), len(codecarbon)
    options.default_name = default_name.encode()
    options.read_codecarbon_settings = int(read_codecarbon_settings)
    options.codecarbon_defaults = int(codecarbon_defaults)
    return options


#: More than any of libebb's texts needs.
_TEXT_BYTES = 1 << 20


def read_settings(options: Options) -> Settings:
    """What the settings come to, with nothing started."""
    text = ctypes.create_string_buffer(_TEXT_BYTES)
    _call("ebb_read_settings", ctypes.byref(options), text, len(text))
    return settings_of(text.value.decode(errors="replace"))


def write_emissions_row(file: str, row: Mapping[str, str], update: bool) -> None:
    """Adds a row to an emissions.csv that many programs share; what was done beside is logged."""
    fields = _array(row)
    told = _call("ebb_write_emissions_row", os.fsencode(file), fields, len(fields), int(update))
    if told.message:
        warn("%s", told.message.decode(errors="replace"))


def totals_of(raw: RawTotals) -> Totals:
    values = {name: getattr(raw, name) for name in NAMES}
    if math.isnan(values["emissions_g"]):
        values["emissions_g"] = None
    return Totals(**values)


class Measurement:
    """One measurement of this process by libebb, which runs from here until stop(). Its memory is freed with it."""

    def __init__(self, options: Options) -> None:
        library, error = _library(), _Error(ctypes.sizeof(_Error))
        self._handle = library.ebb_start(ctypes.byref(options), ctypes.byref(error))
        if self._handle is None:
            raise _failure(error)
        free = weakref.finalize(self, library.ebb_free, self._handle)
        # At the end of the interpreter stop() comes first, and the memory goes with the process.
        free.atexit = False  # type: ignore[misc]  # typeshed has it as read-only

    def notes(self) -> List[str]:
        """What libebb says of the start, such as "warning: ..." """
        return str(_library().ebb_notes(self._handle).decode(errors="replace")).splitlines()

    def run_directory(self) -> str:
        return os.fsdecode(_library().ebb_run_directory(self._handle))

    def emissions_row(self) -> Dict[str, str]:
        text = ctypes.create_string_buffer(_TEXT_BYTES)
        _call("ebb_get_emissions_row", self._handle, text, len(text))
        names, values = reader(io.StringIO(text.value.decode(errors="replace")))
        return dict(zip(names, values))

    def totals(self) -> Totals:
        raw = RawTotals(ctypes.sizeof(RawTotals))
        _call("ebb_get_totals", self._handle, ctypes.byref(raw))
        return totals_of(raw)

    def mark_epoch(self, number: int) -> None:
        _call("ebb_mark_epoch", self._handle, number)

    def add_work(self, steps: int, samples: int, tokens: int) -> None:
        _call("ebb_add_work", self._handle, steps, samples, tokens)

    def stop(self, exit_code: int) -> Totals:
        raw = RawTotals(ctypes.sizeof(RawTotals))
        _call("ebb_stop", self._handle, exit_code, ctypes.byref(raw))
        return totals_of(raw)
