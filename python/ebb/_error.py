"""The error of this module, apart from what needs libebb, so that `import ebb` loads little."""

from __future__ import annotations

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Any, Dict, Tuple, Type


def _made_again(kind: Type[Error], args: Tuple[Any, ...], state: Dict[str, Any]) -> Error:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class Error(RuntimeError):
    """Something could not be measured, read, stored or asked for. ``code`` is one of ebb.h, or an exit code of `ebb`
    (docs/commands.md): 2 usage, 3 configuration, 4 unavailable, 5 infeasible, 75 try later."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> Any:
        """Jobs and processes of a pool hand exceptions over as pickles."""
        return _made_again, (type(self), self.args, self.__dict__)
