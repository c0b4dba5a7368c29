"""A host that lies: a stand-in for ssh answers in wrong ways. Each ends in a sentence, and nothing is written beside
what the job makes."""

import json
import os
import stat
import sys
import time
import unittest

from support import GantryTest, run

# Does what it is told, with the folder FAR in place of /, except for the step that HOSTILE names.
STAND_IN = r'''#!{python} -B
import os, re, subprocess, sys
def plain(text):
    return re.sub(rb"\\0([0-7]{{3}})", lambda m: bytes([int(m[1], 8)]), text)
far, kind = os.environ["FAR"].encode(), os.environ.get("HOSTILE", "")
out = sys.stdout.buffer
last = sys.argv[-1].encode()
is_move = b"rsync --server" in last
script = plain(last.split(b"' '")[1].split(b"' ")[0] if is_move else sys.stdin.buffer.readline().strip())
mark = re.search(rb"gantry-[0-9a-f]{{16}}", script)[0]
def answer(body, code=0):
    out.write(mark + b"-begin\n" + body + b"\n" + mark + b"-end %d\n" % code)
    out.flush()
    sys.exit(0)
def forever():
    while True:
        out.write(b"x" * 65536)
def honest():
    here = script.replace(b"'/scratch", b"'" + far + b"/scratch").replace(b"cd '/'", b"cd '" + far + b"'")
    if is_move:
        os.execvp("sh", [b"sh", b"-c", here, b"sh", *last.split(b"' ")[-1].split()])
    done = subprocess.run([b"sh", b"-c", here], stdout=subprocess.PIPE)
    out.write(done.stdout.replace(far, b""))
    out.flush()
    sys.exit(done.returncode)
is_poll, is_records, is_list = b"events.rank" in script, b"%p\\0" in script, b"%P\\0" in script
if kind == "endless-before":
    forever()
if kind == "nothing":
    sys.exit(0)
if kind == "garbage":
    answer(bytes(range(128, 256)) * 20)
if is_poll and (kind.startswith("log ") or kind in ("more", "short")):
    texts = {{"more": b"job\nbegun 7 0 n\nalive\nmore\nend", "short": b"job\nlog events.jsonl 0 900\nabc\nend"}}
    answer(texts.get(kind, b"job\n" + kind.encode() + b"\nabc\n\nend"))
if is_poll and kind.startswith("said "):
    answer(b"job\nended 1\nsaid " + bytes.fromhex(kind[5:]) + b"\nend")
if is_list and kind.startswith("list "):
    size, name = kind[5:].split(" ", 1)
    answer(size.encode() + b" " + bytes.fromhex(name) + b"\0")
if is_records and kind.startswith("record "):
    answer(b"2 /scratch/jobs/j1/job/" + kind[7:].encode() + b"\0")
honest()
'''


def hexed(text):
    return (text if isinstance(text, bytes) else text.encode()).hex()


class Hostile(GantryTest):
    def setUp(self):
        super().setUp()
        tools = self.folder / "tools"
        tools.mkdir()
        ssh = tools / "ssh"
        ssh.write_text(STAND_IN.format(python=sys.executable))
        ssh.chmod(ssh.stat().st_mode | stat.S_IXUSR)
        self.state = self.folder / "state"
        self.far = self.folder / "far"
        for name in ("job/lock", "job/job.sh", "out/v.mha"):
            (self.far / "scratch/jobs/j1" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.far / "scratch/jobs/j1" / name).write_text("e" * 9)
        self.variables = {**os.environ, "FAR": str(self.far), "PATH": f"{tools}:{os.environ['PATH']}",
                          "XDG_CONFIG_HOME": str(self.folder / "config"),
                          "XDG_STATE_HOME": str(self.state), "XDG_RUNTIME_DIR": str(self.folder)}
        hosts = self.folder / "config/gantry/hosts"
        hosts.mkdir(parents=True)
        (hosts / "far.json").write_text(json.dumps(
            {"gantryHost": 1, "address": "far", "scratch": "/scratch"}))
        self.out = self.folder / "out"
        self.out.mkdir()
        for name in (".bashrc", "other.mha"):
            (self.out / name).write_text("mine")

    def make_job(self, state):
        """The records of a job as `gantry reconstruct --host` leaves them."""
        made = self.out / "v.mha.job"
        if not made.exists():
            done = run("reconstruct", self.scan, "--voxels", "8x8x8", "--pitch-mm", 8, "--engine", "cpu",
                       "--out", self.out / "v.mha")
            self.assertEqual(done.returncode, 0, done.stderr)
        (made / "job.sh").write_text("mine")
        (made / "remote.json").write_text(json.dumps(
            {"gantryRemote": 1, "id": "j1", "host": "far", "place": "/scratch/jobs/j1", "data": "",
             "way": "there", "bring": "volume", "number": "7", "nodes": 1, "ranks": 1, "minutes": 0,
             "state": state, "message": "x", "isFetched": False}))
        listed = self.state / "gantry/remote-jobs"
        listed.mkdir(parents=True, exist_ok=True)
        (listed / "j1.txt").write_text(f"{made}\n")
        return made

    def ask(self, kind, *words):
        begin = time.monotonic()
        done = run(*words, env={**self.variables, "HOSTILE": kind})
        self.assertLess(time.monotonic() - begin, 20, kind)
        self.assertIn(done.returncode, (0, 1, 2), f"{kind}: {done.stderr}")
        for sign in ("terminate", "what():", "\x1b"):
            self.assertNotIn(sign, done.stdout + done.stderr, kind)
        return done

    def assert_untouched(self, made, kind):
        for name in (".bashrc", "other.mha"):
            self.assertEqual((self.out / name).read_text(), "mine", kind)
        self.assertEqual((made / "job.sh").read_text(), "mine", kind)
        self.assertFalse((self.folder / "evil").exists(), kind)

    def test_listed_files(self):
        made = self.make_job("done")
        for size, name in ((9, ".bashrc"), (9, "other.mha"), (9, "../evil"), (9, "/evil"), (9, "v.mha/../evil"),
                           (9, "a\x1b[31mb"), (9, b"\xff\xfe"), (-1, "v.mha"), (9 * 10**15, "v.mha"),
                           ("x", "v.mha"), ("", ""), (9, "v.mha.job/job.sh"), (3, "v.mha")):
            kind = f"list {size} {hexed(name)}"
            done = self.ask(kind, "fetch", "j1")
            self.assertNotIn("Trying again", done.stderr, kind)
            if name == ".bashrc":
                self.assertIn("such as '.bashrc'; it is not fetched.", done.stderr)
            if size == "x":
                self.assertEqual(done.returncode, 2, kind)
            self.assert_untouched(made, kind)

    def test_records(self):
        made = self.make_job("done")
        for name in ("job.sh", "host-job.json", "remote.json", "job.json", "lock", "../../other.mha", ".bashrc"):
            self.ask(f"record {name}", "fetch", "j1")
            self.assert_untouched(made, name)
            self.assertEqual(json.loads((made / "remote.json").read_text())["id"], "j1")

    def test_logs(self):
        made = self.make_job("running")
        log = made / "events.jsonl"
        for kind in ("log events.jsonl 9000000000000 3", "log events.jsonl -1 3", "log ../evil 0 3",
                     "log events.jsonl 0 99999999999999999999", "log events.jsonl 1 3", "more", "short",
                     "nothing", "garbage", "endless-before"):
            before = log.stat().st_size
            done = self.ask(kind, "jobs")
            self.assertIn("j1", done.stdout, kind)
            self.assertEqual(log.stat().st_size, before, kind)
            self.assert_untouched(made, kind)

    def test_text_that_is_not_utf8(self):
        self.make_job("running")
        self.ask("said " + hexed(b"caf\xe9 \xef\x9f\xa9 \x1b[31m"), "jobs")
        for words in (("jobs",), ("jobs", "--json")):
            done = self.ask("nothing", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("j1", done.stdout)


if __name__ == "__main__":
    unittest.main()
