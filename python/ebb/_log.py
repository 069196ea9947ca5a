"""What this module logs. logging takes a while to load, so the first who logs something loads it."""

import sys

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    import logging
    from typing import Any

    #: What libebb says of a start comes here: which meter, which intensity (INFO); settings that are ignored, and grams
    #: of an assumed place (WARNING).
    logger: logging.Logger


def __getattr__(name: str) -> "Any":
    if name != "logger":
        raise AttributeError(f"module 'ebb._log' has no attribute {name!r}")
    import logging

    globals()[name] = logging.getLogger("ebb")
    return globals()[name]


def _logger() -> "logging.Logger":
    from ebb._log import logger

    return logger


def warn(text: str, *arguments: "Any") -> None:
    _logger().warning(text, *arguments)


def inform(text: str, *arguments: "Any") -> None:
    if "logging" in sys.modules:  # else nobody can have asked for information yet
        _logger().info(text, *arguments)
