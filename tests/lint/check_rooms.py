#!/usr/bin/env python3
"""Checks that every #include keeps to the rooms of tests/lint/rooms.txt, and that the README's table and the
drawing of the architecture have all of them.

A room may include itself, the rooms that its line names, and what those may include. A line
"ui/panels/*: shared" keeps the folders in a room apart: each may include itself and those named.

    python3 check_rooms.py [ROOT]

Prints one line for each fault, "file:line: sentence", and exits 1 when there is any.
Tests: tests/lint/lint_test.py
"""

import re
import sys
from pathlib import Path

SOURCES = {".h", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
OURS = re.compile(r"(app|core|gpu|ui|tests)/")
# What each layer may include of the others, besides itself.
LAYERS = {"app": {"core", "gpu", "ui"}, "core": set(), "gpu": {"core"}, "ui": {"core"}}
# Layers that are made of rooms.
ROOMED = {"app", "core", "gpu", "ui"}
# Header names of what core must build without.
FOREIGN = {
    "Qt": re.compile(r"Q[A-Z]\w*(/|$)|Qt\w*/|q[a-z]+\.h$"),
    "VTK": re.compile(r"vtk"),
    "CUDA": re.compile(r"cuda|cufft|curand|cublas|cub/|thrust/|nvrtc|nvtx|nccl|device_launch"),
    "MPI": re.compile(r"mpi\.h$|mpi-ext\.h$"),
}
# The folder of core that may use one of these: builds without it leave its files out.
GRANTED = ("MPI", ("core", "cluster", "mpi"))
# Headers that put values into messages. Only .cpp files include them, so that no header that is
# installed needs fmt.
WITH_FMT = {("core", "base", "throw_error.h"), ("core", "base", "json_fields.h")}


def read_rooms(path):
    """What each room, and each folder of a "room/*", may include; and the faults of the file."""
    rooms, faults = {}, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, colon, granted = line.partition(":")
        if not colon or not re.fullmatch(r"((app|gpu|ui)/)?[a-z][a-z0-9_]*(/\*)?", name):
            faults.append((path, number, f"'{line}' is not of the form 'room: other rooms'"))
        elif name in rooms:
            faults.append((path, number, f"room '{name}' stands here a second time"))
        else:
            rooms[name] = (number, granted.split())
    for name, (number, granted) in rooms.items():
        room, is_folders, _ = name.partition("/*")
        if room not in rooms:
            faults.append((path, number, f"'{room}', whose folders these are, is no room"))
        for other in granted:
            if not is_folders and other not in rooms:
                faults.append((path, number, f"room '{name}' is granted '{other}', which is no room"))
    graph = {name: granted for name, (_, granted) in rooms.items() if not name.endswith("/*")}
    cycles = find_cycles(graph)
    faults += [(path, rooms[cycle[0]][0], "rooms in a circle: " + " -> ".join(cycle))
               for cycle in cycles]
    folders = {name: set(granted) for name, (_, granted) in rooms.items() if name.endswith("/*")}
    if cycles:
        return {name: set(granted) for name, granted in graph.items()} | folders, faults
    return {name: reachable(graph, name) for name in graph} | folders, faults


def reachable(graph, name):
    """All rooms that a room may include, in a graph without circles."""
    found = set()
    for other in graph.get(name, []):
        found |= {other} | reachable(graph, other)
    return found


def find_cycles(graph):
    """Each circle of a graph once, as the list of its names with the first one repeated."""
    cycles, done = [], set()

    def visit(name, trail):
        if name in trail:
            cycles.append(trail[trail.index(name):] + [name])
        elif name not in done:
            for other in graph.get(name, []):
                visit(other, trail + [name])
            done.add(name)

    for name in graph:
        visit(name, [])
    return cycles


def room_of(parts):
    """The room that a file lies in, by its path's parts: "base" of core/base, "ui/models"; or None."""
    if len(parts) < 3 or parts[0] not in ROOMED:
        return None
    return parts[1] if parts[0] == "core" else f"{parts[0]}/{parts[1]}"


def folder_of(parts):
    """The folder within its room that a file lies in; "" where it lies in the room itself."""
    return parts[2] if len(parts) > 3 else ""


def judge(root, source, bracket, header, rooms):
    """What is wrong with one include, or None."""
    parts = source.relative_to(root).parts
    layer, target = parts[0], header.split("/")
    room = room_of(parts)
    if bracket == "<":
        if OURS.match(header) and (root / header).exists():
            return f"<{header}> is a file of ours: write it in quotes"
        if layer == "core":
            for name, pattern in FOREIGN.items():
                if pattern.match(header) and (name, parts[:3]) != GRANTED:
                    return f"<{header}> belongs to {name}, which core must build without"
            if source.suffix == ".h" and header.startswith("fmt/") and parts not in WITH_FMT:
                return f"<{header}> is for .cpp files: no header of core may need fmt"
        if layer == "ui" and FOREIGN["VTK"].match(header) and room != "ui/scene":
            return f"<{header}> is for the room ui/scene alone"
        return None
    if target[0] not in LAYERS or len(target) < 2 or (target[0] in ROOMED and len(target) < 3):
        return f'"{header}" is not of the form "core/room/file.h"'
    if not (root / header).is_file():
        return f'"{header}" does not exist'
    if source.suffix == ".h" and tuple(target) in WITH_FMT:
        return f'"{header}" is for .cpp files: no header may need fmt'
    if target[0] != layer and target[0] not in LAYERS[layer]:
        return f"{layer} must not include {target[0]}"
    other = room_of(target)
    if room and other and other != room and other not in rooms.get(room, set()):
        return f"room '{room}' must not include room '{other}'"
    if other and other == room and f"{room}/*" in rooms:
        folder, wanted = folder_of(parts), folder_of(target)
        if wanted != folder and wanted not in rooms[f"{room}/*"]:
            return f"folder '{folder}' of room '{room}' must not include folder '{wanted}'"
    return None


def check(root):
    """Every fault under root, as (file, line, sentence)."""
    rooms, faults = read_rooms(root / "tests/lint/rooms.txt")
    for layer in sorted(ROOMED):
        for folder in sorted((root / layer).glob("*/")):
            room = room_of((layer, folder.name, ""))
            if folder.is_dir() and room not in rooms:
                faults.append((folder, 1, f"room '{room}' is not listed in tests/lint/rooms.txt"))
    for layer in LAYERS:
        for source in sorted((root / layer).rglob("*")):
            if source.suffix not in SOURCES or not source.is_file():
                continue
            for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
                include = INCLUDE.match(line)
                fault = include and judge(root, source, include[1], include[2], rooms)
                if fault:
                    faults.append((source, number, fault))
    return faults


def check_papers(root):
    """Rooms that the README's table or the drawing of the architecture lacks."""
    rooms, _ = read_rooms(root / "tests/lint/rooms.txt")
    readme = root / "README.md"
    drawing = root / "resources/help/pictures/architecture.svg"
    table = " ".join(line for line in readme.read_text(encoding="utf-8").splitlines()
                     if line.startswith("|"))
    words = set(re.findall(r"\w+", re.sub(r"<[^>]*>", " ", drawing.read_text(encoding="utf-8"))))
    for room in rooms:
        if room.endswith("/*"):
            continue
        path = room if "/" in room else f"core/{room}"
        if f"`{path}`" not in table:
            yield readme, 1, f"the table of rooms lacks `{path}`"
        if room.split("/")[-1] not in words:
            yield drawing, 1, f"the drawing lacks the room {path}"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    faults = check(root) + list(check_papers(root))
    for path, number, sentence in faults:
        print(f"{path.relative_to(root)}:{number}: {sentence}")
    print(f"rooms: {len(faults)} faults" if faults else "rooms: every include is allowed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
