"""A step of a CI pipeline: waits for clean power, measures a command, and comments its grams on the change.

    python3 -m ebb.ci                     # integrations/github/action.yml and integrations/gitlab/ebb.gitlab-ci.yml

Settings are environment variables: EBB_CI_COMMAND (a script for bash), EBB_CI_NAME, EBB_CI_WAIT and EBB_CI_COMMENT
("true"), EBB_CI_DURATION, EBB_CI_START_BY, EBB_CI_FLAGS (of `ebb track`); GITHUB_TOKEN or EBB_CI_GITLAB_TOKEN to
comment. The exit code is the command's. A comment that cannot be written is a warning.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ebb._error import Error
from ebb._program import ask, program
from ebb._text import duration_text, emissions_text, energy_text

_JOULES_OF_KWH = 3.6e6


class _Figures(NamedTuple):
    energy_kwh: float
    #: None: unknown.
    emissions_g: Optional[float]
    duration_s: float


def _setting(name: str, default: str = "") -> str:
    return os.environ.get("EBB_CI_" + name) or default


def _flags() -> List[str]:
    return shlex.split(_setting("FLAGS"))


def _pairs() -> List[Tuple[str, str]]:
    words = [part for word in _flags() for part in (word.split("=", 1) if word.startswith("--") else [word])]
    return list(zip(words, words[1:]))


def _wait() -> int:
    when = ["--duration", _setting("DURATION", "1h"), "--start-by", _setting("START_BY", "2h")]
    # Flags that say where the intensity comes from. The others are for measuring.
    signal = [word for flag, value in _pairs() if flag in ("--zone", "--signal", "--constant") for word in (flag, value)]
    return subprocess.run([program(), "until", *when, *signal]).returncode


def _run(folder: str) -> int:
    words = ["track", "--name", _setting("NAME", "ci"), "--output-dir", folder, *_flags()]
    return subprocess.run([program(), *words, "--", "bash", "-eo", "pipefail", "-c", _setting("COMMAND")]).returncode


def _figures(folder: str) -> _Figures:
    (run,) = os.listdir(folder)
    summary = ask(["summary", os.path.join(folder, run)])
    energy_kwh = summary["energy"]["facility_j"] / _JOULES_OF_KWH
    return _Figures(energy_kwh, summary["emissions_g"], summary["running_time_s"])


def _change(now: float, before: Any) -> str:
    if not isinstance(before, (int, float)) or before <= 0:
        return ""
    return f"{100 * (now - before) / before:+.0f} %"


def _mark(name: str) -> str:
    return f"<!-- ebb {json.dumps(name)} "


def _before(comment: str, name: str) -> Dict[str, Any]:
    """The figures that the last comment keeps out of sight."""
    _, _, rest = comment.partition(_mark(name))
    try:
        found = json.loads(rest.partition(" -->")[0])
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def report(name: str, figures: _Figures, before: Dict[str, Any]) -> str:
    """Markdown, with the change since the figures ``before``."""
    emissions = figures.emissions_g
    rows = [
        ("energy", energy_text(figures.energy_kwh), _change(figures.energy_kwh, before.get("energy_kwh"))),
        ("emissions", emissions_text(emissions), _change(emissions or 0.0, before.get("emissions_g")) if emissions else ""),
        ("time", duration_text(figures.duration_s), _change(figures.duration_s, before.get("duration_s"))),
    ]
    lines = [f"| {name} | | since the last run here |", "|---|---|---|"]
    lines += [f"| {title} | {value} | {change} |" for title, value, change in rows]
    return "\n".join(lines)


class _Comments:
    """The comments on a change: those of a pull request on GitHub, the notes of a merge request on GitLab."""

    def __init__(self, url: str, headers: Dict[str, str], method_of_change: str, url_of: str) -> None:
        self._url, self._headers, self._change, self._url_of = url, headers, method_of_change, url_of

    def _call(self, method: str, url: str, body: Optional[Dict[str, Any]] = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {**self._headers, "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=30) as answer:
            return json.load(answer)

    def find(self, mark: str) -> Dict[str, Any]:
        page = 1
        while True:
            found: List[Dict[str, Any]] = self._call("GET", f"{self._url}?per_page=100&page={page}")
            for comment in found:
                if mark in comment["body"]:
                    return comment
            if len(found) < 100:
                return {}
            page += 1

    def write(self, known: Dict[str, Any], text: str) -> None:
        if known:
            self._call(self._change, self._url_of.format(id=known["id"]), {"body": text})
        else:
            self._call("POST", self._url, {"body": text})


def _comments() -> Optional[_Comments]:
    """None: this pipeline does not run for a change, or it may not comment."""
    event, token = os.environ.get("GITHUB_EVENT_PATH"), os.environ.get("GITHUB_TOKEN")
    if event and token and os.path.exists(event):
        with open(event, encoding="utf-8") as file:
            number = (json.load(file).get("pull_request") or {}).get("number")
        if number is None:
            return None
        place = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
        return _Comments(f"{place}/{number}/comments", headers, "PATCH", place + "/comments/{id}")
    request, token = os.environ.get("CI_MERGE_REQUEST_IID"), _setting("GITLAB_TOKEN")
    if request and token:
        project = urllib.parse.quote(os.environ["CI_PROJECT_ID"], safe="")
        place = f"{os.environ['CI_API_V4_URL']}/projects/{project}/merge_requests/{request}/notes"
        return _Comments(place, {"PRIVATE-TOKEN": token}, "PUT", place + "/{id}")
    return None


def _append(variable: str, text: str) -> None:
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text + "\n")


def _tell(name: str, figures: _Figures) -> None:
    grams = "" if figures.emissions_g is None else repr(figures.emissions_g)
    _append("GITHUB_OUTPUT", f"energy-kwh={figures.energy_kwh!r}\nemissions-g={grams}")
    comments = _comments() if _setting("COMMENT", "true") == "true" else None
    known: Dict[str, Any] = {}
    try:
        known = comments.find(_mark(name)) if comments else {}
        text = report(name, figures, _before(known.get("body", ""), name))
        if comments:
            comments.write(known, f"{text}\n\n{_mark(name)}{json.dumps(figures._asdict())} -->")
    except (OSError, ValueError, KeyError) as failure:
        print(f"warning: the grams could not be written to the change: {failure}", file=sys.stderr)
        text = report(name, figures, {})
    _append("GITHUB_STEP_SUMMARY", text)
    print(text)


def main() -> int:
    if not _setting("COMMAND"):
        print("ebb: give a command to measure in EBB_CI_COMMAND", file=sys.stderr)
        return 2
    if _setting("WAIT", "true") == "true":
        code = _wait()
        if code != 0:
            return code
    with tempfile.TemporaryDirectory() as folder:
        code = _run(folder)
        if os.listdir(folder):
            _tell(_setting("NAME", "ci"), _figures(folder))
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as reason:
        print(f"ebb: {reason}", file=sys.stderr)
        sys.exit(reason.code)
