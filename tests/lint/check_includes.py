"""Reads sources and headers one by one, as a compiler that sees each alone.

    python3 tests/lint/check_includes.py build/dev [--jobs N] [--since COMMIT]

The builds take many sources at a time, so an include that is missing in one is not noticed. Each
source is read here by itself, with the flags that the build compiled it with; those of core and gpu,
whose headers others build upon, also without the precompiled header. A source includes its own
header first, which shows that the header stands alone too; headers without a source are read as a
user of their room compiles them. With --since only those are read whose code has changed since that
commit, or that include, directly or not, a header that has lost an include since then, or a name
that they have themselves. Exits with 1 where one does not compile.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# Headers of the surface for programs.
SURFACE = re.compile(r"^#include <(gantry/[^>]+)>", re.MULTILINE)
HEADER = re.compile(r"_verify_interface_header_sets/([^/]+/.+\.h)\.cxx$")
PRECOMPILED = re.compile(r"-Winvalid-pch( -Xclang (-include-pch|-include|\S+/cmake_pch\.\S+))+")
COMMENT = re.compile(r"//.*")
OFFERED = re.compile(r"#\s*include\s+\S+|[A-Za-z_]\w*")
# The build compiles each source with the flags that it is read with here, if with others in one unit.
# What these may have hidden depends on the headers that are precompiled, and on what is defined, by
# which sources choose what they include.
PRECOMPILED_HEADERS = "packaging/cmake/precompiled/"
FLAGS = ("CMakeLists.txt", "packaging/cmake/GantryBuildFlags.cmake",
         "packaging/cmake/GantryPrecompiled.cmake")
CHANGES_INCLUDES = re.compile(r"[-+][^#]*(headers|definitions|-D|STANDARD)")


def commands(build):
    """(file, its command) of every source that the build compiled as a part of a unit, and of every
    header that its targets of headers name."""
    root = Path.cwd()
    for unit in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        command = re.sub(r"^\S*ccache ", "", unit["command"].split(" -o ")[0])
        header = HEADER.search(unit["file"])
        if header:
            yield header[1], f"{command} -fsyntax-only {unit['file']}"
            continue
        inside = unit["file"].removeprefix(str(build.resolve()))
        if not re.match(r"/(app|core|gpu|ui)/.*/Unity/", inside):
            continue
        for source in INCLUDE.findall(Path(unit["file"]).read_text(encoding="utf-8")):
            path = Path(source).relative_to(root).as_posix()
            alone = path.startswith(("core/", "gpu/"))
            flags = PRECOMPILED.sub("", command) if alone else command
            yield path, f"{flags} -fsyntax-only {source}"


def headers_in(text):
    """The headers of ours that a file includes."""
    return INCLUDE.findall(text) + [f"app/api/{name}" for name in SURFACE.findall(text)]


def touched(files, changed):
    """Names the `files` that changed or include one that did. files: a dictionary of names to texts"""
    includes = {name: headers_in(text) for name, text in files.items()}
    found = set(changed)
    while True:
        more = {name for name, others in includes.items()
                if name not in found and not found.isdisjoint(others)}
        if not more:
            return found & files.keys()
        found |= more


def code(text):
    """The words of a file but for its comments."""
    return COMMENT.sub("", text).split()


@functools.cache
def offered(text):
    """The names and includes of a file; on those of a header who includes it may rely."""
    return set(OFFERED.findall(COMMENT.sub("", text)))


def to_read(files, before):
    """Names the `files` that may no longer compile alone. `before` has the former texts of those
    that have changed, an empty one for those that are new. A file is read with its source where it
    is a header. Who includes a header that has lost an include may miss any name; who includes one
    that has lost a name misses that one, where it has it, and else what has it is itself read."""
    before = {name: text for name, text in before.items()
              if code(text) != code(files.get(name, ""))}
    lost = {name: offered(text) - offered(files.get(name, "")) for name, text in before.items()}
    without_include = {name for name, words in lost.items()
                       if any(word.startswith("#") for word in words)}
    found = touched(files, without_include) | before.keys()
    for name, words in lost.items():
        found |= {user for user in touched(files, {name})
                  if not words.isdisjoint(offered(files[user]))}
    return (found | {name.removesuffix(".h") + ".cpp" for name in found}) & files.keys()


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def changes_includes(difference):
    """Whether lines of FLAGS that differ may change what any source includes."""
    return any(CHANGES_INCLUDES.match(line) for line in difference.splitlines()
               if not line.startswith(("+++ ", "--- ")))


def wanted(commit):
    """The sources to read; None: all."""
    if not commit:
        return None
    changed = git("diff", "--no-renames", "--name-status", commit).splitlines()
    changed = {name: status for status, name in (line.split("\t") for line in changed)}
    if (any(name.startswith(PRECOMPILED_HEADERS) for name in changed)
            or changes_includes(git("diff", "-U0", commit, "--", *FLAGS))):
        return None
    files = {path.as_posix(): path.read_text(encoding="utf-8")
             for layer in ("app", "core", "gpu", "ui")
             for path in Path(layer).rglob("*") if path.suffix in (".h", ".cpp", ".cu", ".cuh")}
    before = {name: "" if status == "A" else git("show", f"{commit}:{name}")
              for name, status in changed.items() if name.endswith((".h", ".cpp", ".cu", ".cuh"))}
    return to_read(files, before)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--since", default="")
    arguments = parser.parse_args()
    only = wanted(arguments.since)
    every = list(commands(arguments.build))
    work = [each for each in every if only is None or each[0] in only]

    def read(each):
        return subprocess.run(each[1], shell=True, cwd=arguments.build, capture_output=True,
                              text=True, check=False)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        failed = [result for result in pool.map(read, work) if result.returncode != 0]
    for result in failed:
        print(result.stdout + result.stderr, end="")
    print(f"includes: {len(work)} of {len(every)} sources and headers read, "
          f"{len(failed)} do not compile alone")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
