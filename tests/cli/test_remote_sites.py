"""Clusters as sites set them up: launchers, limits, modules, images; with a private Slurm."""

import json
import os
import pathlib
import subprocess
import unittest

from host_test import ClusterTest, HostTest
from private_cluster import missing, slurm_host
from support import GANTRY

LACKS = missing()


@unittest.skipIf(LACKS, f"not installed: {LACKS}")
class Sites(ClusterTest):
    def host(self, name="site", **more):
        file = self.folder / f"{name}.json"
        file.write_text(slurm_host(GANTRY, self.scratch, **more))
        return file

    def findings(self, host, **how):
        done = subprocess.run([GANTRY, "host", "check", host, "--json"], capture_output=True,
                              text=True, timeout=200, **how)
        document = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if document["good"] else 1)
        return {each["what"]: each for each in document["findings"]}

    def assert_refused(self, what, said, advised, **more):
        found = self.findings(self.host(**more))[what]
        self.assertFalse(found["good"], found)
        self.assertRegex(found["found"], said)
        self.assertIn(advised, found["advice"])

    def test_two_ranks_are_started_and_see_each_other(self):
        for batch in ({"ranksPerNode": 2}, {"ranksPerNode": 1}):
            found = self.findings(self.host(batch=batch))
            self.assertTrue(all(each["good"] for each in found.values()), found)
            self.assertTrue(found["ranks"]["found"].startswith("2 ranks on "), found)
            self.assertEqual(found["job"]["found"], "Slurm would take a job of 2 nodes and 30 min")
        self.assertFalse(list(self.scratch.glob(".check*")))

    def test_launchers_that_do_not_fit_are_told(self):
        self.assert_refused("ranks", '"srun --mpi=none" fails: gantry: srun has started 2 '
                            "processes", "batch.launcher", batch={"launcher": "srun --mpi=none"})
        self.assert_refused("ranks", '"srun --mpi=pmi2" fails: ', "batch.launcher",
                            batch={"launcher": "srun --mpi=pmi2"})
        self.assert_refused("ranks", '"\'sr un\'" fails: .*not found', "batch.launcher",
                            batch={"launcher": "'sr un'"})
        self.assert_refused("ranks", "do not see each other", "batch.launcher",
                            batch={"launcher": "srun --mpi=none env -u SLURM_STEP_NUM_TASKS"})

    def test_what_slurm_refuses_is_told_in_its_words(self):
        for batch, said in (({"partition": "nope"}, "invalid partition"),
                            ({"memoryPerNode": "100G"}, "node configuration is not available"),
                            ({"cpusPerRank": 64}, "CPU count|configuration"),
                            ({"constraint": "a100&nvlink"}, "Invalid feature"),
                            ({"gpusPerNode": 4, "gpuType": "a100"}, "generic resource"),
                            ({"licenses": "tool:1"}, "Invalid license"),
                            ({"reservation": "ct"}, "reservation is invalid"),
                            ({"options": ["--no-such-option"]}, "unrecognized option")):
            with self.subTest(batch=batch):
                self.assert_refused("job", said, "batch", batch=batch)

    def test_a_job_asks_for_what_the_file_and_the_plan_say(self):
        job = self.document("reconstruct", self.scan, *self.VOLUME, "--out", self.folder / "v.mha",
                            "--host", self.host(batch={
                                "cpusPerRank": 1, "exclusive": True, "ranksPerNode": 2,
                                "options": ["--comment='two words'"],
                                "launcher": "srun --mpi=pmix --export 'ALL,A=b c'"}))
        self.assertEqual((job["state"], job["fetched"]), ("done", True), job)
        self.assert_equal_to_one(self.folder / "v.mha")
        shown = self.slurm.ask("scontrol", "show", "job", job["number"])
        for part in ("CPUs/Task=1", "OverSubscribe=NO", "Comment=two words"):
            self.assertIn(part, shown)
        self.assertRegex(shown, "MinMemoryNode=[1-9][0-9]*M")
        log = (pathlib.Path(job["job"]) / "events.jsonl").read_text()
        self.assertRegex(log, "Rank 0 works with [0-9]+ thread")

    def test_ranks_are_refused_where_they_do_not_see_each_other(self):
        job = self.document("reconstruct", self.scan, *self.VOLUME, "--out", self.folder / "v.mha",
                            "--detach", "--host", self.host(batch={"launcher": "srun --mpi=none"}))
        failed = self.wait_for_state(job["id"], "failed")
        self.assertIn("srun has started 2 processes", failed["message"])

    def bare_commands(self):
        """A folder with all commands but Slurm's and gantry."""
        folder = self.folder / "bin"
        folder.mkdir()
        for path in pathlib.Path("/usr/bin").iterdir():
            if not path.name.startswith(("s", "gantry")) or path.name in (
                    "sh", "sed", "setsid", "sleep", "sort", "stat", "sftp", "ssh", "scp", "seq"):
                (folder / path.name).symlink_to(path)
        return folder

    def test_slurm_that_comes_with_the_setup_is_found_by_all_commands(self):
        variables = json.loads(self.host().read_text())["environment"]
        variables.update(PATH=str(self.bare_commands()), SLURM_CONF=str(self.slurm.conf))
        lost = {key: value for key, value in os.environ.items() if key != "SLURM_CONF"}
        without = self.host("without", environment=variables)
        found = self.findings(without, env=lost)
        self.assertFalse(found["Slurm"]["good"], found)
        self.assertIn("start.setup", found["Slurm"]["advice"])
        site = self.host("with", environment=variables,
                         start={"setup": ["echo loading; PATH=$PATH:/usr/bin:/usr/sbin:/sbin:/bin"]})
        found = self.findings(site, env=lost)
        self.assertTrue(all(each["good"] for each in found.values()), found)
        job = self.document("reconstruct", self.scan, *self.VOLUME, "--kernel", "reference",
                            "--voxels", 300, "--threads", 1, "--detach", "--out",
                            self.folder / "v.mha", "--host", site, env=lost)
        self.wait_for_state(job["id"], "running", "waiting")
        self.assertEqual(self.document("cancel", job["id"], env=lost)["state"], "cancelled")

    def test_an_image_gets_the_folders_of_the_job(self):
        # In place of Apptainer: it tells its words, and runs the program without an image.
        folder = self.folder / "apptainer"
        folder.mkdir()
        stand_in = folder / "apptainer"
        stand_in.write_text('#!/bin/sh\nprintf "%s\\n" "$@" >>"$(dirname "$0")/words"\n'
                            'while [ "$1" != /image.sif ]; do shift; done\nshift\nexec "$@"\n')
        stand_in.chmod(0o755)
        site = self.host(start={"by": "image", "image": "/image.sif", "binds": ["/opt:/opt/site"],
                                "setup": [f"PATH='{folder}':$PATH"]},
                         pathMap={"/data": "/net/data"})
        job = self.document("reconstruct", self.scan, *self.VOLUME, "--out", self.folder / "v.mha",
                            "--host", site)
        self.assertEqual(job["state"], "done", job)
        self.assert_equal_to_one(self.folder / "v.mha")
        words = (folder / "words").read_text().splitlines()
        binds = {words[i + 1] for i, word in enumerate(words) if word == "--bind"}
        self.assertEqual(binds, {str(self.scratch), "/net/data", "/opt:/opt/site"})


class Adding(HostTest):
    def known(self, name):
        return json.loads((self.home / f"config/gantry/hosts/{name}.json").read_text())

    def test_options_set_what_a_file_has(self):
        file = self.folder / "centre.json"
        file.write_text(json.dumps({"gantryHost": 1, "scheduler": "slurm", "scratch": "/s",
                                    "slurm": {"partition": "old", "maxNodes": 4}}))
        said = self.succeed("host", "add", file, "--partition", "gpu", "--gpus-per-node", 4,
                            "--gpu-type", "a100", "--memory-per-node", "180G", "--exclusive",
                            "--option=--mail-type=END", "--option=--comment=x", "--setup",
                            "ulimit -s unlimited")
        self.assertIn("Before Gantry, it runs there: ulimit -s unlimited", said)
        host = self.known("centre")
        self.assertEqual({key: host["batch"][key] for key in (
            "partition", "maxNodes", "gpusPerNode", "gpuType", "memoryPerNode", "exclusive",
            "options")}, {"partition": "gpu", "maxNodes": 4, "gpusPerNode": 4, "gpuType": "a100",
                          "memoryPerNode": "180G", "exclusive": True,
                          "options": ["--mail-type=END", "--comment=x"]})

    def test_no_file_is_needed(self):
        self.succeed("host", "add", "--name", "big", "--address", "me@big", "--scratch", "~/g")
        self.assertEqual(self.known("big")["address"], "me@big")
        self.fail_with(2, ["FILE", "--name"], "host", "add")
        self.fail_with(2, ["scratch is ''"], "host", "add", "--name", "none")
        self.fail_with(2, ["batch.launcher", "srun;id"], "host", "add", "--name", "bad", "--scratch",
                       "/s", "--launcher", "srun;id")
        self.fail_with(2, ["--cpus-per-rank", "0 to 4096"], "host", "add", "--name", "bad",
                       "--scratch", "/s", "--cpus-per-rank", 99999)


if __name__ == "__main__":
    unittest.main()
