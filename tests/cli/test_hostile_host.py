"""A host that lies: a stand-in for ssh answers in wrong ways. Each ends in a sentence, and nothing is written beside
what the job makes."""

import json
import os
import shutil
import signal
import sys
import time
import unittest

from support import GantryTest, run, start

# Does what it is told, with the folder FAR in place of /, except for the step that HOSTILE names.
STAND_IN = r'''#!{python} -BIS
import os, re, sys, time
def plain(text):
    return re.sub(rb"\\0([0-7]{{3}})", lambda m: bytes([int(m[1], 8)]), text)
far, kind = os.environ["FAR"].encode(), os.environ.get("HOSTILE", "")
if sys.argv[-2] != "far":
    kind = ""
out = sys.stdout.buffer
last = sys.argv[-1].encode()
is_move = b"rsync --server" in last
script = plain(last.split(b"' '")[1].split(b"' ")[0] if is_move else sys.stdin.buffer.readline().strip())
mark = re.search(rb"gantry-[0-9a-f]{{16}}", script)[0]
def answer(body, code=0):
    out.write(mark + b"-begin\n" + body + b"\n" + mark + b"-end %d\n" % code)
    out.flush()
    sys.exit(0)
def forever(begin=b""):
    out.write(begin)
    while True:
        out.write(b"x" * 65536)
def drip(text, pause):
    for i in range(len(text)):
        out.write(text[i:i + 1])
        out.flush()
        time.sleep(pause)
def honest():
    import subprocess
    here = script.replace(b"'/scratch", b"'" + far + b"/scratch").replace(b"cd '/'", b"cd '" + far + b"'")
    words = [b"sh", b"-c", here, b"sh", *last.split(b"' ")[-1].split()]
    if is_move and kind != "move-flipped":
        os.execvp("sh", words)
    done = subprocess.Popen(words if is_move else words[:3], stdout=subprocess.PIPE,
                            stdin=sys.stdin if is_move else subprocess.DEVNULL)
    if is_move:
        while piece := os.read(done.stdout.fileno(), 1 << 20):
            out.write(piece.replace(b"MARKED", b"marked"))
            out.flush()
        sys.exit(done.wait())
    text = done.stdout.read().replace(far, b"")
    drip(text, 0.002) if kind == "slow" else out.write(text)
    out.flush()
    done.wait()
    sys.exit(done.returncode)
is_poll, lists = b"events.rank" in script, b"%P\\0" in script
is_records, is_list = lists and b"/job'; set" in script, lists and b"/out'; set" in script
if kind == "endless-before":
    forever()
if kind == "nothing":
    sys.exit(0)
if kind == "endless-answer":
    forever(mark + b"-begin\n")
if kind == "endless-after":
    forever(mark + b"-begin\n\n" + mark + b"-end 0\n")
if kind.startswith("drip"):
    open(far + b"/asked", "wb").close()
if kind == "drip":
    drip(b"." * 10000, 0.2)
if kind == "drip-answer":
    drip(mark + b"-begin\n" + b"." * 10000, 0.2)
if kind == "no-code":
    out.write(mark + b"-begin\n\n" + mark + b"-end x\n")
    sys.exit(0)
if kind == "garbage":
    answer(bytes(range(128, 256)) * 20)
if is_poll and (kind.startswith("log ") or kind in ("more", "short")):
    texts = {{"more": b"job\nbegun 7 0 n\nalive\nmore\nend", "short": b"job\nlog events.jsonl 0 900\nabc\nend"}}
    answer(texts.get(kind, b"job\n" + kind.encode() + b"\nabc\n\nend"))
if is_poll and kind.startswith("said "):
    answer(b"job\nended 1\nsaid " + bytes.fromhex(kind[5:]) + b"\nend")
if is_poll and kind.startswith("queue "):
    answer(b"job\nbegun 7 0 n\nend\n" + bytes.fromhex(kind[6:]))
if b"sbatch" in script and kind.startswith("submit "):
    answer(bytes.fromhex(kind[7:]))
if is_move and kind.startswith("move-") and kind != "move-flipped":
    out.write(b"\n" + mark + b"\n")
    out.flush()
    if kind == "move-garbage":
        out.write(bytes(range(128, 256)) * 200)
    if kind == "move-endless":
        forever()
    if kind == "move-without":
        sys.stderr.write("gantry-has-no-rsync\n")
    sys.exit(1 if kind == "move-code" else 0)
if is_list and kind == "list-none":
    answer(b"\0")
if is_list and kind.startswith("list "):
    size, name = kind[5:].split(" ", 1)
    answer(size.encode() + b" " + bytes.fromhex(name) + b"\0\0")
if is_records and kind.startswith("record "):
    answer(b"2 " + kind[7:].encode() + b"\0\0")
honest()
'''


def hexed(text):
    return (text if isinstance(text, bytes) else text.encode()).hex()


class Hostile(GantryTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.one = cls.home / "one.mha"
        done = run("reconstruct", cls.scan, "--voxels", "8x8x8", "--pitch-mm", 8, "--engine", "cpu", "--out", cls.one)
        assert done.returncode == 0, done.stderr

    def setUp(self):
        super().setUp()
        tools = self.folder / "tools"
        tools.mkdir()
        for tool, text in (("ssh", STAND_IN.format(python=sys.executable)), ("sftp", "#!/bin/sh\nexit 1\n")):
            (tools / tool).write_text(text)
            (tools / tool).chmod(0o755)
        self.state = self.folder / "state"
        self.far = self.folder / "far"
        for job in ("j1", "j2"):
            for name in ("job/lock", "job/job.sh", "out/v.mha"):
                (self.far / "scratch/jobs" / job / name).parent.mkdir(parents=True, exist_ok=True)
                (self.far / "scratch/jobs" / job / name).write_text("e" * 9)
        self.there = self.far / "scratch/jobs/j1/out/v.mha"
        self.variables = {**os.environ, "FAR": str(self.far), "PATH": f"{tools}:{os.environ['PATH']}",
                          "XDG_CONFIG_HOME": str(self.folder / "config"),
                          "XDG_STATE_HOME": str(self.state), "XDG_RUNTIME_DIR": str(self.folder)}
        hosts = self.folder / "config/gantry/hosts"
        hosts.mkdir(parents=True)
        for name, scheduler in (("far", "none"), ("near", "none"), ("slurm", "slurm")):
            (hosts / f"{name}.json").write_text(json.dumps(
                {"gantryHost": 1, "address": "near" if name == "near" else "far", "scratch": "/scratch",
                 "scheduler": scheduler}))
        self.out = self.folder / "out"
        self.out.mkdir()
        for name in (".bashrc", "other.mha"):
            (self.out / name).write_text("mine")

    def make_job(self, state, host="far", name="j1"):
        """The records of a job as `gantry reconstruct --host` leaves them, with a volume of an earlier run."""
        made = self.out / ("v.mha.job" if name == "j1" else f"{name}.mha.job")
        if not made.exists():
            shutil.copytree(self.one.with_name("one.mha.job"), made)
            shutil.copy(self.one, made.with_suffix(""))
            request = (made / "job.json").read_text()
            self.assertIn(str(self.one), request)
            (made / "job.json").write_text(request.replace(str(self.one), str(made.with_suffix(""))))
        for own in ("job.sh", "host-job.json"):
            (made / own).write_text("mine")
        self.record(made, state, host, name)
        listed = self.state / "gantry/remote-jobs"
        listed.mkdir(parents=True, exist_ok=True)
        (listed / f"{name}.txt").write_text(f"{made}\n")
        return made

    @staticmethod
    def record(made, state, host="far", name="j1", **more):
        document = {"gantryRemote": 1, "id": name, "host": host, "place": f"/scratch/jobs/{name}", "data": "",
                    "way": "there", "bring": "volume", "number": "7", "nodes": 1, "ranks": 1, "minutes": 0,
                    "state": state, "message": "x", "isFetched": False, **more}
        (made / "remote.json").write_text(json.dumps(document))
        return document

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

    def test_volumes(self):
        made = self.make_job("done")
        whole = (self.out / "v.mha").read_bytes()
        size = len(whole)
        cases = {
            "smaller": whole.replace(b"8 8 8", b"8 8 4")[:size - 4 * 8 * 8 * 4],
            "longer name": whole.replace(b"8 8 8", b"8 8 9"),
            "another type": whole.replace(b"MET_FLOAT", b"MET_SHORT"),
            "no volume": b"x" * size,
            "nothing": b"",
            "fewer bytes": whole[:-100],
            "more bytes": whole + b"x" * 5000,
        }
        for name, content in cases.items():
            self.there.write_bytes(content)
            listed = size if "bytes" in name else len(content)
            self.refuse(made, f"list {listed} {hexed('v.mha')}", whole)
        for change in ("missing", "folder", "link"):
            shutil.rmtree(self.there) if self.there.is_dir() else self.there.unlink(missing_ok=True)
            if change == "folder":
                self.there.mkdir()
            if change == "link":
                self.there.symlink_to(self.out / "v.mha")
            self.refuse(made, f"list {size} {hexed('v.mha')}", whole)
        self.refuse(made, "list-none", whole)

    def refuse(self, made, kind, volume):
        """Fetching ends in one sentence, and the volume stays."""
        done = self.ask(kind, "fetch", "j1")
        self.assertIn(done.returncode, (1, 2), kind)
        self.assertEqual(done.stderr.count("gantry:"), 1, done.stderr)
        self.assertNotIn("Trying again", done.stderr, kind)
        self.assertEqual((self.out / "v.mha").read_bytes(), volume, kind)
        self.assert_untouched(made, kind)
        return done

    def test_moves(self):
        made = self.make_job("done")
        whole = (self.out / "v.mha").read_bytes()
        new = whole[:-50] + b"MARKED" + whole[-44:]
        self.there.write_bytes(new)
        for kind in ("move-nothing", "move-garbage", "move-endless", "move-code", "move-without", "move-flipped"):
            self.refuse(made, kind, whole)
        # What a user has saved there meanwhile stays, too.
        (self.out / "v.mha").write_text("saved")
        self.assertIn("Move it away", self.refuse(made, "", b"saved").stderr)
        (self.out / "v.mha").unlink()
        done = self.ask("slow", "fetch", "j1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.out / "v.mha").read_bytes(), new)
        self.assert_untouched(made, "slow")

    def test_a_check_of_a_host_that_prints_for_ever_ends(self):
        done = self.ask("endless-answer", "host", "check", "far")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("prints without end", done.stdout)

    def test_endless_drips_are_left_by_ctrl_c(self):
        made = self.make_job("done")
        for kind in ("drip", "drip-answer"):
            process = start("fetch", "j1", env={**self.variables, "HOSTILE": kind})
            while not (self.far / "asked").exists():
                self.assertIsNone(process.poll())
                time.sleep(0.05)
            (self.far / "asked").unlink()
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
            self.assertLess(time.monotonic() - begin, 10, kind)
            self.assertEqual(process.returncode, 130, said)
            self.assert_untouched(made, kind)

    def test_answers_of_slurm(self):
        made = self.make_job("stopped", "slurm")
        for number in ("$(touch evil)", "", "12; touch evil", "-7", "9" * 30, "x", "1\x1b[31m", "7 8", "7\n"):
            kind = "submit " + hexed(f"number {number}" if number != "x" else "\x1b[31mnothing")
            done = self.ask(kind, "resume", "j1", "--detach")
            if number != "7\n":
                self.assertEqual(done.returncode, 2, number + done.stderr)
                self.assertEqual(done.stderr.count("gantry:"), 1, done.stderr)
            self.assertEqual(json.loads((made / "remote.json").read_text())["number"], "7")
            self.assert_untouched(made, number)
        for said in (b"squeue 0\n7|RUNNING|\xff|\x1b[31m|n\npending\nsacct\n", b"squeue x\n7\n||||\n", b"\0" * 99,
                     b"squeue 0\n7|\x1b]0;evil\x07|x|x|x\npending\n" + b"9" * 5000 + b"\nsacct\n7|\n",
                     b"squeue 0\n" + b"7|PENDING|a|b|c\n" * 2000):
            self.record(made, "running", "slurm")
            done = self.ask("queue " + hexed(said), "jobs")
            self.assertIn("j1", done.stdout)
            self.assert_untouched(made, said)

    def test_another_host_is_not_affected(self):
        made, other = self.make_job("running"), self.make_job("running", "near", "j2")
        there = self.far / "scratch/jobs/j2"
        (there / "begun").write_text("1 0 near\n")
        (there / "ended").write_text("0\n")
        for kind in ("endless-before", "endless-answer", "endless-after", "nothing", "garbage", "more", "no-code"):
            self.record(made, "running")
            self.record(other, "running", "near", "j2")
            done = self.ask(kind, "jobs")
            self.assertRegex(done.stdout, "j2  near  done", kind)
            self.assertRegex(done.stdout, "j1  far", kind)
            self.assert_untouched(made, kind)

    def test_damaged_records(self):
        made, other = self.make_job("done"), self.make_job("done", "near", "j2")
        right = self.record(made, "done")
        texts = [json.dumps(right)[:-40], "[]", "{}", "no JSON", "[" * 100_000, "", b"\xff\xfe", b"\0" * 50,
                 *(json.dumps({**right, name: value}) for name, value in (
                     ("gantryRemote", 2), ("id", "../../evil"), ("number", "-1 1"), ("place", "evil"), ("nodes", 1e99),
                     ("message", 5), ("state", "\x1b[31m"), ("data", "$(touch evil)"), ("more", 1)))]
        for text in texts:
            (made / "remote.json").write_bytes(text if isinstance(text, bytes) else text.encode())
            done = self.ask("", "jobs")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("j2  near", done.stdout, text)
            self.assertEqual(done.stderr.count("The job j1 is left out"), 1, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("remote.json", self.ask("", "fetch", self.out / "v.mha").stderr)
        self.assertTrue((other / "remote.json").exists())

    def test_damaged_events(self):
        made = self.make_job("running")
        self.make_job("done", "near", "j2")
        log = made / "events.jsonl"
        for line in ("{", "[]", '{"t":"x","state":5}', '{"t":1e999,"state":"running"}', '{"t":1,"progress":[]}', "\0" * 99,
                     "[" * 100_000, b"\xff\xfe", '{"t":1,"state":"\\u001b[31m"}', '{"t":1,"log":{},"text":7}'):
            log.write_bytes((line if isinstance(line, bytes) else line.encode()) + b"\n")
            done = self.ask("more", "jobs")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("j1  far  running", done.stdout, line)
            self.assertIn("j2  near  done", done.stdout, line)
            self.ask("", "timeline", made)

    def test_text_that_is_not_utf8(self):
        self.make_job("running")
        self.ask("said " + hexed(b"caf\xe9 \xef\x9f\xa9 \x1b[31m"), "jobs")
        for words in (("jobs",), ("jobs", "--json")):
            done = self.ask("nothing", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("j1", done.stdout)


if __name__ == "__main__":
    unittest.main()
