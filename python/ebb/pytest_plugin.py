"""For pytest, which finds it in the wheel:

    pytest --ebb                          # joules and grams of each test
    pytest --ebb --ebb-limit 50           # a test that uses more than 50 J fails

    @pytest.mark.ebb(joules=5)            # the limit of one test, with --ebb
    def test_training(): ...

A test counts what this process and its children use while the test itself runs, without its fixtures.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from typing import Any, Dict, Iterator, Optional

import pytest

_JOULES_OF_KWH = 3.6e6
_JOULES, _GRAMS = "ebb_joules", "ebb_emissions_g"
#: Fewer are not a regression, whatever the factor: two runs of a short test differ by more.
_LEAST_JOULES = 1.0
_SHOWN = 10


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("ebb", "energy and emissions of tests")
    group.addoption(
        "--ebb",
        nargs="?",
        const="",
        metavar="FLAGS",
        help='measure each test; FLAGS are those of `ebb track`: --ebb="--zone FR"',
    )
    group.addoption("--ebb-limit", type=float, metavar="JOULES", help="a test that uses more fails")
    group.addoption("--ebb-baseline", metavar="FILE", help="joules of each test before, as --ebb-write-baseline keeps them")
    group.addoption("--ebb-write-baseline", metavar="FILE", help="keep the joules of each test that passes")
    group.addoption(
        "--ebb-factor", type=float, default=1.5, metavar="N", help="fail above N times the baseline (default 1.5)"
    )


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "ebb(joules): the energy that a test may use, with --ebb")
    if config.getoption("--ebb") is not None:
        config.pluginmanager.register(_Measured(config), "ebb-measured")
        return
    for option in ("--ebb-limit", "--ebb-baseline", "--ebb-write-baseline"):
        if config.getoption(option) is not None:
            warning = pytest.PytestConfigWarning(f"{option} has no effect without --ebb: nothing is measured")
            config.issue_config_time_warning(warning, 2)


def _read_baseline(file: Optional[str]) -> Dict[str, float]:
    if not file:
        return {}
    try:
        with open(file, encoding="utf-8") as text:
            return {str(name): float(joules) for name, joules in json.load(text).items()}
    except OSError as failure:
        why = f"{failure.strerror}; --ebb-write-baseline writes one"
    except (AttributeError, TypeError, ValueError):
        why = "is not a file of --ebb-write-baseline"
    raise pytest.UsageError(f"--ebb-baseline: {file}: {why}")


def _joules_of(mark: Any) -> float:
    """Of @pytest.mark.ebb(joules=5), or ebb(5)."""
    given = [*mark.args, *mark.kwargs.values()]
    if len(given) != 1 or not set(mark.kwargs) <= {"joules"} or not isinstance(given[0], (int, float)):
        raise ValueError
    return float(given[0])


class _Measured:
    def __init__(self, config: Any) -> None:
        self._option = config.getoption
        self._tracker: Any = None
        self._joules: Dict[str, float] = {}
        self._unknown = False
        self._grams = 0.0
        self._baseline = _read_baseline(self._option("--ebb-baseline"))
        self._open = contextlib.ExitStack()

    def pytest_sessionstart(self, session: Any) -> None:
        from ebb._error import Error
        from ebb._measuring import Tracker
        from ebb._program import keywords_of

        try:
            flags: Dict[str, Any] = {"name": "pytest", "quiet": True, **keywords_of(self._option("--ebb"))}
            if "output_dir" not in flags:  # the report has all that is asked for
                flags["output_dir"] = self._open.enter_context(tempfile.TemporaryDirectory())
            self._tracker = self._open.enter_context(Tracker(**flags))
        except (Error, ValueError) as failure:  # ValueError: a quote that does not end
            self._open.close()
            raise pytest.UsageError(f"--ebb: {failure}") from None

    def pytest_collection_modifyitems(self, items: Any) -> None:
        for item in items:
            mark = item.get_closest_marker("ebb")
            if mark is None:
                continue
            try:
                _joules_of(mark)
            except ValueError:
                text = ", ".join([*map(repr, mark.args), *(f"{name}={value!r}" for name, value in mark.kwargs.items())])
                raise pytest.UsageError(f"{item.nodeid}: write @pytest.mark.ebb(joules=5), not ebb({text})") from None

    def pytest_sessionfinish(self, session: Any) -> None:
        self._open.close()
        file = self._option("--ebb-write-baseline")
        if file and self._joules and not os.environ.get("PYTEST_XDIST_WORKER"):
            with open(file + ".tmp", "w", encoding="utf-8") as text:
                json.dump(self._joules, text, indent=1, sort_keys=True)
            os.replace(file + ".tmp", file)

    def _limit(self, item: Any) -> Optional[float]:
        """The least that counts for this test."""
        limits = [self._option("--ebb-limit")]
        mark = item.get_closest_marker("ebb")
        if mark is not None:
            limits = [_joules_of(mark)]
        before = self._baseline.get(item.nodeid)
        if before is not None:
            limits.append(max(self._option("--ebb-factor") * before, before + _LEAST_JOULES))
        return min((limit for limit in limits if limit is not None), default=None)

    def _call(self, item: Any) -> Iterator[None]:
        before = self._tracker.totals
        outcome: Any = yield
        used = self._tracker.totals.since(before)
        joules, limit = used.energy_kwh * _JOULES_OF_KWH, self._limit(item)
        item.user_properties.append((_JOULES, joules))
        item.user_properties.append((_GRAMS, used.emissions_g))
        if outcome.excinfo is None and limit is not None and joules > limit:
            try:
                pytest.fail(f"used {joules:.3g} J; its limit is {limit:.3g} J", pytrace=False)
            except pytest.fail.Exception as failure:
                outcome.force_exception(failure)

    pytest_runtest_call: Any = pytest.hookimpl(hookwrapper=True)(_call)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """In the process that reports: with xdist, that of all workers' tests."""
        if report.when != "call":
            return
        found = dict(report.user_properties)
        if _JOULES in found and report.outcome == "passed":
            self._joules[report.nodeid] = found[_JOULES]
        grams = found.get(_GRAMS)
        self._unknown = self._unknown or grams is None
        self._grams += grams or 0.0

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        from ebb._text import emissions_text, energy_text

        if not self._joules:
            return
        terminalreporter.section("energy of tests that passed")
        for name, joules in sorted(self._joules.items(), key=lambda each: -each[1])[:_SHOWN]:
            terminalreporter.write_line(f"{energy_text(joules / _JOULES_OF_KWH):>10}  {name}")
        left = len(self._joules) - _SHOWN
        if left > 0:
            terminalreporter.write_line(f"{'':>10}  and {left} more")
        total = energy_text(sum(self._joules.values()) / _JOULES_OF_KWH)
        grams = emissions_text(None if self._unknown else self._grams)
        terminalreporter.write_line(f"{total:>10}  together; with those that failed {grams}")
