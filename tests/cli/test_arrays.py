"""Several jobs by one command: for many scans, and for values of an option."""

import json
import pathlib
import unittest

from host_test import HostTest
from private_cluster import wait_for
from support import GANTRY, run, start


class ArrayTest(HostTest):
    """On hosts without a launcher: ranks are one."""

    # Slow enough to be cancelled before its end.
    SLOW = ["--kernel", "reference", "--voxels", 180, "--threads", 1]

    @classmethod
    def add(cls, name, **more):
        cls.add_host(name, json.dumps({"gantryHost": 1, "scratch": str(cls.scratch),
                                       "start": {"program": GANTRY}, **more}))

    def reconstruct(self, *words, host, out="v.mha"):
        return self.document("reconstruct", self.scan, *self.VOLUME, "--out", self.folder / out,
                             "--host", host, *words)

    def check_values(self, host):
        """One volume for each value, equal to that of a job of its own."""
        jobs = self.reconstruct("--over", "cutoff=1,0.5", host=host)
        self.assertEqual([job["state"] for job in jobs], ["done"] * 2, jobs)
        self.assert_equal_to_one(self.folder / "v_cutoff_1.mha")
        half = self.folder / "half.mha"
        self.succeed("reconstruct", self.scan, *self.VOLUME, "--cutoff", 0.5, "--out", half)
        volume = self.folder / "v_cutoff_0.5.mha"
        self.assertLess(self.document("compare", volume, half)["relativeRmse"], 1e-6)
        self.assertEqual(jobs[1]["volume"], str(volume))
        self.assertEqual(len({job["there"] for job in jobs}), 2)
        for job in jobs:
            self.assertEqual(self.document("timeline", job["job"])["state"], "done")
        return jobs

    def check_elements(self, host):
        """Each is cancelled, resumed, fetched and cleaned away as any other job."""
        jobs = self.document("reconstruct", self.scan, *self.SLOW, "--over", "window=hann,cosine",
                             "--out", self.folder / "s.mha", "--host", host, "--detach")
        first, second = (job["id"] for job in jobs)
        self.assertEqual(self.document("cancel", second)["state"], "cancelled")
        self.assertIn(self.jobs()[first]["state"], ("waiting", "running", "done"))
        self.document("resume", second, "--detach")
        self.wait_for_state(first, "done")
        self.assertEqual(self.jobs()[second]["number"].strip("0123456789"), "", "a job of its own")
        self.assertEqual(self.wait_for_state(second, "done")["id"], second)
        for job in jobs:
            self.document("fetch", job["id"])
        for window in ("hann", "cosine"):
            self.assertTrue((self.folder / f"s_window_{window}.mha").exists())
        offered = {each["folder"] for each in self.document("host", "clean", host, "--yes")["folders"]}
        self.assertTrue({job["there"] for job in jobs} <= offered)
        self.assertEqual([each.name for each in (self.scratch / "jobs").glob(f"{first[:-2]}*")], [])


class OfSlurm(ArrayTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = cls.play_slurm()
        cls.add("slurm", scheduler="slurm", batch={"launcher": "env"})
        cls.add("here")

    def asked(self):
        file = self.cluster / "asked"
        return file.read_text().splitlines() if file.exists() else []

    def test_values_make_an_array_of_jobs(self):
        before = len(self.asked())
        jobs = self.check_values("slurm")
        self.assertEqual(len(self.asked()), before + 1)
        number = self.asked()[-1].split()[0]
        self.assertEqual([job["number"] for job in jobs], [f"{number}_1", f"{number}_2"])

    def test_jobs_of_an_array_are_handled_one_by_one(self):
        self.check_elements("slurm")

    def test_many_scans_go_together_and_with_values(self):
        other = self.simulate("--views", 32, out=self.folder / "other").parent
        jobs = self.document("reconstruct", self.scan, other, *self.VOLUME, "--over",
                             "window=ram-lak,hann", "--out", f"{self.folder}/v.ome.zarr", "--host",
                             "slurm", "--data", "send")
        self.assertEqual([pathlib.Path(job["volume"]).name for job in jobs],
                         [f"v_{scan}_window_{window}.ome.zarr" for scan in ("scan", "other")
                          for window in ("ram-lak", "hann")])
        self.assert_equal_to_one(self.folder / "v_scan_window_ram-lak.ome.zarr")

    def test_an_array_whose_number_was_lost_is_found_again(self):
        before = len(self.asked())
        (self.cluster / "fault").write_text("after")
        process = start("reconstruct", self.scan, *self.VOLUME, "--over", "cutoff=1,0.5", "--out",
                        self.folder / "v.mha", "--host", "slurm", "--detach")
        (self.cluster / "client").write_text(str(process.pid))
        process.communicate(timeout=60)
        follow = run("jobs", "--follow", "--json")
        ends = {line["id"]: line["state"] for line in map(json.loads, follow.stdout.splitlines())
                if line["job"].startswith(str(self.folder))}
        self.assertEqual(list(ends.values()), ["done"] * 2, follow)
        self.assertEqual(len(self.asked()), before + 1)
        for job in ends:
            self.assertEqual(self.document("fetch", job)["fetched"], True)

    def test_a_host_without_a_scheduler_runs_them_in_turn(self):
        jobs = self.check_values("here")
        self.assertTrue(all(job["number"].isdigit() for job in jobs), jobs)

    def test_wrong_words_start_nothing(self):
        twin = self.simulate(out=self.folder / "scan").parent
        before, jobs = len(self.asked()), self.jobs()
        for words, parts in (
                (["--over", "cutof=1"], ["no field 'cutof'", "window, cutoff"]),
                (["--over", "kernel=tile"], ["no field 'kernel'"]),
                (["--over", "cutoff="], ["--over is 'cutoff='", "cutoff=0.5,0.8"]),
                (["--over", "=1,2"], ["--over is '=1,2'"]),
                (["--over", "cutoff=0.5,2"], ["--cutoff is 2", "0.05 to 1"]),
                (["--over", "cutoff=0.5,x"], ["--cutoff", "'x'"]),
                (["--over", "window=hann,han"], ["--window is 'han'", "ram-lak"]),
                (["--over", "cutoff=0.5,0.5"], ["v_cutoff_0.5.mha", "must differ"]),
                (["--over", "cutoff=0.5", "--over", "cutoff=1"], ["cutoff twice"]),
                ([twin], ["v_scan.mha", "different names"]),
                (["--over", "cutoff=0.5,1", "--job", self.folder / "j"], ["--job", "one job"]),
                (["--over", "cutoff=" + ",".join(str(i / 2000) for i in range(100, 1200))],
                 ["1100 jobs", "1000"])):
            with self.subTest(words=words):
                self.fail_with(2, parts, "reconstruct", self.scan, *words, "--out",
                               self.folder / "v.mha", "--host", "slurm")
        self.fail_with(2, ["--host"], "reconstruct", self.scan, "--over", "cutoff=0.5,1", "--out",
                       self.folder / "v.mha")
        self.assertEqual((len(self.asked()), self.jobs()), (before, jobs))
        self.assertEqual([each.name for each in self.folder.iterdir()], ["scan"])


class OfPbs(ArrayTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = cls.play_pbs()
        cls.add("pbs", scheduler="pbs", batch={"launcher": "env"})

    def test_values_make_an_array_of_jobs(self):
        jobs = self.check_values("pbs")
        number = jobs[0]["number"].split("[")[0]
        self.assertEqual([job["number"] for job in jobs], [f"{number}[1]", f"{number}[2]"])

    def test_jobs_of_an_array_are_handled_one_by_one(self):
        self.check_elements("pbs")

    def test_one_that_fails_leaves_the_others(self):
        """Also while PBS states of it that it is over and no more."""
        script = self.succeed("reconstruct", self.scan, *self.VOLUME, "--host", "pbs",
                              "--script-only")
        bad = self.folder / "bad.sh"
        bad.write_text(script.replace("code=$?", 'case $PWD in *-1) false;; *) sleep 3;; esac\ncode=$?'))
        done = run("reconstruct", self.scan, *self.VOLUME, "--over", "cutoff=1,0.5", "--out",
                   self.folder / "v.mha", "--host", "pbs", "--script", bad, "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual([job["state"] for job in json.loads(done.stdout)], ["failed", "done"])
        self.assertTrue((self.folder / "v_cutoff_0.5.mha").exists())

    def tearDown(self):
        wait_for(lambda: not any('"state": "R"' in each.read_text()
                                 for each in self.cluster.glob("*.json")), 60, "the end of all jobs")


if __name__ == "__main__":
    unittest.main()
