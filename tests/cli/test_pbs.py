"""Jobs on a cluster with PBS, of which stand_in_pbs.py plays the commands: its scripts really run."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from host_test import HostTest
from private_cluster import wait_for
from support import GANTRY


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
class Pbs(HostTest):
    # Runs until it is ended, whatever else the machine does.
    SLOW = ["--method", "sirt", "--iterations", 100000, "--voxels", 40, "--threads", 1, "--detach",
            "--host", "pbs"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.state = cls.play_pbs()
        cls.add_host("pbs", cls.host())

    @classmethod
    def host(cls, **batch):
        return json.dumps({
            "gantryHost": 1, "scheduler": "pbs", "scratch": str(cls.scratch),
            "start": {"program": GANTRY},
            "batch": {"maxNodes": 2, "ranksPerNode": 2, "timeMinutes": 30, **batch},
            "environment": {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_rmaps_base_oversubscribe": "1"}})

    def reconstruct(self, *words, out="v.mha"):
        return self.document("reconstruct", self.scan, *self.VOLUME, "--out", self.folder / out,
                             "--host", "pbs", *words)

    def findings(self, host):
        done = subprocess.run([GANTRY, "host", "check", host, "--json"], capture_output=True,
                              text=True, timeout=200)
        return {each["what"]: each for each in json.loads(done.stdout)["findings"]}

    def test_the_check_does_what_a_job_does(self):
        found = self.findings("pbs")
        self.assertTrue(all(each["good"] for each in found.values()), found)
        self.assertIn("pbs_version", found["PBS"]["found"])
        self.assertEqual(found["job"]["found"], "PBS would take a job of 2 nodes and 30 min")
        self.assertTrue(found["ranks"]["found"].startswith("2 ranks on "), found)
        self.assertFalse(list(self.scratch.glob(".check*")))

    def test_what_pbs_refuses_is_told_in_its_words(self):
        for batch, said in (({"partition": "nope"}, "Unknown queue"),
                            ({"timeMinutes": 600}, "exceeds|limits"),
                            ({"constraint": "gpu_model=a100"}, "Unknown resource"),
                            ({"memoryPerNode": "500G"}, "limits")):
            with self.subTest(batch=batch):
                file = self.folder / "other.json"
                file.write_text(self.host(**batch))
                found = self.findings(file)["job"]
                self.assertFalse(found["good"], found)
                self.assertRegex(found["found"], said)
                self.assertIn("batch", found["advice"])
        self.fail_with(2, ["did not take the job", "limits"], "reconstruct", self.scan, *self.VOLUME,
                       "--out", self.folder / "v.mha", "--host", file)

    def test_two_nodes_of_two_ranks_make_the_same_volume(self):
        job = self.reconstruct("--nodes", 2)
        self.assertEqual((job["state"], job["ranks"]), ("done", 4), job)
        self.assert_equal_to_one(self.folder / "v.mha")
        script = (pathlib.Path(job["job"]) / "job.sh").read_text()
        self.assertRegex(script, "#PBS -l select=2:ncpus=2:mpiprocs=2:mem=[0-9]+mb\n")
        self.assertIn("#PBS -l walltime=00:30:00\n", script)

    def test_jobs_wait_are_cancelled_and_resumed(self):
        first, second = (self.document("reconstruct", self.scan, *self.SLOW, "--out",
                                       self.folder / f"{i}.mha")["id"] for i in range(2))
        self.wait_for_state(first, "running")
        self.assertEqual(self.jobs()[second]["message"], "waits for 1 node")
        (self.state / "down").touch()
        try:
            message = self.jobs()[first]["message"]
        finally:
            (self.state / "down").unlink()
        self.assertIn("PBS does not answer: qstat: cannot connect", message)
        self.assertEqual(self.document("cancel", second)["state"], "cancelled")
        self.assertEqual(self.document("cancel", first)["state"], "cancelled")
        self.assertEqual(self.document("cancel", first)["state"], "cancelled", "once more")
        small = self.reconstruct("--detach", out="small.mha")["id"]
        self.document("cancel", small)
        self.wait_for_state(small, "cancelled", "done")
        if self.jobs()[small]["state"] == "cancelled":
            self.succeed("resume", small)
            self.assert_equal_to_one(self.folder / "small.mha")

    def test_a_cancel_is_told_as_one_on_every_machine(self):
        """Also where the launcher that is ended gives a code of its own."""
        script = self.succeed("reconstruct", self.scan, *self.SLOW, "--script-only")
        other = self.folder / "other.sh"
        other.write_text(script.replace("code=$?", "code=1"))
        job = self.document("reconstruct", self.scan, *self.SLOW, "--script", other, "--out",
                            self.folder / "v.mha")
        self.wait_for_state(job["id"], "running")
        second = {**os.environ, "XDG_STATE_HOME": str(self.folder / "second")}
        shutil.copytree(job["job"], self.folder / "copy.mha.job")
        self.assertEqual(self.document("cancel", self.folder / "copy.mha.job", env=second)["state"],
                         "cancelled")
        self.assertIn("gantry resume", self.wait_for_state(job["id"], "cancelled")["message"])

    def test_the_time_limit_is_told(self):
        script = self.succeed("reconstruct", self.scan, *self.SLOW, "--script-only")
        short = self.folder / "short.sh"
        short.write_text(script.replace("walltime=00:30:00", "walltime=00:00:03"))
        job = self.document("reconstruct", self.scan, *self.SLOW, "--script", short, "--out",
                            self.folder / "v.mha")["id"]
        ended = self.wait_for_state(job, "stopped")
        self.assertIn("ended: time limit", ended["message"])
        self.assertIn("gantry resume", ended["message"])

    def tearDown(self):
        for job in self.jobs().values():
            if job["state"] in ("waiting", "running"):
                self.document("cancel", job["id"])
        wait_for(lambda: not any('"state": "R"' in each.read_text()
                                 for each in self.state.glob("*.json")), 60, "the end of all jobs")


if __name__ == "__main__":
    unittest.main()
