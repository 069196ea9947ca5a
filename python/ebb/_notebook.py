"""``%load_ext ebb`` in Jupyter and IPython: the magic ``%%ebb`` measures a cell.

IPython is there if this is called at all, so it is imported only then.
"""

from __future__ import annotations

import contextlib
import contextvars
import html
import os
import threading
from typing import Any, Iterator, Optional

from ebb._error import Error
from ebb._measuring import Tracker
from ebb._program import keywords_of
from ebb._text import duration_text, emissions_text, energy_text, power_text
from ebb._totals import Totals

_LIVE_EVERY_S = 1.0


class Card:
    """The figures of a cell: a table in a notebook, a line elsewhere."""

    def __init__(self, totals: Totals, run_directory: str) -> None:
        self.totals, self.run_directory = totals, run_directory

    def __repr__(self) -> str:
        return f"{self.totals}, kept in {self.run_directory}" if self.run_directory else str(self.totals)

    def _repr_html_(self) -> str:
        totals = self.totals
        rows = {"energy": energy_text(totals.energy_kwh)}
        parts = {"CPU": totals.cpu_kwh, "GPU": totals.gpu_kwh, "RAM": totals.ram_kwh}
        rows.update({f"of which {part}": energy_text(kwh) for part, kwh in parts.items() if kwh})
        rows["emissions"] = emissions_text(totals.emissions_g)
        rows["time"] = duration_text(totals.duration_s)
        if totals.duration_s > 0:
            rows["mean power"] = power_text(totals.energy_kwh * 3.6e6 / totals.duration_s)
        if self.run_directory:
            rows["kept in"] = os.path.relpath(self.run_directory)
        cells = "".join(
            f'<tr><td style="text-align:left">{html.escape(name)}</td>'
            f'<td style="text-align:left"><b>{html.escape(text)}</b></td></tr>'
            for name, text in rows.items()
        )
        return f'<table class="ebb-card">{cells}</table>'


class _Line:
    """What the cell has used so far, rewritten every second while it runs. A terminal shows only the card."""

    def __init__(self, shell: Any, tracker: Tracker) -> None:
        self._tracker, self._ended = tracker, threading.Event()
        self._handle: Any = None
        self._thread: Optional[threading.Thread] = None
        if hasattr(shell, "kernel"):
            from IPython.display import display

            self._handle = display(self._now(), display_id=True)
            # Messages of a kernel belong to the cell whose context they are sent from.
            target = contextvars.copy_context().run
            self._thread = threading.Thread(target=target, args=(self._rewrite,), daemon=True)
            self._thread.start()

    def _now(self) -> Any:
        from IPython.display import Pretty

        totals = self._tracker.totals
        return Pretty(f"{power_text(totals.power_w)} now; {totals} so far")

    def _rewrite(self) -> None:
        while not self._ended.wait(_LIVE_EVERY_S):
            try:
                self._handle.update(self._now())
            except Error:
                return

    def end(self, card: Card) -> None:
        """Puts the card in the place of the line."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._handle.update(card)
        else:
            print(card)


@contextlib.contextmanager
def _errors_are_raised(shell: Any) -> Iterator[None]:
    """The magic raises the cell's error, so that a notebook stops there. IPython shows it then, and not twice."""
    names = ("showtraceback", "showsyntaxerror", "showindentationerror")
    for name in names:
        setattr(shell, name, lambda *args, **kwargs: None)
    try:
        yield
    finally:
        for name in names:
            delattr(shell, name)


def _measure(shell: Any, line: str, cell: str) -> None:
    tracker = Tracker(**{"name": "notebook", "quiet": True, **keywords_of(line)}).start()
    live = _Line(shell, tracker)
    failed = True
    try:
        with _errors_are_raised(shell):
            result = shell.run_cell(cell, store_history=False)
        failed = not result.success
    finally:
        totals = tracker.stop(1 if failed else 0)
        card = Card(totals, tracker.run_directory)
        live.end(card)
        shell.user_ns["ebb_card"] = card
    result.raise_error()


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext ebb``."""
    shell.register_magic_function(lambda line, cell: _measure(shell, line, cell), "cell", "ebb")


def unload_ipython_extension(shell: Any) -> None:
    shell.magics_manager.magics["cell"].pop("ebb", None)
