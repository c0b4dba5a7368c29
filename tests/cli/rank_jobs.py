"""What tests of jobs that several processes run have in common: a real mpirun."""

import json
import os
import pathlib
import shutil
import subprocess
import time
import unittest

from support import GANTRY, SANITIZED, GantryTest, allow_ranks_here, run

allow_ranks_here()


def voxels(path):
    """A volume's voxels: of a file the bytes behind its header, of a folder its slices' files."""
    if path.is_dir():
        return [slice_.read_bytes() for slice_ in sorted(path.iterdir())]
    return path.read_bytes().split(b"LOCAL\n", 1)[1]


def copy_of(job, out, folder):
    """An interrupted job and its unfinished volume, to be resumed by itself."""
    folder.mkdir()
    for path in {*out.parent.glob(out.name + "*"), job}:
        (shutil.copytree if path.is_dir() else shutil.copy2)(path, folder / path.name)
    request = folder / job.name / "job.json"
    request.write_text(request.read_text().replace(str(out), str(folder / out.name)))
    return folder / job.name, folder / out.name


def same_again(job, out, folder):
    """A job with the same plan, of which nothing is made; its volume is to lie beside the other."""
    folder.mkdir(exist_ok=True)
    again = out.with_name("again" + out.suffix)
    for name in ("job.json", "plan.json"):
        text = (job / name).read_text()
        (folder / name).write_text(text.replace(str(out), str(again)))
    return folder


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
class RankTest(GantryTest):
    SCAN = ["--offset-mm", "3,1"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if run("reconstruct", "--help").stdout.find("--ranks") < 0:
            raise unittest.SkipTest("this build has no ranks")

    def assert_repeats(self, job, volume, ranks):
        """A job with the same plan makes the same volume, bit by bit."""
        again = same_again(job, volume, self.folder / f"again on {ranks}")
        done = subprocess.run(["mpirun", "-n", str(ranks), GANTRY, "worker", again, "--json"],
                              capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(voxels(pathlib.Path(json.loads(done.stdout)["volume"])), voxels(volume))
        self.assertIn("as in the plan", (again / "events.jsonl").read_text())

    SLOW = ["--voxels", "180x180x200", "--engine", "cpu", "--kernel", "reference"]

    def start_slow(self, ranks=3, *words, scan=None, out=None):
        """A job of some seconds on several ranks, once two of its many slabs are finished."""
        out = out or self.folder / "slow.mha"
        place = pathlib.Path(out)
        each = 120 if "--io" in words else 110
        process = subprocess.Popen(
            [GANTRY, "reconstruct", scan or self.scan, *self.SLOW, "--memory",
             f"{each * ranks}M", "--threads", str(ranks), "--ranks", str(ranks), *words, "--out",
             out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        job = pathlib.Path(words[-1] if "--job" in words else str(out) + ".job")
        for _ in range(600):
            if self.slabs_done(job) >= 2:
                return process, job, place
            self.assertIsNone(process.poll(), "the job ended before it was disturbed")
            time.sleep(0.05)
        self.fail("no slab was finished within half a minute")

    @staticmethod
    def slabs_done(job):
        """The slabs of which each rank that stores a part has said so."""
        files = [job / "checkpoint.json", *job.glob("checkpoint.rank?")]
        read = [json.loads(path.read_bytes().split(b"\n", 1)[0])
                for path in files if path.exists()]
        columns = read[0].get("columns", 1) if read else 1
        said = [slab for one in read for slab in one["slabsDone"]]
        return sum(said.count(slab) >= columns for slab in set(said))

    @staticmethod
    def ranks_of(job):
        """Process numbers of the job's ranks."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = entry.read_bytes().split(b"\0")
            except OSError:
                continue
            if str(job).encode() in words and words[0].endswith(b"gantry"):
                found.append(int(entry.parent.name))
        return sorted(found)

    def writers_of(self, job, out):
        """Numbers of the ranks that have the unfinished volume open."""
        writers = []
        for process in self.ranks_of(job):
            entry = pathlib.Path(f"/proc/{process}")
            if str(out) + ".part" in (os.readlink(fd) for fd in (entry / "fd").iterdir()):
                words = (entry / "environ").read_bytes().split(b"\0")
                writers += [int(word.split(b"=")[1]) for word in words
                            if word.startswith(b"OMPI_COMM_WORLD_RANK=")]
        return writers

    def state(self, job):
        lines = (job / "events.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines if '"event":"state"' in line][-1]

    def assert_resumes(self, job, out, ranks):
        """Finished slabs are kept, and the volume is that of one process."""
        words = [GANTRY, "worker", job, "--json", "--ranks", str(ranks)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertGreaterEqual(result["slabsResumed"], 2)
        alone = self.slow_alone()
        figures = self.document("compare", out, alone["volume"])
        self.assertLess(figures["relativeRmse"], 1e-6)  # as above
        self.assertEqual(result["invalidPixels"], alone["invalidPixels"], "each is counted once")

    def assert_resumes_either_way(self, job, out, same, other):
        """With as many ranks, to the byte; with another number, as volumes of one process. With a
        sanitizer, under which each takes a minute, with another number alone."""
        if SANITIZED:
            self.assert_resumes(job, out, other)
            return
        copy = copy_of(job, out, self.folder / "with other ranks")
        self.assert_resumes(job, out, same)
        self.assert_repeats(job, out, same)
        self.assert_resumes(*copy, other)

    def slow_alone(self):
        """What one process says of the slow job's volume; made once."""
        said = self.home / "slow-alone.json"
        if not said.exists():
            said.write_text(self.succeed("reconstruct", self.scan, *self.SLOW, "--json", "--out",
                                         self.home / "slow-alone.mha"))
        return json.loads(said.read_text())
