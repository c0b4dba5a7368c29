"""Workers wait for other jobs, and can be told to go while they wait; who works on a job is known."""

import json
import os
import shutil
import signal
import time
import unittest

from support import GantryTest, start


def state(job):
    """The last state in a job's events; queued without any."""
    events = job / "events.jsonl"
    lines = events.read_text().splitlines() if events.exists() else []
    states = [json.loads(line) for line in lines if '"event":"state"' in line]
    return states[-1]["state"] if states else None


class Queue(GantryTest):
    SCAN = ["--views", 90]

    def job(self, name, voxels=300):
        """A job's folder, made by a run that was told to go as soon as it had begun."""
        process = start("reconstruct", self.scan, "--kernel", "reference", "--voxels", 300,
                        "--threads", 1, "--out", name, cwd=self.folder)
        folder = self.folder / (name + ".job")
        self.wait(lambda: state(folder) == "running", process)
        process.terminate()
        process.communicate(timeout=60)
        (folder / "events.jsonl").unlink()
        request = json.loads((folder / "job.json").read_text())
        request["volume"]["voxels"] = [voxels] * 3
        (folder / "job.json").write_text(json.dumps(request))
        return folder

    def wait(self, condition, *running):
        limit = time.monotonic() + 60
        while not condition():
            for process in running:
                self.assertIsNone(process.poll(), "it ended before its time")
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.02)

    def start_worker(self, *words, **how):
        process = start("worker", *words, cwd=self.folder, **how)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def at_work(self, job, *words, **how):
        """A worker that has begun its job."""
        process = self.start_worker(job, *words, **how)
        self.wait(lambda: state(job) == "running", process)
        return process

    def queued(self, job, working, *words):
        """A worker that has seen that it has to wait for the one at work."""
        process = self.start_worker(*words, job)
        self.wait(lambda: state(job) == "queued", working, process)
        return process

    def test_a_worker_waits_until_the_others_are_done(self):
        first = self.job("first.mha")
        second = self.job("second.mha", voxels=40)
        working = self.at_work(first)
        self.assertEqual((first / "lock").read_text().split()[0], str(working.pid))
        # One of the others is gone.
        waiting = self.queued(second, working, "--after", "gone.mha.job", "--after", first)
        self.assertEqual((second / "lock").read_text().split()[0], str(waiting.pid))
        time.sleep(2.5)
        self.assertEqual(state(second), "queued")
        working.kill()  # it says no word; its lock is free all the same
        self.wait(lambda: state(second) in ("running", "done"), waiting)
        self.assertEqual(waiting.wait(timeout=60), 0)
        self.assertTrue((self.folder / "second.mha").exists())

    def test_a_waiting_worker_is_cancelled(self):
        first = self.job("first.mha")
        second = self.job("second.mha")
        working = self.at_work(first)
        for number in (signal.SIGTERM, signal.SIGINT):
            (second / "events.jsonl").unlink(missing_ok=True)
            waiting = self.queued(second, working, "--after", first)
            os.kill(waiting.pid, number)
            _, said = waiting.communicate(timeout=10)
            self.assertEqual(waiting.returncode, 130, said)
            self.assertEqual(state(second), "cancelled")
        self.assertIsNone(working.poll())
        self.assertFalse((self.folder / "second.mha").exists())

    def test_a_job_that_vanishes_is_waited_for_no_longer(self):
        first = self.job("first.mha")
        second = self.job("second.mha", voxels=40)
        working = self.at_work(first)
        waiting = self.queued(second, working, "--after", first)
        shutil.rmtree(first)
        self.assertEqual(waiting.wait(timeout=60), 0)

    def test_a_job_that_is_resumed_goes_behind_those_that_wait_for_it(self):
        first = self.job("first.mha")
        second = self.job("second.mha", voxels=40)
        working = self.at_work(first)
        waiting = self.queued(second, working, "--after", first)
        time.sleep(0.5)  # it has seen who works on the first
        working.terminate()
        working.communicate(timeout=60)
        # Hosts start workers in the same way: in a session of its own.
        (first / "events.jsonl").unlink()
        resumed = self.start_worker(first, "--after", second, start_new_session=True)
        self.assertEqual(waiting.wait(timeout=60), 0)
        self.wait(lambda: state(first) == "running", resumed)

    def test_a_job_never_waits_for_itself(self):
        job = self.job("volume.mha")
        self.fail_with(2, ["--after names the job itself"], "worker", job, "--after", job)
        self.fail_with(2, ["--after"], "worker", job, "--after")

    def test_a_job_that_is_worked_on_is_refused(self):
        job = self.job("volume.mha")
        working = self.at_work(job)
        self.fail_with(2, ["Another process is working on the job"], "worker", job)
        self.assertEqual((job / "lock").read_text().split()[0], str(working.pid))
        self.assertIsNone(working.poll())


if __name__ == "__main__":
    unittest.main()
