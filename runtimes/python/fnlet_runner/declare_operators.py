"""Prints, as JSON, what the operators of a file declare, and which files it needs.

    python3 -I -X utf8 declare_operators.py <file>

It is a program of its own, for whoever deploys the file; a Runner never loads it. What the file
prints goes to standard error.
"""

import json
import os
import sys
import types


def main(path: str) -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    room = os.path.dirname(here)
    source = os.path.dirname(os.path.realpath(path))
    # Its neighbours first, as in a Runner; the doors last, so that nobody's package hides.
    sys.path[:0] = [source]
    sys.path += [room, os.path.join(room, "doors")]
    sys.dont_write_bytecode = True
    out, sys.stdout = sys.stdout, sys.stderr
    from fnlet.kinds import Kind
    from fnlet.operator import Operator
    from fnlet_runner.load_function import import_entry

    module = import_entry(source, os.path.basename(path))
    operators = [
        {"exportName": name, **value.declaration()}
        for name, value in vars(module).items()
        if isinstance(value, Operator) and name == _first_name(module, value)
    ]
    kinds = [value for value in vars(module).values() if isinstance(value, Kind)]
    json.dump(
        {
            "python": f"{sys.version_info.major}.{sys.version_info.minor}",
            "operators": operators,
            "definitions": [kind.crd for kind in kinds if kind.crd is not None],
            "root": source,
            "files": sorted(_own_files(source)),
        },
        out,
        ensure_ascii=False,
    )


def _first_name(module: types.ModuleType, value: object) -> str:
    return next(name for name, one in vars(module).items() if one is value)


def _own_files(source: str) -> set[str]:
    """The modules that were imported and lie below the directory, packages installed there not."""
    found = set()
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if path is None or not os.path.realpath(path).startswith(source + os.sep):
            continue
        relative = os.path.relpath(os.path.realpath(path), source)
        parts = relative.split(os.sep)
        if "site-packages" not in parts and relative.endswith(".py"):
            found.add("/".join(parts))
    return found


if __name__ == "__main__":
    main(sys.argv[1])
