"""What tests of jobs on hosts share."""

import os
import pathlib
import re
import shutil
import signal
import tempfile
import threading

import stand_in_slurm
from private_cluster import Slurm, Sshd, wait_for
from support import GantryTest, run


class HostTest(GantryTest):
    """All of a class share a folder for the user's own files; hosts are added there."""

    # Odd, off the centre, not cubes.
    VOLUME = ["--voxels", "45x38x41", "--pitch-mm", 2.3, "--center-mm", "3,-5,4", "--engine", "cpu"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scratch = cls.home / "it's $(scratch) ü"
        # Connections of its own; their names have little room.
        connections = tempfile.mkdtemp(prefix="gantry-run-")
        cls.addClassCleanup(shutil.rmtree, connections, ignore_errors=True)
        os.environ.update(XDG_CONFIG_HOME=str(cls.home / "config"),
                          XDG_STATE_HOME=str(cls.home / "state"), XDG_RUNTIME_DIR=connections)
        cls.one = cls.home / "one.mha"
        done = run("reconstruct", cls.scan, *cls.VOLUME, "--out", cls.one)
        assert done.returncode == 0, done.stderr

    @classmethod
    def add_host(cls, name, text):
        file = cls.home / f"{name}.json"
        file.write_text(text)
        done = run("host", "add", file)
        assert done.returncode == 0, done.stderr

    @classmethod
    def play(cls, script, commands, variable):
        """These commands are played by a script, which keeps its state in the folder that it finds in
        the variable. @returns the folder"""
        state, tools = cls.home / "stand-in", cls.home / "commands"
        for folder in (state, tools):
            folder.mkdir()
        for command in commands:
            (tools / command).symlink_to(pathlib.Path(__file__).parent / script)
        os.environ.update({variable: str(state), "PATH": f"{tools}:{os.environ['PATH']}"})
        return state

    @classmethod
    def play_slurm(cls):
        stand_in_slurm.FOLDER = cls.play("stand_in_slurm.py",
                                         ("sbatch", "squeue", "scancel", "sacct"), "STAND_IN")
        cls.addClassCleanup(stand_in_slurm.reboot)
        return stand_in_slurm.FOLDER

    @classmethod
    def play_pbs(cls):
        return cls.play("stand_in_pbs.py", ("qsub", "qstat", "qselect", "qdel"), "STAND_IN")

    def assert_equal_to_one(self, volume):
        self.assertLess(self.document("compare", volume, self.one)["relativeRmse"], 1e-6)

    def jobs(self, *words):
        return {job["id"]: job for job in self.document("jobs", *words)}

    def memory_for_slabs(self, *words, slabs=4):
        """A limit of memory under which the volume is made in about so many slabs."""
        whole = self.document("plan", self.scan, *words)["memoryBytes"]
        said = self.fail_with(1, ["one slice"], "plan", self.scan, *words, "--memory", "1M")
        least = float(re.search(r"needs ([0-9.]+) MB", said)[1]) * 1e6
        return str(round(least + (whole - least) / slabs))

    def wait_for_state(self, job, *states, seconds=120):
        """The job when it has come to one of these states."""
        now = {}

        def is_there():
            now.update(self.jobs()[job])
            return now["state"] in states
        try:
            wait_for(is_there, seconds, f"{states} of {job}")
        except AssertionError as error:
            raise AssertionError(f"{error}: {now}") from error
        return now

    def cancel_after_a_slab(self, job):
        """The processes of a job that runs without a scheduler. It is held meanwhile, so that it cannot end first."""
        wait_for((pathlib.Path(job["there"]) / "job/checkpoint.json").exists, 120, "a finished slab")
        group = int(job["number"])
        os.killpg(group, signal.SIGSTOP)
        cancelling = threading.Thread(target=self.document, args=("cancel", job["id"]))
        cancelling.start()
        status = pathlib.Path(f"/proc/{group}/status")
        wait_for(lambda: self.is_pending(status, signal.SIGTERM), 30, "the signal to end")
        os.killpg(group, signal.SIGCONT)
        cancelling.join()
        return self.wait_for_state(job["id"], "cancelled")

    @staticmethod
    def is_pending(status, number):
        masks = re.findall(r"^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$", status.read_text(), re.MULTILINE)
        return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)



class ClusterTest(HostTest):
    """With a private cluster: self.slurm, reached through self.sshd."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.slurm = Slurm(cls.home / "slurm")
        cls.addClassCleanup(cls.slurm.stop)
        os.environ["SLURM_CONF"] = str(cls.slurm.conf)
        cls.sshd = Sshd(cls.home / "sshd", ["SLURM_CONF"])
        cls.addClassCleanup(cls.sshd.stop)
        os.environ["GANTRY_SSH_CONFIG"] = str(cls.sshd.config)
