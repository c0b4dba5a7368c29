"""Jobs on hosts, from the command line: this machine, one by ssh, a cluster with Slurm."""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import stat
import subprocess
import time
import unittest

from host_test import ClusterTest, HostTest
from private_cluster import missing, slurm_host, wait_for
from support import GANTRY, run, start

LACKS = missing()


class ThisMachine(HostTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        program = cls.home / "it's $(touch no) `id` \"*\n#SBATCH gantry"
        program.symlink_to(GANTRY)
        cls.add_host("here", json.dumps({"gantryHost": 1, "scratch": str(cls.scratch),
                                         "start": {"program": str(program)}}))

    def test_a_job_goes_there_and_back(self):
        for data in ("send", "auto"):
            with self.subTest(data=data):
                out = self.folder / f"v {data}'s.mha"
                # A limit of the size of files is no hindrance.
                job = self.document("reconstruct", self.scan, *self.VOLUME, "--out", out, "--host",
                                    "here", "--data", data, preexec_fn=lambda: resource.setrlimit(
                                        resource.RLIMIT_FSIZE, (10_000_000, 10_000_000)))
                self.assertEqual((job["state"], job["fetched"]), ("done", True))
                self.assert_equal_to_one(out)
                self.assertEqual(self.document("timeline", job["job"])["state"], "done")
                self.assertTrue((pathlib.Path(job["job"]) / "report.html").exists())
                mode = stat.S_IMODE(os.stat(job["there"]).st_mode)
                self.assertEqual(mode, 0o700)

    def test_a_parallel_beam_goes_there_too(self):
        scan = self.simulate("--beam", "parallel", out=self.folder / "beam")
        made = [self.document("reconstruct", scan, *self.VOLUME, "--out",
                              self.folder / f"v{len(where)}.mha", *where)
                for where in ([], ["--host", "here", "--data", "send"])]
        self.assertEqual((made[1]["state"], made[1]["fetched"]), ("done", True))
        figures = self.document("compare", self.folder / "v4.mha", self.folder / "v0.mha")
        self.assertLess(figures["relativeRmse"], 1e-6)

    def test_names_are_never_commands(self):
        scan = self.folder / "-n $(touch no) `id`\n\"it's\" \\0101 *;&"
        self.simulate(out=scan)
        out = self.folder / "-v $(touch no)'\"\n*.mha"
        job = self.document("reconstruct", f"{self.folder}/{scan.name}", *self.VOLUME, "--out", out,
                            "--host", "here", "--data", "send", cwd=self.folder)
        self.assertEqual(job["state"], "done", job)
        self.assertTrue(out.exists())
        there = pathlib.Path(job["there"])
        self.assertEqual([p for p in self.home.rglob("no")], [])
        self.assertEqual([p.name for p in (there / "out").iterdir() if p.suffix == ".mha"],
                         [out.name])

    def test_folders_and_pairs_of_files_come_back(self):
        for out in ("slices/", "v.mhd", "v.ome.zarr"):
            with self.subTest(out=out):
                self.document("reconstruct", self.scan, *self.VOLUME, "--out",
                              f"{self.folder}/{out}", "--host", "here")
                self.assert_equal_to_one(self.folder / out)

    def test_two_jobs_run_in_turn(self):
        words = ["--kernel", "reference", "--voxels", 60, "--threads", 1, "--host", "here",
                 "--detach"]
        first = self.document("reconstruct", self.scan, *words, "--out", self.folder / "a.mha")
        second = self.document("reconstruct", self.scan, *words, "--out", self.folder / "b.mha")
        self.wait_for_state(second["id"], "done")
        self.assertEqual(self.jobs()[first["id"]]["state"], "done")
        self.document("fetch", second["id"])
        self.assertTrue((self.folder / "b.mha").exists())

    def test_two_fetches_of_one_job_at_once_bring_the_same_volume(self):
        job = self.document("reconstruct", self.scan, *self.VOLUME, "--out", self.folder / "v.mha",
                            "--host", "here", "--detach")
        self.wait_for_state(job["id"], "done")
        processes = [start("fetch", job["id"]) for _ in range(2)]
        for process in processes:
            _, complaints = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, complaints)
        self.assert_equal_to_one(self.folder / "v.mha")
        self.assertFalse((pathlib.Path(job["job"]) / "fetched").exists())

    def test_of_two_jobs_begun_in_one_folder_at_once_one_goes_there(self):
        words = ["reconstruct", self.scan, *self.VOLUME, "--out", self.folder / "v.mha", "--host",
                 "here", "--detach"]
        before = set((self.scratch / "jobs").glob("*"))
        processes = [start(*words) for _ in range(4)]
        codes = []
        for process in processes:
            _, complaints = process.communicate(timeout=60)
            codes.append(process.returncode)
            if process.returncode != 0:
                self.assertRegex(complaints, "gantry: (Another process is just starting the job|.* is "
                                             "a job that here (runs|will run)).*--out")
        self.assertLessEqual(set(codes), {0, 2})
        made = set((self.scratch / "jobs").glob("*")) - before
        self.assertEqual(len(made), codes.count(0))
        mine = [job for job in self.jobs().values() if job["job"] == f"{self.folder}/v.mha.job"]
        self.assertEqual(len(mine), 1)
        self.wait_for_state(mine[0]["id"], "done")

    def test_a_job_is_cancelled_and_resumed_there_and_here(self):
        plain = ["--kernel", "reference", "--voxels", "84x84x77", "--threads", 1]
        plain += ["--memory", self.memory_for_slabs(*plain)]
        self.succeed("reconstruct", self.scan, *plain, "--out", self.folder / "whole.mha")
        whole = (self.folder / "whole.mha").read_bytes()
        for where in ([], ["--here"]):
            with self.subTest(where=where):
                out = self.folder / f"v{len(where)}.mha"
                job = self.document("reconstruct", self.scan, *plain, "--out", out, "--host",
                                    "here", "--data", "send", "--detach")
                self.assertIn("gantry resume", self.cancel_after_a_slab(job)["message"])
                self.fail_with(2, ["job of the host here", "--here"], "worker", job["job"])
                self.succeed("resume", job["id"], *where)
                self.assertEqual(out.read_bytes(), whole)
                logs = (pathlib.Path(job["job"]) / "events.jsonl").read_text()
                self.assertEqual(len(re.findall("Continues from [1-9] of ", logs)), 1)

    def test_what_is_unused_is_removed_after_asking(self):
        job = self.document("reconstruct", self.scan, *self.VOLUME, "--out", self.folder / "v.mha",
                            "--host", "here", "--data", "send")
        there = pathlib.Path(job["there"])
        listed = self.document("host", "clean", "here")
        self.assertFalse(listed["removed"])
        self.assertIn(str(there), [each["folder"] for each in listed["folders"]])
        self.assertTrue(there.exists())
        self.assertTrue(self.document("host", "clean", "here", "--yes")["removed"])
        self.assertFalse(there.exists())
        self.assertTrue((self.folder / "v.mha").exists())

    def test_wrong_words_are_refused(self):
        request = ["reconstruct", self.scan, "--out", self.folder / "v.mha"]
        self.fail_with(2, ["no host 'nowhere'", "gantry host add"], *request, "--host", "nowhere")
        self.fail_with(2, ["--nodes is 3", "from 1 to 1"], *request, "--host", "here", "--nodes", 3)
        self.fail_with(2, ["pathMap", "--data send"], *request, "--host", "here", "--data", "map")
        self.fail_with(2, ["no job of a host", "gantry jobs"], "fetch", self.folder / "v.mha")


@unittest.skipIf(LACKS, f"not installed: {LACKS}")
class Cluster(ClusterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.add_host("cluster", slurm_host(GANTRY, cls.scratch, cluster="h200",
                                           pathMap={str(cls.home / "mapped"): str(cls.scan)}))
        cls.add_host("bare", json.dumps({"gantryHost": 1, "address": "cluster",
                                         "scratch": str(cls.scratch),
                                         "start": {"program": GANTRY}}))

    def reconstruct(self, *words, out="v.mha", host="cluster"):
        return self.document("reconstruct", self.scan, *self.VOLUME, "--out", self.folder / out,
                             "--host", host, *words)

    def test_the_hosts_are_as_they_should_be(self):
        for host, lines in (("cluster", ("reached", "gantry", "MPI", "GPUs", "Slurm", "job",
                                         "ranks", "clock")),
                            ("bare", ("reached", "gantry", "MPI", "GPUs", "clock"))):
            found = self.document("host", "check", host)
            self.assertTrue(found["good"], found)
            whats = [each["what"] for each in found["findings"]]
            self.assertTrue(set(lines) <= set(whats), whats)
        self.assertEqual({each["host"] for each in self.document("host", "list")},
                         {"cluster", "bare"})

    def test_two_nodes_of_two_ranks_make_the_same_volume(self):
        job = self.reconstruct("--nodes", 2)
        self.assertEqual((job["state"], job["ranks"]), ("done", 4), job)
        self.assert_equal_to_one(self.folder / "v.mha")
        timeline = self.document("timeline", job["job"])
        lanes = {lane["lane"].split()[1] for lane in timeline["lanes"]}
        self.assertEqual(lanes, {"0", "1", "2", "3"})
        script = (pathlib.Path(job["job"]) / "job.sh").read_text()
        self.assertIn("#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=2\n", script)

    def test_a_bare_machine_by_ssh_too(self):
        job = self.reconstruct(host="bare")
        self.assertEqual(job["state"], "done", job)
        self.assert_equal_to_one(self.folder / "v.mha")

    def test_data_come_three_ways(self):
        mapped = self.home / "mapped"
        if not mapped.exists():
            mapped.symlink_to(self.scan)
        for way, scan in (("map", mapped), ("there", self.scan), ("send", self.scan)):
            with self.subTest(way=way):
                job = self.document("reconstruct", scan, *self.VOLUME, "--out",
                                    self.folder / f"{way}.mha", "--host", "cluster", "--data", way)
                self.assertEqual(job["state"], "done", job)
                self.assert_equal_to_one(self.folder / f"{way}.mha")

    def test_the_script_is_shown_and_may_be_edited(self):
        script = self.succeed("reconstruct", self.scan, *self.VOLUME, "--host", "cluster",
                              "--script-only")
        self.assertIn("predicted to take", script)
        self.assertEqual(list(self.folder.iterdir()), [])
        edited = self.folder / "mine.sh"
        edited.write_text(script.replace("umask 077", "umask 077\necho by hand >mine.txt"))
        job = self.reconstruct("--script", edited)
        self.assertEqual(job["state"], "done", job)
        self.assertEqual((pathlib.Path(job["there"]) / "mine.txt").read_text(), "by hand\n")

    def test_the_preview_comes_alone_or_first(self):
        job = self.reconstruct("--bring", "preview", "--voxels", "160")
        self.assertEqual((job["state"], job["fetched"]), ("done", False))
        self.assertFalse((self.folder / "v.mha").exists())
        self.document("fetch", job["id"])
        self.assertTrue((self.folder / "v.mha").exists())

    def test_jobs_in_the_queue_tell_their_places(self):
        words = ["--voxels", 60, "--detach", "--nodes", 2, "--host", "cluster"]
        long = self.folder / "long.sh"
        long.write_text(self.succeed("reconstruct", self.scan, *words, "--script-only")
                        .replace("umask 077", "umask 077\nsleep 600"))
        ids = [self.document("reconstruct", self.scan, *words, "--script", long, "--out",
                             self.folder / f"{i}.mha")["id"] for i in range(3)]
        self.wait_for_state(ids[0], "running")
        jobs = self.wait_for_state(ids[2], "waiting")
        wait_for(lambda: "place 2" in self.jobs()[ids[2]]["message"], 20, "a place in the queue")
        self.assertIn("waits for 2 nodes", jobs["message"])
        self.assertIn("place 1", self.jobs()[ids[1]]["message"])
        for each in reversed(ids):  # the other way, each would begin when the one before it ends
            self.assertEqual(self.document("cancel", each)["state"], "cancelled")
        wait_for(self.slurm.is_idle, 30, "idle nodes")

    def test_login_shells_and_talkative_profiles_do_not_matter(self):
        noise = self.home / "noise"
        noise.mkdir()
        shells = ["/bin/sh", *(s for s in ("/bin/csh", "/usr/bin/fish") if os.path.exists(s))]
        for shell in shells:
            with self.subTest(shell=shell):
                key = (self.sshd.folder / "user.pub").read_text()
                wrapped = f"echo 'Welcome! $(x)'; exec {shell} -c \\\"$SSH_ORIGINAL_COMMAND\\\""
                (self.sshd.folder / "authorized_keys").write_text(
                    f'command="{wrapped}" {key}')
                self.addCleanup((self.sshd.folder / "authorized_keys").write_text, key)
                self.sshd.line("cut")
                wait_for(lambda: not self.has_connection(), 20, "the end of the connection")
                self.sshd.line("")
                self.assertTrue(self.document("host", "check", "cluster")["good"])

    @staticmethod
    def has_connection():
        sockets = (pathlib.Path(os.environ["XDG_RUNTIME_DIR"]) / "gantry").glob("*")
        return any(subprocess.run(["ssh", "-O", "check", "-o", f"ControlPath={each}", "x"],
                                  capture_output=True, check=False).returncode == 0
                   for each in sockets)

    def copies_of(self, job, count, **more):
        """Records here of so many jobs like that one, each with a folder of its own on the host."""
        record = json.loads((pathlib.Path(job["job"]) / "remote.json").read_text())
        copies = []
        for i in range(count):
            folder = self.folder / f"copy{i}.mha.job"
            folder.mkdir()
            shutil.copy(pathlib.Path(job["job"]) / "job.json", folder)
            place = pathlib.Path(record["place"] + f"-copy{i}")
            shutil.copytree(record["place"], place, symlinks=True)
            self.addCleanup(shutil.rmtree, place)
            copy = {**record, "id": f"20000101-000000-{i:06x}", "state": "running",
                    "place": str(place), **more}
            (folder / "remote.json").write_text(json.dumps(copy))
            entry = self.home / f"state/gantry/remote-jobs/{copy['id']}.txt"
            entry.write_text(f"{folder}\n")
            self.addCleanup(entry.unlink)
            copies.append(copy)
        return copies

    def test_many_jobs_that_have_ended_are_asked_by_one_connection(self):
        job = self.reconstruct()
        self.copies_of(job, 50)
        before = self.connections()
        begin = time.monotonic()
        jobs = self.jobs()
        # One after the other they took 50 times three round trips.
        self.assertLess(time.monotonic() - begin, 20)
        copies = [job for job in jobs.values() if job["id"].startswith("2000")]
        self.assertEqual([job["state"] for job in copies], ["done"] * 50)
        self.assertLessEqual(self.connections() - before, 1)
        for copy in copies:
            self.assertTrue((pathlib.Path(copy["job"]) / "report.html").exists())

    def test_watching_many_jobs_takes_little(self):
        script = self.succeed("reconstruct", self.scan, *self.VOLUME, "--host", "cluster",
                              "--script-only")
        edited = self.folder / "long.sh"
        edited.write_text(script.replace("umask 077", "umask 077\nsleep 600"))
        job = self.reconstruct("--script", edited, "--detach")
        self.wait_for_state(job["id"], "running")
        self.addCleanup(run, "cancel", job["id"])
        copies = self.copies_of(job, 49)
        logs = [pathlib.Path(copy["place"]) / "job/events.jsonl" for copy in copies[:8]]

        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime

        before = used()
        self.jobs()  # a start and one look
        start, connections = used() - before, self.connections()
        seconds = 20
        begin = time.monotonic()
        with subprocess.Popen([GANTRY, "jobs", "--follow"], stdout=subprocess.DEVNULL) as watching:
            while time.monotonic() - begin < seconds:
                for log in logs:
                    with open(log, "a", encoding="utf-8") as file:
                        file.write('{"t":1,"log":"info","text":"a line"}\n')
                time.sleep(0.5)
            watching.send_signal(signal.SIGINT)
        # With all that it has started here, without its own start and the look before it.
        watched = used() - before - 2 * start
        self.assertLess(watched / (time.monotonic() - begin), 0.02)
        self.assertLessEqual(self.connections() - connections, 1)
        self.assertGreater((pathlib.Path(self.folder) / "copy0.mha.job/events.jsonl").stat().st_size,
                           100)

    def test_a_job_is_resumed_on_another_host_and_here(self):
        plain = ["--kernel", "reference", "--voxels", "84x84x77", "--threads", 1]
        plain += ["--memory", self.memory_for_slabs(*plain)]
        self.succeed("reconstruct", self.scan, *plain, "--out", self.folder / "whole.mha")
        whole = (self.folder / "whole.mha").read_bytes()
        file = self.home / "config/gantry/hosts/beside.json"
        self.addCleanup(file.unlink)
        self.add_host("beside", json.dumps({"gantryHost": 1, "address": "cluster",
                                            "scratch": str(self.home / "beside"),
                                            "start": {"program": GANTRY}}))
        for where in (["--host", "beside"], ["--here"]):
            with self.subTest(where=where):
                out = self.folder / f"v{len(where)}.mha"
                job = self.document("reconstruct", self.scan, *plain, "--out", out, "--host",
                                    "bare", "--data", "send", "--detach")
                self.cancel_after_a_slab(job)
                self.succeed("resume", job["id"], *where)
                self.assertEqual(out.read_bytes(), whole)
                logs = (pathlib.Path(job["job"]) / "events.jsonl").read_text()
                self.assertEqual(len(re.findall("Continues from [1-9] of ", logs)), 1)

    def connections(self):
        return (self.sshd.folder / "log").read_text().count("Accepted publickey")


if __name__ == "__main__":
    unittest.main()
