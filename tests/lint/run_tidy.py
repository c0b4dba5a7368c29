"""Runs clang-tidy over what a build compiled, many sources at a time.

    python3 tests/lint/run_tidy.py build/release [--jobs N]

Three quarters of clang-tidy's time goes into the headers of the system, so sources whose flags
differ in definitions and include paths only are read together, up to 128 at a time and such that
no two define the same name and none hides a name of a header that another includes. Where names
collide all the same, each half is read again, down to single sources. Sources in which something is
found are read again one by one: what these readings say counts. Exits with 1 where something is
found.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is
from check_includes import headers_in  # noqa: E402

LAYERS = re.compile(r"^(?!.*(/tests/|verify_interface|_autogen/|/qrc_|gantry_precompiled))"
                    r".*/(core|app|gpu|ui)/.*\.c(pp|xx)$")
PRECOMPILED = re.compile(r"-Winvalid-pch -include \S+/cmake_pch\.hxx")
SOURCES_AT_ONCE = 128  # clang-tidy takes up to 2 GB for them
UNIT = re.compile(r"/Unity/[^/]+$")
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)
# What a source defines at the outermost level, where clang-format leaves no indentation: a type, a
# variable, or a function with its parameters, since others may overload it.
NAMES = re.compile(r"^(?:(?:struct|class|enum class|enum)\s+(\w+)\b(?!;)"
                   r"|(?:\[\[nodiscard\]\] )?(?!using |namespace )[A-Za-z_][\w:<>,&*\[\] ]*?"
                   r"[ &*>](\w+(?:\([^\n]*|(?=\[| =|\{|;))))", re.MULTILINE)
PARAMETER = re.compile(r"\w+(?=[,)])")  # functions that differ in names of parameters are one
# Names of what is defined elsewhere, which sources share where they mean the same.
ALIASES = re.compile(r"^(?:using|namespace) (?:(\w+) = ([^;\n]+)|([\w:]+::(\w+)));", re.MULTILINE)
# Flags of code generation, which clang-tidy does not look at; Qt asks for -fPIC.
CODE_FLAG = re.compile(r"-O\d$|-fno-(math-errno|trapping-math)$|-fPIC$")
FINDING = re.compile(r"^(/[^:\n]+):\d+:\d+: (?:error|warning):", re.MULTILINE)


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
            elif (word not in ("-MD", "ccache") and not word.endswith("/ccache")
                  and not CODE_FLAG.match(word)):
                flags.append(shlex.quote(word))
        self.key = " ".join(flags)
        self.joined = joined


@functools.cache
def names_of(file):
    """What the names of a file mean; the same without parameters, of those that no header of ours
    that it includes has; and those of these headers."""
    text = Path(file).read_text(encoding="utf-8")
    own = {PARAMETER.sub("", a or b): file for a, b in NAMES.findall(text)}
    own |= {a or b: meaning or whole for a, meaning, whole, b in ALIASES.findall(text)}
    included = {}
    for header in filter(os.path.exists, headers_in(text)):
        _, of_header, of_more = names_of(header)
        included |= of_more | of_header
    bare = {name.split("(")[0]: meaning for name, meaning in own.items()}
    bare = {name: meaning for name, meaning in bare.items() if name not in included}
    return own, bare, included


def agree(some, others):
    return all(others.get(name, meaning) == meaning for name, meaning in some.items())


class Source:
    """A source, and the unit that the build compiled it in."""

    def __init__(self, file, unit):
        self.file = file
        self.unit = unit


class Group:
    """Sources of one key in which each name means one thing, and none hides that of a header."""

    def __init__(self):
        self.sources = []
        self.own, self.bare, self.included = {}, {}, {}

    def takes(self, source):
        own, bare, included = names_of(source.file)
        if (len(self.sources) >= SOURCES_AT_ONCE or not agree(own, self.own)
                or not agree(bare, self.included) or not agree(included, self.bare)):
            return False
        self.sources.append(source)
        self.own |= own
        self.bare |= bare
        self.included |= included
        return True


def sources_of(unit):
    if not UNIT.search(unit.file):
        return [Source(unit.file, unit)]
    listed = INCLUDE.findall(Path(unit.file).read_text(encoding="utf-8"))
    return [Source(file, unit) for file in listed]


def groups_of(units):
    """Lists of sources that may be read together."""
    by_key = {}
    for unit in units:
        by_key.setdefault(unit.key, []).extend(sources_of(unit))
    for same in by_key.values():
        groups = []
        for source in same:
            if not any(group.takes(source) for group in groups):
                groups.append(Group())
                groups[-1].takes(source)
        yield from (group.sources for group in groups)


def tidy(folder, group, name):
    """Reads the sources of a group as one."""
    text = folder / f"{name}.cxx"
    text.write_text("".join(f'#include "{source.file}"\n' for source in group), encoding="utf-8")
    joined = dict.fromkeys(flag for source in group for flag in source.unit.joined)
    first = group[0].unit
    flags = ["-fPIC", *shlex.split(f"{first.key} {' '.join(joined)}")[1:]]
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
        if texts or (alone and len(alone) == len(named)):  # no header is named
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
