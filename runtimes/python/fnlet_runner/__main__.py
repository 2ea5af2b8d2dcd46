"""The program of an Instance. First in line, so it only makes the rest quick to import."""

import sys
from os.path import abspath, dirname

root = dirname(dirname(abspath(__file__)))
# `-I` keeps the user's environment out, and this directory with it.
sys.path.insert(0, root)

from fnlet_runner.bytecode_cache import keep_bytecode  # noqa: E402

arguments = sys.argv[1:]
if "--cache" in arguments:
    keep_bytecode(root, arguments[arguments.index("--cache") + 1])

from fnlet_runner.runner import run  # noqa: E402

sys.path.remove(root)
run(arguments)
