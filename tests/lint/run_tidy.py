"""Runs clang-tidy over what a build compiled, many sources at a time.

    python3 tests/lint/run_tidy.py build/release [--jobs N]

Three quarters of clang-tidy's time goes into the headers of the system, so sources whose flags
differ in definitions and include paths only are read together, up to forty at a time and such that
no two define the same name. Where names collide all the same, each half is read again, down to
single sources. Sources in which something is found are read again one by one: what these readings
say counts. Exits with 1 where something is found.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

LAYERS = re.compile(r"^(?!.*(/tests/|verify_interface|_autogen/|/qrc_|gantry_precompiled))"
                    r".*/(core|app|gpu|ui)/.*\.c(pp|xx)$")
PRECOMPILED = re.compile(r"-Winvalid-pch -include \S+/cmake_pch\.hxx")
SOURCES_AT_ONCE = 40
UNIT = re.compile(r"/Unity/[^/]+$")
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)
# What a source defines at the outermost level, where clang-format leaves no indentation: a type, a
# variable, or a function with its parameters, since others may overload it.
NAMES = re.compile(r"^(?:(?:struct|class|enum class|enum|using)\s+(\w+)"
                   r"|[A-Za-z_][\w:<>,&*\[\] ]*?[ &*>](\w+(?:\([^\n]*|(?=\[| =|\{|;))))",
                   re.MULTILINE)
FINDING = re.compile(r"^(/[^:\n]+):\d+:\d+: (?:error|warning):", re.MULTILINE)
EVERYWHERE = {"fs", "nlohmann", "enum"}  # names that sources give to the same


class Unit:
    """A compiled source. key: its flags but for definitions and include paths, which may be joined."""

    def __init__(self, entry):
        self.file = entry["file"]
        self.directory = entry["directory"]
        words = shlex.split(PRECOMPILED.sub("", entry["command"]))
        flags, joined = [], []
        skip = ""
        for word in words:
            if skip:
                if skip == "-isystem":
                    joined.append(f"-isystem {shlex.quote(word)}")
                skip = ""
            elif word in ("-o", "-c", "-MT", "-MF", "-isystem"):
                skip = word
            elif word.startswith(("-D", "-I")):
                joined.append(shlex.quote(word))
            elif word not in ("-MD", "ccache") and not word.endswith("/ccache"):
                flags.append(shlex.quote(word))
        self.key = " ".join(flags)
        self.joined = joined


class Source:
    """A source, and the unit that the build compiled it in."""

    def __init__(self, file, unit):
        self.file = file
        self.unit = unit
        text = Path(file).read_text(encoding="utf-8")
        self.names = {a or b for a, b in NAMES.findall(text)} - EVERYWHERE


def sources_of(unit):
    if not UNIT.search(unit.file):
        return [Source(unit.file, unit)]
    listed = INCLUDE.findall(Path(unit.file).read_text(encoding="utf-8"))
    return [Source(file, unit) for file in listed]


def groups_of(units):
    """Lists of sources of one key, of which no two define a name."""
    by_key = {}
    for unit in units:
        by_key.setdefault(unit.key, []).extend(sources_of(unit))
    for same in by_key.values():
        groups = []
        for source in same:
            for group, names in groups:
                if len(group) < SOURCES_AT_ONCE and names.isdisjoint(source.names):
                    group.append(source)
                    names |= source.names
                    break
            else:
                groups.append(([source], set(source.names)))
        yield from (group for group, _ in groups)


def tidy(folder, group, name):
    """Reads the sources of a group as one."""
    text = folder / f"{name}.cxx"
    text.write_text("".join(f'#include "{source.file}"\n' for source in group), encoding="utf-8")
    joined = dict.fromkeys(flag for source in group for flag in source.unit.joined)
    first = group[0].unit
    flags = shlex.split(f"{first.key} {' '.join(joined)}")[1:]
    if len(group) > 1:
        flags.append("-Wno-shadow")  # a local name may be that of another source; the build looks
    return subprocess.run(["clang-tidy", "--quiet", str(text), "--", *flags], cwd=first.directory,
                          capture_output=True, text=True, check=False)


def find(folder, group, name):
    """What is found in the sources of a group, a text each."""
    result = tidy(folder, group, name)
    if result.returncode == 0:
        return []
    if len(group) == 1:
        return [result.stdout + result.stderr]
    if "[clang-diagnostic-error" not in result.stdout:
        named = set(FINDING.findall(result.stdout))
        alone = [source for source in group if os.path.realpath(source.file) in named]
        texts = [text for i, source in enumerate(alone)
                 for text in find(folder, [source], f"{name}_of{i}")]
        if texts:
            return texts
    half = len(group) // 2
    return find(folder, group[:half], f"{name}_0") + find(folder, group[half:], f"{name}_1")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    entries = json.loads((arguments.build / "compile_commands.json").read_text(encoding="utf-8"))
    units = [Unit(entry) for entry in entries if LAYERS.match(entry["file"])]
    folder = (arguments.build.parent / "tidy").resolve()
    folder.mkdir(exist_ok=True)
    groups = sorted(groups_of(units), key=len, reverse=True)  # the longest begin first
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = [text for texts in pool.map(lambda i: find(folder, groups[i], f"merged_{i}"),
                                            range(len(groups))) for text in texts]
    print("".join(found), end="")
    print(f"clang-tidy: {len(units)} units read as {len(groups)}; something is found in "
          f"{len(found)} sources")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
