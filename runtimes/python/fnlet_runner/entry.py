"""Which file of a Function's source is loaded, and which of its names is called."""

import os
from collections.abc import Sequence

# Names that an entry file has by convention, in order of preference.
ENTRY_NAMES = ("handler", "main", "app", "index")

_listed_max = 10


class EntryNotFound(Exception):
    """Says what was looked for, and what is there."""


def decide_entry(files: Sequence[str], handler: str) -> tuple[str, str]:
    """The file, and the name in it.

    1. A handler `module.name` names the file: `api/users.get` and `api.users.get` are the function
       `get` of `api/users.py`.
    2. Otherwise `handler`, `main`, `app` or `index` at the top of the source.
    3. A source with one code file at its top needs no convention: that file is the entry.
    """
    module, _, name = handler.rpartition(".")
    candidates = entry_candidates(handler)
    plain = [file.removeprefix("./") for file in files]
    for candidate in candidates:
        if candidate in plain:
            return candidate, name
    top = [file for file in plain if file.endswith(".py") and "/" not in file]
    if len(top) == 1:
        return top[0], name
    expected = f"{module}.py" if module else f"one of {', '.join(ENTRY_NAMES)} with .py"
    raise EntryNotFound(
        f'Cannot find the entry of handler "{handler}": found {_listed(plain)}, '
        f"expected {expected}"
    )


def entry_candidates(handler: str) -> list[str]:
    """The paths that are tried, in their order."""
    module = handler.rpartition(".")[0].removeprefix("./").removesuffix(".py")
    if not module:
        return [f"{name}.py" for name in ENTRY_NAMES]
    nested = module.replace(".", "/")
    return [f"{module}.py", f"{nested}.py", f"{nested}/__init__.py"]


def find_entry(directory: str, handler: str) -> tuple[str, str]:
    """Looks into the source. Raises EntryNotFound."""
    files = [item.name for item in os.scandir(directory) if not item.is_dir()]
    files += [
        path
        for path in entry_candidates(handler)
        if "/" in path and os.path.isfile(os.path.join(directory, path))
    ]
    return decide_entry(files, handler)


def _listed(files: Sequence[str]) -> str:
    if not files:
        return "no files"
    more = f" and {len(files) - _listed_max} more" if len(files) > _listed_max else ""
    return ", ".join(sorted(files)[:_listed_max]) + more
