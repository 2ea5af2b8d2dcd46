"""Keeps compiled modules of the Runner in its owner's cache directory, beside nobody's sources.

`-X pycache_prefix` would do so for every module, and so compile the standard library again,
which has its bytecode where it is installed.
"""

import sys
from os.path import join

import _frozen_importlib_external as external


def keep_bytecode(root: str, cache: str) -> None:
    """Reads and writes the bytecode of the Runner's own modules below `cache`."""

    class CachedLoader(external.SourceFileLoader):
        def get_code(self, fullname: str):
            prefix, dont_write = sys.pycache_prefix, sys.dont_write_bytecode
            sys.pycache_prefix, sys.dont_write_bytecode = cache, False
            try:
                return super().get_code(fullname)
            finally:
                sys.pycache_prefix, sys.dont_write_bytecode = prefix, dont_write

    for folder in ("fnlet_runner", "doors", "doors/fnlet"):
        path = join(root, folder)
        sys.path_importer_cache[path] = external.FileFinder(path, (CachedLoader, [".py"]))
