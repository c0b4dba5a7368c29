#!/usr/bin/env python3
"""Checks the messages of commits: an imperative subject of at most 72 characters, and why below it.

    python3 check_commits.py [ROOT] [--base COMMIT]    the commits after COMMIT that HEAD has
    python3 check_commits.py --message FILE            one message, before it is committed

As a hook of git: echo 'exec python3 tests/lint/check_commits.py --message "$1"' is all that
.git/hooks/commit-msg needs below its #!/bin/sh.

Without --base, commits that BASE has are not read: they were made before these rules. Prints one line
for each fault, "commit: sentence", and exits 1 when there is any. Where there is no history, as in an
archive of the sources or a shallow clone that lacks BASE, there is nothing to check.
Tests: tests/lint/lint_test.py
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

BASE = "1262fb9cd726a8f14fea68282fe31490961dfb8b"
MAX_SUBJECT = 72
# Subjects that begin so name a thing or tell a story; an imperative begins with what to do.
NO_VERBS = set("A An The This That These Those It Its What Who Where When Which While As Of In On At "
               "By For From With Without After Before One Two Three Each Every All Some No Not "
               "Both There Now New Also".split())
# Verbs that look like other forms of verbs, or like plurals.
VERBS = set("Address Alias Bias Bring Bypass Compress Cross Discuss Embed Exceed Express Feed Focus "
            "Guess Miss Need Pass Press Proceed Process Seed Shed Speed Stress Suppress".split())
REVERTS = re.compile(r'Revert "')
# What git will fold into another commit; in the history it is a fault that it has not been.
TO_FOLD = re.compile(r"(fixup|squash|amend)! ")


def faults_of(message):
    """What is wrong with a message, in sentences."""
    lines = message.rstrip("\n").split("\n")
    subject = lines[0]
    if REVERTS.match(subject):
        return
    if TO_FOLD.match(subject):
        yield "it is still to be folded into another commit"
        return
    if not subject.strip():
        yield "there is no subject"
        return
    if len(subject) > MAX_SUBJECT:
        yield f"the subject has {len(subject)} characters; {MAX_SUBJECT} are allowed"
    if subject.endswith("."):
        yield "the subject ends in a full stop"
    first = re.match(r"[^\s:,]+", subject)[0]
    if first not in VERBS and (first in NO_VERBS or not re.fullmatch(r"[A-Z][a-z]*(-[a-z]+)*", first)
                               or re.search(r"([^s]s|ed|ing)$", first)):
        yield f"the subject begins with '{first}': begin with what is done, as in 'Read', 'Add'"
    if len(lines) > 1 and lines[1].strip():
        yield "the line below the subject is not empty"
    if not any(line.strip() for line in lines[1:]):
        yield "there is no body that says why"


def git(root, *words):
    """What git prints, or None where it fails or is not there."""
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def commits_since(root, base):
    """(short hash, message) of each commit after base, the oldest first; None without a history."""
    listed = git(root, "log", "--reverse", "--no-merges", "--format=%h%x00%B%x01", f"{base}..HEAD")
    if listed is None:
        return None
    return [tuple(entry.strip("\n").split("\0")) for entry in listed.split("\1") if entry.strip()]


def check(commits):
    """Every fault, as (commit, sentence)."""
    return [(commit, sentence) for commit, message in commits for sentence in faults_of(message)]


def message_of(path):
    """What git will keep of a message file: its comments are left out."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return "\n".join(line for line in lines if not line.startswith("#"))


def main():
    parser = argparse.ArgumentParser(description="Checks the messages of commits.")
    parser.add_argument("root", nargs="?", default=".")
    parser.add_argument("--base", default=BASE)
    parser.add_argument("--message", type=Path)
    options = parser.parse_args()
    if options.message:
        message = message_of(options.message)
        # Merges are git's own words; they are not read in the history, either.
        to_read = not re.match("Merge ", message) and not TO_FOLD.match(message)
        commits = [(options.message.name, message)] if to_read else []
    else:
        commits = commits_since(options.root, options.base)
    if commits is None:
        print(f"commits: no history since {options.base[:7]} here")
        return 0
    faults = check(commits)
    for commit, sentence in faults:
        print(f"{commit}: {sentence}")
    print(f"commits: {len(faults)} faults" if faults else f"commits: {len(commits)} messages are sound")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
