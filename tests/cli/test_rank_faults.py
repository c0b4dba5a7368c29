"""Jobs of several processes in which something goes wrong, made for real, and resumed."""

import os
import shutil
import signal
import socket
import subprocess
import time
import unittest

from rank_jobs import RankTest
from support import GANTRY, SANITIZED


# Jobs take several times as long with a sanitizer, and another test has what it could find in these.
unsanitized = unittest.skipIf(SANITIZED, "a sanitizer's build runs others")


class RankFaults(RankTest):
    # Jobs of some seconds: with a sanitizer each view takes several times as long.
    SCAN = RankTest.SCAN + (["--views", 16] if SANITIZED else [])

    @unsanitized
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
        self.assert_resumes_either_way(job, out, 3, 2)

    def test_a_rank_that_was_never_started_ends_the_others(self):
        # Rank 1 is another program, for which MPI's start waits.
        process = subprocess.run(
            ["mpirun", "-n", "1", "-x", "GANTRY_START_SECONDS=1", GANTRY, "worker",
             self.folder / "no.job", ":", "-n", "1", "sleep", "60"],
            capture_output=True, text=True, timeout=50)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn(f"MPI did not start on {socket.gethostname()} within 1 s", process.stderr)
        self.fail_with(2, ["GANTRY_START_SECONDS is 'soon'", "86400 at most"], "worker",
                       self.folder / "no.job", env={**os.environ, "PMI_RANK": "0",
                                                    "GANTRY_START_SECONDS": "soon"})

    def test_ranks_that_wait_for_each_other_end_together_and_resume(self):
        for rows, exchange, io, signalled, resumed in (
                (2, "gather", "parallel", signal.SIGKILL, 4),
                (1, "rows", "split", signal.SIGTERM, 3)):
            with self.subTest(rows=rows, exchange=exchange):
                process, job, out = self.start_slow(4, "--grid-rows", str(rows), "--exchange",
                                                    exchange,
                                                    *(["--io", io] if io == "split" else []))
                if io == "split":
                    self.assertEqual(self.writers_of(job, out), [3])
                begin = time.monotonic()
                if signalled == signal.SIGKILL:
                    os.kill(self.ranks_of(job)[2], signalled)
                else:
                    process.send_signal(signalled)
                process.wait(20)
                self.assertLess(time.monotonic() - begin, 5)
                self.assertEqual(self.ranks_of(job), [])
                self.assertFalse(out.exists())
                self.assert_resumes(job, out, resumed)
                if resumed == 4:
                    self.assert_repeats(job, out, resumed)
                out.unlink()

    def test_a_cancel_stops_all_ranks(self):
        process, job, out = self.start_slow()
        process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        process.wait(20)
        # The ranks end by themselves, and the launcher with them: it is not made to wait for them.
        # The batch that is under way lasts longer on a busy machine or with a sanitizer.
        self.assertLess(time.monotonic() - begin, 5)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.state(job)["state"], "cancelled")
        self.assertEqual(self.ranks_of(job), [])
        self.assert_resumes(job, out, 1)

    def test_a_view_that_is_cut_off_while_one_rank_reads_it_ends_the_job(self):
        scan = self.folder / "scan"
        shutil.copytree(self.scan, scan)
        view = sorted((scan / "proj").glob("*"))[-3]  # of the second column
        process, job, out = self.start_slow(2, "--grid-rows", "1", scan=scan)
        whole = self.folder / "whole.tif"
        shutil.copy2(view, whole)
        os.truncate(view, view.stat().st_size // 2)
        begin = time.monotonic()
        said = process.communicate(timeout=20)[1]
        self.assertLess(time.monotonic() - begin, 10)  # a slab may be made before it is read again
        self.assertEqual(process.returncode, 2, said)
        self.assertIn("Rank 1 on ", self.state(job)["message"])
        self.assertIn(view.name, self.state(job)["message"])
        self.assertEqual(self.ranks_of(job), [])
        shutil.copy2(whole, view)
        self.assert_resumes_either_way(job, out, 2, 3)

    def test_a_disk_that_is_full_for_the_rank_that_writes_ends_the_job(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=120m", "tmpfs", disk],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted here: " + mounted.stderr)
        self.addCleanup(subprocess.run, ["umount", "-l", disk])
        # What the job logs and keeps is elsewhere.
        process, job, out = self.start_slow(3, "--io", "split", "--job", self.folder / "job",
                                            out=f"{disk}/slow/")
        filler = disk / "filler"
        with filler.open("wb") as file, self.assertRaises(OSError):
            while True:
                file.write(bytes(1 << 16))
                file.flush()
        begin = time.monotonic()
        said = process.communicate(timeout=20)[1]
        self.assertLess(time.monotonic() - begin, 10)  # a chunk may be made before it is written
        self.assertEqual(process.returncode, 1, said)
        # Also on a rank whose slices that one writes.
        self.assertIn("No space left on device", self.state(job)["message"])
        self.assertIn("slice_0", self.state(job)["message"])
        self.assertEqual(self.ranks_of(job), [])
        filler.unlink()
        self.assert_resumes_either_way(job, out, 3, 2)

    @unsanitized
    def test_a_launcher_that_is_killed_leaves_a_job_that_resumes(self):
        process, job, out = self.start_slow()
        process.kill()
        process.wait(20)
        for _ in range(200):
            if not self.ranks_of(job):
                break
            time.sleep(0.05)
        self.assertEqual(self.ranks_of(job), [])
        self.assert_resumes_either_way(job, out, 3, 4)


if __name__ == "__main__":
    unittest.main()
