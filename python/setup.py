"""Builds the package with the library inside: `make python` builds the library first, in build/release."""
import os
import re
import sys
from pathlib import Path

import numpy
from setuptools import Extension, setup

root = Path(__file__).resolve().parent.parent
build = Path(os.environ.get("TENON_BUILD", root / "build" / "release"))
archive = build / "libtenon.a"
shared = build / "libtenon.so"  # as Debian's packages have it
if not archive.exists() and not shared.exists():
    sys.exit(f"setup.py: {archive} is not there: run `make python` (or `make`) in {root} first")
version = re.search(r"project\(tenon VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()).group(1)
# What the library itself needs, from its pkg-config file.
needs = re.search(r"^Libs:(.*)$", (build / "tenon.pc").read_text(), re.M).group(1).split()

os.chdir(Path(__file__).resolve().parent)
setup(
    version=version,
    ext_modules=[
        Extension(
            "tenon._core",
            sources=sorted(str(path) for path in Path("src").glob("*.c")),
            depends=["src/core.h", str(archive)],
            include_dirs=[str(root / "include"), str(build / "generated"), numpy.get_include()],
            extra_objects=[str(shared if shared.exists() else archive)],
            extra_link_args=[] if shared.exists() else [f for f in needs if f != "-ltenon" and "${" not in f],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION"), ("TENON_VERSION", f'"{version}"')],
            extra_compile_args=["-std=gnu17", "-fvisibility=hidden"],
        )
    ],
)
