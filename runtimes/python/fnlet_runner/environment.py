"""What a Function finds around it: variables, directory, where modules are looked for."""

import os
import sys
import time

from .specialisation import Specialisation

# Below the source: the dependencies, a link to where they were installed once.
DEPENDENCIES = "site-packages"


def enter(given: Specialisation, source: str, doors: str) -> None:
    """Makes this process the process of one Revision."""
    os.environ.clear()
    os.environ.update(given.env)
    os.chdir(source)
    # In place, so that native code (time zone) sees it too.
    time.tzset()
    # Who starts a process of Python by `multiprocessing` has it run this file first, if there is
    # one: it is the Runner's, not the user's.
    vars(sys.modules["__main__"]).pop("__file__", None)
    # The source is shared by all Instances of it, and nothing in it ever changes.
    sys.dont_write_bytecode = True
    named = [path for path in given.env.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:] = [
        source,
        *(os.path.join(source, path) for path in named),
        os.path.join(source, DEPENDENCIES),
        *sys.path,
        # Last: a function that installs one of these packages itself gets its own.
        doors,
    ]
