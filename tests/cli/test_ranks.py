"""A job that several processes run together, started by a real mpirun."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from support import GANTRY, GantryTest, run

# Root and few cores are what MPI's launchers refuse by default.
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  OMPI_MCA_rmaps_base_oversubscribe="1",
                  PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")


def voxels(path):
    """A volume's floats, as bytes behind the header."""
    return path.read_bytes().split(b"LOCAL\n", 1)[1]


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
class Ranks(GantryTest):
    SCAN = ["--offset-mm", "3,1"]
    # Odd, off the centre, not cubes.
    VOLUME = ["--voxels", "45x38x41", "--pitch-mm", 2.3, "--center-mm", "3,-5,4"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if run("reconstruct", "--help").stdout.find("--ranks") < 0:
            raise unittest.SkipTest("this build has no ranks")
        cls.one = cls.home / "one.mha"
        done = run("reconstruct", cls.scan, *cls.VOLUME, "--engine", "cpu", "--out", cls.one)
        assert done.returncode == 0, done.stderr

    def reconstruct(self, *words, out="v.mha"):
        return self.document("reconstruct", self.scan, *self.VOLUME, "--engine", "cpu", *words,
                             "--out", self.folder / out)

    def assert_equal_to_one(self, volume):
        figures = self.document("compare", volume, self.one)
        # Slabs are summed in single precision as those of one process are.
        self.assertLess(figures["relativeRmse"], 1e-6)

    def test_any_number_makes_the_same_volume(self):
        for ranks in (1, 2, 3, 4, 6, 8):
            with self.subTest(ranks=ranks):
                result = self.reconstruct("--ranks", ranks, out=f"v {ranks} 'ü'.mha")
                self.assert_equal_to_one(result["volume"])
                timeline = self.document("timeline", result["job"])
                self.assertEqual(timeline["state"], "done")
                lanes = {lane["lane"].split()[1] for lane in timeline["lanes"]
                         if lane["lane"].startswith("rank")}
                self.assertEqual(len(lanes), ranks - 1)

    def test_formats_are_written_together(self):
        for out, words in (("slices/", []), ("v.tif", []), ("v.raw", ["--type", "uint16"]),
                           ("v.mhd", ["--type", "uint8", "--range", "-0.01,0.04"])):
            with self.subTest(out=out):
                alone = self.reconstruct(*words, out=f"alone-{out}")["volume"]
                ranks = self.reconstruct(*words, "--ranks", 3, out=out)["volume"]
                figures = self.document("compare", ranks, alone)
                # One step of the integers at most, where the range is the volume's own.
                self.assertLess(figures["relativeRmse"], 1e-6 if not words else 1e-3)

    def test_a_pyramid_needs_one_process(self):
        self.fail_with(2, ["one process alone", "gantry pyramid"], "reconstruct", self.scan,
                       *self.VOLUME, "--ranks", 2, "--out", self.folder / "v.ome.zarr")

    def test_wrong_numbers_are_refused(self):
        for ranks in (0, -3, 5000):
            self.fail_with(2, ["--ranks"], "reconstruct", self.scan, "--ranks", ranks, "--out",
                           self.folder / "v.mha")

    def test_what_ends_one_rank_ends_all_with_its_name(self):
        scan = self.folder / "scan"
        shutil.copytree(self.scan, scan)
        views = sorted((scan / "proj").glob("*"))
        views[20].write_bytes(views[20].read_bytes()[:1000])
        begin = time.monotonic()
        self.fail_with(2, [views[20].name], "reconstruct", scan, *self.VOLUME, "--ranks", 3,
                       "--out", self.folder / "v.mha")
        self.assertLess(time.monotonic() - begin, 20)
        self.assertFalse((self.folder / "v.mha").exists())
        events = (self.folder / "v.mha.job/events.jsonl").read_text()
        self.assertIn('"state":"failed"', events)

    SLOW = ["--voxels", "240x240x200", "--engine", "cpu", "--kernel", "reference"]

    def start_slow(self):
        """A job of some seconds on three ranks, once two of its slabs are finished."""
        out = self.folder / "slow.mha"
        process = subprocess.Popen(
            [GANTRY, "reconstruct", self.scan, *self.SLOW, "--memory", "230M", "--threads", "3",
             "--ranks", "3", "--out", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        job = pathlib.Path(str(out) + ".job")
        for _ in range(600):
            if self.slabs_done(job) >= 2:
                return process, job, out
            self.assertIsNone(process.poll(), "the job ended before it was disturbed")
            time.sleep(0.05)
        self.fail("no slab was finished within half a minute")

    @staticmethod
    def slabs_done(job):
        files = [job / "checkpoint.json", *job.glob("checkpoint.rank?")]
        return sum(len(json.loads(path.read_bytes().split(b"\n", 1)[0])["slabsDone"])
                   for path in files if path.exists())

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

    def state(self, job):
        lines = (job / "events.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines if '"event":"state"' in line][-1]

    def assert_resumes(self, job, out, ranks):
        """Finished slabs are kept, and the volume is that of one process."""
        words = [GANTRY, "worker", job, "--json"]
        if ranks > 1:
            words = ["mpirun", "-n", str(ranks), *words]
        done = subprocess.run(words, capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(json.loads(done.stdout)["slabsResumed"], 2)
        alone = self.home / "slow-alone.mha"
        if not alone.exists():
            self.succeed("reconstruct", self.scan, *self.SLOW, "--out", alone)
        figures = self.document("compare", out, alone)
        self.assertLess(figures["relativeRmse"], 1e-6)  # as above

    def test_a_rank_that_is_killed_ends_the_job_and_it_resumes_on_others(self):
        process, job, out = self.start_slow()
        ranks = self.ranks_of(job)
        self.assertEqual(len(ranks), 3)
        os.kill(ranks[1], signal.SIGKILL)
        begin = time.monotonic()
        process.wait(20)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(self.state(job)["state"], "failed")
        self.assertIn("Rank 1 on ", self.state(job)["message"])
        self.assertIn("was killed or crashed", self.state(job)["message"])
        self.assertFalse(out.exists())
        self.assert_resumes(job, out, 2)

    def test_a_cancel_stops_all_ranks(self):
        process, job, out = self.start_slow()
        process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        process.wait(20)
        self.assertLess(time.monotonic() - begin, 4)
        self.assertEqual(self.state(job)["state"], "cancelled")
        self.assertEqual(self.ranks_of(job), [])
        self.assert_resumes(job, out, 1)

    def test_a_launcher_that_is_killed_leaves_a_job_that_resumes(self):
        process, job, out = self.start_slow()
        process.kill()
        process.wait(20)
        for _ in range(200):
            if not self.ranks_of(job):
                break
            time.sleep(0.05)
        self.assertEqual(self.ranks_of(job), [])
        self.assert_resumes(job, out, 4)


if __name__ == "__main__":
    unittest.main()
