"""Writes OLE compound files of version 3, from the published layout of them."""

import struct

FREE, END, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
SECTOR, MINI, CUTOFF = 512, 64, 4096


def chain(table, count, first):
    """Appends a chain of sectors that follow one another."""
    table += [first + i + 1 for i in range(count - 1)] + [END]


def padded(data, size):
    return data + bytes(-len(data) % size)


def entries_of(streams):
    """The directory: names, types, first children and next ones of the same storage."""
    entries = [{"name": "Root Entry", "type": 5, "children": {}}]
    for path, data in streams.items():
        at = entries[0]
        *storages, name = path.split("/")
        for storage in storages:
            if storage not in at["children"]:
                at["children"][storage] = len(entries)
                entries.append({"name": storage, "type": 1, "children": {}})
            at = entries[at["children"][storage]]
        at["children"][name] = len(entries)
        entries.append({"name": name, "type": 2, "children": {}, "data": data})
    for entry in entries:
        numbers = list(entry["children"].values())
        entry["child"] = numbers[0] if numbers else FREE
        for one, other in zip(numbers, numbers[1:]):
            entries[one]["next"] = other
    return entries


def directory_of(entries):
    data = b""
    for entry in entries:
        name = (entry["name"] + "\0").encode("utf-16-le")
        data += name.ljust(64, b"\0")
        data += struct.pack("<HBBIII", len(name), entry["type"], 1, FREE, entry.get("next", FREE),
                            entry["child"])
        data += bytes(36) + struct.pack("<IQ", entry.get("first", END), entry.get("size", 0))
    return data


def write_ole(path, streams):
    """streams: bytes by paths with slashes"""
    entries = entries_of(streams)
    body, table, minis, mini_table = b"", [], b"", []

    def place(data):
        nonlocal body
        if not data:
            return END
        first = len(table)
        chain(table, -(-len(data) // SECTOR), first)
        body += padded(data, SECTOR)
        return first

    for entry in entries:
        if entry["type"] != 2:
            continue
        data = entry["data"]
        entry["size"] = len(data)
        if len(data) >= CUTOFF:
            entry["first"] = place(data)
        elif data:
            entry["first"] = len(mini_table)
            chain(mini_table, -(-len(data) // MINI), len(mini_table))
            minis += padded(data, MINI)
    entries[0].update(first=place(minis), size=len(minis))
    mini_data = struct.pack(f"<{len(mini_table)}I", *mini_table)
    mini_first = place(mini_data)
    directory_first = place(directory_of(entries))
    tables = 1
    while tables * SECTOR // 4 < len(table) + tables:
        tables += 1
    assert tables <= 109, "the header cannot list more"
    numbers = [len(table) + i for i in range(tables)]
    table += [TABLE] * tables
    table += [FREE] * (tables * SECTOR // 4 - len(table))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIII", 0, tables, directory_first, 0, CUTOFF, mini_first,
                          -(-len(mini_data) // SECTOR), END, 0)
    header += struct.pack("<109I", *(numbers + [FREE] * (109 - tables)))
    path.write_bytes(header + body + struct.pack(f"<{len(table)}I", *table))
