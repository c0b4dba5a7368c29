"""What can go wrong with a job on a host: each ends in a sentence, nothing is lost, and there is a way on."""

import ctypes.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

from host_test import ClusterTest, HostTest
from private_cluster import Sshd, missing, slurm_host, wait_for
from support import GANTRY, run, start

LACKS = missing()
FAKETIME = next((str(path) for path in pathlib.Path("/usr/lib").glob(
    "*/faketime/libfaketime.so.1")), ctypes.util.find_library("faketime"))


def later(seconds, action):
    timer = threading.Timer(seconds, action)
    timer.start()
    return timer


@unittest.skipIf(LACKS, f"not installed: {LACKS}")
class Connection(HostTest):
    """One machine by ssh."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sshd = Sshd(cls.home / "sshd")
        cls.addClassCleanup(cls.sshd.stop)
        os.environ["GANTRY_SSH_CONFIG"] = str(cls.sshd.config)
        cls.add("bare")

    @classmethod
    def add(cls, name, program=GANTRY, scratch=None, **more):
        cls.add_host(name, json.dumps({"gantryHost": 1, "address": "cluster",
                                       "scratch": str(scratch or cls.scratch),
                                       "start": {"program": program}, **more}))

    def setUp(self):
        super().setUp()
        self.sshd.line("cut")  # no test goes by the connection of another
        time.sleep(0.3)
        self.sshd.line("")

    def words(self, *more, out="v.mha", host="bare"):
        return ["reconstruct", self.scan, *self.VOLUME, "--out", self.folder / out, "--host", host,
                "--data", "send", *more]

    def assert_unreachable(self, *parts):
        self.fail_with(1, ["bare cannot be reached. ssh says: ", *parts], *self.words())
        checked = run("host", "check", "bare", "--json")
        self.assertEqual(checked.returncode, 1)
        finding = json.loads(checked.stdout)["findings"][0]
        self.assertEqual((finding["what"], finding["good"]), ("reached", False))

    def succeed_now(self):
        self.succeed(*self.words())
        self.assert_equal_to_one(self.folder / "v.mha")

    def test_refused(self):
        config = self.sshd.config.read_text()
        self.addCleanup(self.sshd.config.write_text, config)
        self.sshd.config.write_text("\n".join(
            line for line in config.replace(f"Port {self.sshd.port}", "Port 1").splitlines()
            if "ProxyCommand" not in line))
        self.assert_unreachable("Connection refused", "ssh service does not run")
        self.sshd.config.write_text(config)
        self.succeed_now()

    def test_wrong_key(self):
        keys = self.sshd.folder / "authorized_keys"
        keys.write_text((self.sshd.folder / "other.pub").read_text())
        self.addCleanup(shutil.copy, self.sshd.folder / "user.pub", keys)
        self.assert_unreachable("Permission denied", "ssh-add")
        shutil.copy(self.sshd.folder / "user.pub", keys)
        self.succeed_now()

    def test_changed_and_unknown_host_keys(self):
        self.addCleanup(self.sshd.know, "host")
        self.sshd.know("other")
        self.assert_unreachable("REMOTE HOST IDENTIFICATION HAS CHANGED", "administrator",
                                "ssh-keygen -R")
        (self.sshd.folder / "known_hosts").write_text("")
        self.assert_unreachable("Host key verification failed", "fingerprint")
        self.assertEqual((self.sshd.folder / "known_hosts").read_text(), "")
        self.sshd.know("host")
        self.succeed_now()

    def test_no_gantry_and_another_version(self):
        self.add("without", program="/nowhere/gantry")
        self.fail_with(2, ["/nowhere/gantry", "start"], *self.words(host="without"))
        old = self.home / "old"
        old.write_text("#!/bin/sh\necho gantry 0.0.9\n")
        old.chmod(0o755)
        self.add("old", program=str(old))
        self.fail_with(2, ["version 0.0.9; this one is", "same version"], *self.words(host="old"))
        for host in ("without", "old"):
            found = json.loads(run("host", "check", host, "--json").stdout)
            bad = [each for each in found["findings"] if not each["good"]]
            self.assertEqual(bad[0]["what"], "gantry")
            self.assertTrue(bad[0]["advice"])

    def new_scan(self):
        """A copy of the scan, which is not there yet."""
        scan = self.folder / "scan"
        shutil.copytree(self.scan, scan)
        return scan

    def test_a_view_that_was_altered_there_is_sent_again(self):
        words = self.words("--json")
        words[1] = self.new_scan()
        job = json.loads(self.succeed(*words))
        data = json.loads((pathlib.Path(job["job"]) / "remote.json").read_text())["data"]
        views = [path for path in pathlib.Path(data).rglob("*") if path.is_file()]
        view = sorted(views)[len(views) // 2]
        content = bytearray(view.read_bytes())
        content[len(content) // 2:] = b"\0" * (len(content) - len(content) // 2)
        view.write_bytes(content)
        self.succeed(*words)
        self.assert_equal_to_one(self.folder / "v.mha")

    def test_two_jobs_that_send_the_same_scan_at_once(self):
        scan = self.new_scan()
        before = set((self.scratch / "data").glob("*"))

        def begin(i):
            words = self.words("--json", out=f"{i}.mha")
            words[1] = scan
            process = start(*map(str, words))
            self.addCleanup(process.kill)
            return process

        self.sshd.line("60000")
        first = begin(0)
        wait_for(lambda: any(path.suffix == ".lock" for path in
                             set((self.scratch / "data").glob("*")) - before), 60, "a lock")
        # However long the second takes to look, the first is not at its end by then.
        first.send_signal(signal.SIGSTOP)
        self.sshd.line("")
        second = begin(1)
        self.assertIn("this one waits for it", second.stderr.readline())
        first.send_signal(signal.SIGCONT)
        for i, process in enumerate((first, second)):
            _, said = process.communicate(timeout=150)
            self.assertEqual(process.returncode, 0, said)
            self.assert_equal_to_one(self.folder / f"{i}.mha")

    def test_without_rsync_files_go_by_sftp(self):
        tools = self.folder / "tools"
        tools.mkdir()
        for folder in os.environ["PATH"].split(":"):
            for tool in pathlib.Path(folder).glob("*"):
                if tool.name != "rsync" and not (tools / tool.name).exists():
                    (tools / tool.name).symlink_to(tool)
        self.assertIsNone(shutil.which("rsync", path=tools))
        words = self.words("--json", out="it's \n*.mha")
        words[1] = self.new_scan()
        job = json.loads(self.succeed(*words, env={**os.environ, "PATH": str(tools)}))
        self.assert_equal_to_one(self.folder / "it's \n*.mha")
        self.assertFalse((pathlib.Path(job["job"]) / "fetched").exists())
        self.assertEqual(list(pathlib.Path.home().glob(".gantry-*")), [])

    def test_cut_for_20_s_while_sending(self):
        words = self.words("--json")
        words[1] = self.new_scan()
        before = list((self.scratch / "data").glob("scan-*"))
        self.sshd.line("60000")
        process = start(*map(str, words))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        wait_for(lambda: [file for folder in (self.scratch / "data").glob("scan-*") if folder not in before
                          for file in folder.rglob("*") if file.is_file()], 60, "a file that is under way")
        self.sshd.line("silent")
        end = time.monotonic() + 20
        fallback = later(90, lambda: self.sshd.line(""))  # if it is never noticed
        self.addCleanup(fallback.cancel)
        # A busy machine may notice it later than within 20 s.
        said = process.stderr.readline()
        while said and "Trying again" not in said.splitlines()[-1]:
            line = process.stderr.readline()
            said = said + line if line else ""
        self.assertIn("Trying again", said)
        time.sleep(max(0, end - time.monotonic()))
        self.sshd.line("")
        out, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, said)
        self.assertEqual(json.loads(out)["state"], "done")
        self.assert_equal_to_one(self.folder / "v.mha")

    def test_silent_for_20_s_while_watching_and_cut_while_fetching(self):
        # Its script ends when a file is gone: the job is watched until then, however late the line
        # is cut, and nothing of the volume is there before the line is slow.
        words = self.words("--kernel", "reference", "--threads", 1, "--voxels", 130)
        held, edited = self.folder / "held", self.folder / "held.sh"
        held.touch()
        script = self.succeed(*words, "--script-only")
        self.assertIn("code=$?\n", script)
        edited.write_text(script.replace(
            "code=$?\n", f"code=$?\nwhile [ -e '{held}' ]; do sleep 0.1; done\n"))
        said = self.folder / "said"
        with said.open("w") as file:
            process = subprocess.Popen([GANTRY, *map(str, words), "--script", edited],
                                       stdout=subprocess.DEVNULL, stderr=file)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def stays_so_until_told(times, seconds):
            time.sleep(seconds)
            # On a busy machine a round trip that the cut meets takes longer to fail.
            wait_for(lambda: said.read_text().count("Trying again") >= times, 60, "another try")

        wait_for(lambda: (self.folder / "v.mha.job/events.jsonl").exists(), 60, "news of the job")
        self.sshd.line("silent")
        stays_so_until_told(1, 20)
        self.sshd.line("300000")
        held.unlink()
        wait_for(lambda: (self.folder / "v.mha.job/fetched/v.mha").exists(), 120, "the volume on its way")
        self.sshd.line("cut")
        stays_so_until_told(2, 5)
        self.sshd.line("")
        self.assertEqual(process.wait(150), 0, said.read_text())
        self.assertTrue((self.folder / "v.mha").exists())
        job = json.loads((self.folder / "v.mha.job/remote.json").read_text())
        there = pathlib.Path(job["place"]) / "out/v.mha"
        self.assertTrue((self.folder / "v.mha").read_bytes() == there.read_bytes())
        logs = (self.folder / "v.mha.job/events.jsonl", there.parents[1] / "job/events.jsonl")
        self.assertEqual(logs[0].read_bytes(), logs[1].read_bytes())

    @unittest.skipUnless(os.geteuid() == 0, "only root makes a small disk")
    def test_full_disk(self):
        small = self.home / "small disk"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", small],
                          capture_output=True, check=False).returncode != 0:
            self.skipTest("no disk can be made here")
        self.addCleanup(subprocess.run, ["umount", "-l", small], check=False)
        self.add("small", scratch=small)
        said = self.fail_with(1, ["are to be sent", "free", "gantry host clean"],
                              *self.words(host="small"))
        self.assertNotIn("InternalError", said)
        # The scan has room, but the volume has none.
        words = self.words(host="small")
        words[words.index("send")] = "there"
        self.fail_with(1, ["on small", "free"], *words)
        subprocess.run(["mount", "-o", "remount,size=9m", small], check=True)
        words[words.index("there")] = "send"
        self.succeed(*words, "--out", self.folder / "w.mha")
        self.assert_equal_to_one(self.folder / "w.mha")

    @unittest.skipUnless(FAKETIME, "faketime is not installed")
    def test_a_clock_that_is_5_min_ahead(self):
        self.add("early", environment={"LD_PRELOAD": FAKETIME, "FAKETIME": "+300"})
        checked = self.document("host", "check", "early")
        clock = next(each for each in checked["findings"] if each["what"] == "clock")
        self.assertFalse(clock["good"])
        self.assertRegex(clock["found"], "4 min 5[0-9] s|5 min 0[0-9] s")
        self.assertTrue(clock["advice"])
        job = self.document(*self.words(host="early"))
        self.assertEqual(job["state"], "done", job)
        self.assert_equal_to_one(self.folder / "v.mha")

    def test_killed_and_started_again(self):
        process = start(*map(str, self.words("--kernel", "reference", "--threads", 1, "--voxels",
                                             100)))
        wait_for(lambda: (self.folder / "v.mha.job/events.jsonl").exists(), 60, "news of the job")
        process.kill()
        process.communicate()
        job, = [each for each in self.jobs().values() if each["job"].startswith(str(self.folder))]
        self.assertEqual(self.wait_for_state(job["id"], "done")["state"], "done")
        self.document("fetch", self.folder / "v.mha")
        self.assertTrue((self.folder / "v.mha").exists())


@unittest.skipIf(LACKS, f"not installed: {LACKS}")
class Cluster(ClusterTest):
    # Minutes on any machine, in slabs of which some are made within one.
    SLOW = ["--kernel", "reference", "--threads", 1, "--voxels", "640x640x640", "--type", "uint8",
            "--range", "0,0.05"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.add_host("cluster", slurm_host(GANTRY, cls.scratch, batch={"ranksPerNode": 1}))

    def hand_over(self, *words):
        """A slow job, left to the cluster."""
        memory = self.memory_for_slabs(*self.SLOW, slabs=30)
        self.addCleanup(self.slurm.empty)
        return self.document("reconstruct", self.scan, *self.SLOW, "--memory", memory, "--out",
                             self.folder / "v.mha", "--host", "cluster", "--data", "there",
                             "--detach", *words)

    def begin(self, *words):
        """A slow job that runs, and has made a slab."""
        job = self.hand_over(*words)
        checkpoint = pathlib.Path(job["there"]) / "job/checkpoint.json"
        wait_for(lambda: checkpoint.exists() and json.loads(checkpoint.read_text())["slabsDone"],
                 90, "a finished slab")
        return self.wait_for_state(job["id"], "running")

    def assert_way_on(self, job, *parts):
        for part in ("it had made ", " slabs", "gantry resume " + job["id"], *parts):
            self.assertIn(part, job["message"])

    def cancel(self, job):
        self.document("cancel", job["id"])
        wait_for(self.slurm.is_idle, 40, "idle nodes")

    def resume(self, job):
        """Takes the way on that an ended job's words name, until it goes on from its slabs."""
        again = self.document("resume", job["id"], "--detach")
        wait_for(lambda: b"Continues from" in
                 (pathlib.Path(again["there"]) / "job/events.jsonl").read_bytes(), 120, "resuming")
        self.cancel(job)

    def test_1_time_limit_and_resume(self):
        job = self.begin("--minutes", 1)
        self.slurm.reach_limit(job["number"])
        ended = self.wait_for_state(job["id"], "stopped", "done", seconds=140)
        self.assert_way_on(ended, "time limit of 1 min")
        self.resume(job)

    def test_scancel_from_outside(self):
        job = self.begin()
        self.slurm.ask("scancel", job["number"])
        self.assert_way_on(self.wait_for_state(job["id"], "cancelled"), "was cancelled")
        self.resume(job)

    def test_slurm_away_for_a_while(self):
        job = self.begin()
        self.slurm.end("slurmctld")
        now = self.jobs()[job["id"]]
        self.assertEqual(now["state"], "running")
        self.assertIn("Slurm does not answer", now["message"])
        self.slurm.start_controller()
        wait_for(lambda: "runs on" in self.jobs()[job["id"]]["message"], 40, "Slurm's answer")
        self.cancel(job)

    def test_job_folder_removed(self):
        job = self.begin()
        self.slurm.ask("scancel", job["number"])
        wait_for(self.slurm.is_idle, 40, "idle nodes")
        # The job's script may still write there.
        wait_for(lambda: shutil.rmtree(job["there"], ignore_errors=True) or not os.path.exists(job["there"]), 20,
                 "the folder's end")
        gone = self.jobs()[job["id"]]
        self.assertEqual(gone["state"], "gone")
        self.assertIn("gantry reconstruct", gone["message"])
        self.fail_with(2, ["was removed"], "fetch", job["id"])
        anew = self.hand_over()
        self.wait_for_state(anew["id"], "running")
        self.cancel(anew)

    def test_preempted_and_requeued(self):
        job = self.begin()
        self.slurm.requeue(job["number"])
        wait_for(lambda: self.slurm.state(job["number"]) == "PENDING", 30, "the job in the queue")
        self.assertEqual(self.jobs()[job["id"]]["state"], "waiting")
        events = pathlib.Path(job["there"]) / "job/events.jsonl"
        # Two minutes more where the run took longer than 12 s to end.
        wait_for(lambda: b"Continues from" in events.read_bytes(), 240, "resuming")
        self.cancel(job)

    def test_z_node_failed(self):
        job = self.begin()
        node = self.slurm.ask("squeue", "-h", "-j", job["number"], "-o", "%N").strip()
        self.slurm.ask("scontrol", "update", f"JobId={job['number']}", "Requeue=0")
        self.slurm.kill_node(node)
        ended = self.wait_for_state(job["id"], "stopped", "failed", seconds=90)
        self.assert_way_on(ended, "a node failed")
        self.slurm.start_node(node)
        wait_for(self.slurm.is_idle, 60, "idle nodes")
        self.resume(job)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        unittest.main()
    # Most of both is waiting, for a line that is cut and for a cluster's minutes: side by side.
    parts = [subprocess.Popen([sys.executable, "-B", __file__, part.__name__])
             for part in (Connection, Cluster)]
    sys.exit(max([part.wait() for part in parts], key=abs))
