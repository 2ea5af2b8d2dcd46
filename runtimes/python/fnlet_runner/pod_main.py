"""The program of an Instance that is a Pod; see __main__ for why it does so little."""

import sys
from os.path import abspath, dirname

root = dirname(dirname(abspath(__file__)))
sys.path.insert(0, root)

from fnlet_runner.pod.program import run_in_pod  # noqa: E402

sys.path.remove(root)
run_in_pod(sys.argv[1:])
