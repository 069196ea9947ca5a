"""The program ebb, which does the work: where it is, how keywords become its flags, and its answers as data.

It is $EBB_PROGRAM, or the one that came with this module (in a wheel), or the one that the shell finds.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from typing import Any, Dict, List, Mapping, NoReturn, Sequence

from ebb._error import Error

_USAGE, _UNAVAILABLE = 2, 4
#: Keywords whose numbers are seconds, as for ebb.Tracker.
_SECONDS = (
    "duration", "finish_by", "forecast_limit", "flexibility", "last_known_limit", "minimum_segment",
    "pause_cost", "publication_lag", "refresh", "run_time", "start_by", "time_limit",
)  # fmt: skip


def program() -> str:
    named = os.environ.get("EBB_PROGRAM")
    if named and os.sep in named and not os.access(named, os.X_OK):
        raise Error(f"{named}: there is no such program, or it may not be run (EBB_PROGRAM names it)", _UNAVAILABLE)
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program", "bin", "ebb")
    found = named or (beside if os.path.exists(beside) else None)
    if found is None:
        from shutil import which  # it loads every kind of archive

        found = which("ebb")
    if found is None:
        raise Error("the program ebb is not installed (docs/install.md, or set EBB_PROGRAM to its path)", _UNAVAILABLE)
    return found


def _text(name: str, value: Any) -> str:
    if isinstance(value, datetime.timedelta):
        return f"{value.total_seconds():g}s"
    if isinstance(value, datetime.datetime):  # one without a zone is of this machine's clock
        return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if name in _SECONDS and isinstance(value, (int, float)):
        return f"{value:g}s"
    if isinstance(value, (list, tuple, set)):
        return ",".join(_text(name, part) for part in value)
    return str(value)


def flags_of(settings: Mapping[str, Any]) -> List[str]:
    """Keywords as flags: "_" is "-", True is a switch, None and False are left out, a dict is NAME=VALUE each."""
    words: List[str] = []
    for name, value in settings.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, dict):
            for key, text in value.items():
                words += [flag, f"{key}={text}"]
        else:
            words += [flag, _text(name, value)]
    return words


def keywords_of(line: str) -> Dict[str, Any]:
    """Flags in a line of text as keywords: ``--zone FR --rapl=none --quiet``."""
    from shlex import split

    flags: Dict[str, Any] = {}
    name = ""
    for word in split(line):
        if word.startswith("--"):
            name, is_whole, value = word[2:].partition("=")
            name = name.replace("-", "_")
            flags[name] = value if is_whole else True
            name = "" if is_whole else name
        elif name:
            flags[name], name = word, ""
        else:
            raise Error(f'give flags of `ebb track` here, such as --zone FR, not "{word}"', _USAGE)
    return flags


def _in_python(text: str) -> str:
    """Flags in what the program said as keywords: ``--zone DE`` is ``zone="DE"``. Those of a command that it names stay."""
    import re  # only an error needs it

    def keyword(found: "re.Match[str]") -> str:
        name, value = found[1].replace("-", "_"), found[2]
        is_of_command = re.search(r"\bebb [a-z]+\b[^;,:()\n]*$", text[: found.start()])
        return found[0] if is_of_command else f'{name}="{value}"' if value else name

    return re.sub(r"--([a-z][a-z-]*)(?: ([A-Z][A-Z]+|profile)\b)?", keyword, text)


def fail(words: Sequence[str], code: int, said: str) -> NoReturn:
    """Raises what the program said at its end."""
    left_out = ("note: ", "See ebb --help")
    lines = [line for line in said.strip().splitlines() if not line.startswith(left_out)]
    text = "\n".join(lines) or f"`ebb {words[0]}` ended with exit code {code}; what it said is above"
    raise Error(_in_python(text[len("ebb: ") :] if text.startswith("ebb: ") else text), code)


def answer(words: Sequence[str], good: Sequence[int] = (0,)) -> str:
    """What the program prints. An Error if its exit code is not a good one."""
    ran = subprocess.run([program(), *words], stdin=subprocess.DEVNULL, capture_output=True)
    if ran.returncode not in good:
        fail(words, ran.returncode, ran.stderr.decode(errors="replace"))
    return ran.stdout.decode(errors="replace")


def ask(words: Sequence[str], good: Sequence[int] = (0,)) -> Any:
    """The program's answer as data."""
    command = [words[0], "--format", "json", *words[1:]]
    return json.loads(answer(command, good))
