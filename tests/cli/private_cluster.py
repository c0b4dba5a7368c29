"""A private sshd and a private Slurm of two simulated nodes on this machine, for tests of jobs on hosts.

Both run as the user who tests, on free ports of the loopback, without any service of the system. The
way to the sshd leads through slow_proxy.py, which a test can slow down, silence or cut.
"""

import getpass
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin")
SLURM = ("munged", "slurmctld", "slurmd", "sbatch", "srun")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"


def missing():
    """What the tests need and this machine lacks; empty: nothing."""
    lacks = [] if SSHD and shutil.which("ssh") else ["openssh-server"]
    if any(shutil.which(name, path=PATH) is None for name in SLURM):
        lacks.append("slurm-wlm, munge")
    return ", ".join(lacks)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def wait_for(condition, seconds=30, what="something"):
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise AssertionError(f"waited for {what} in vain")
        time.sleep(0.05)


def call(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60,
                          **more)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stderr}")
    return done.stdout


class Sshd:
    """`ssh -F folder/ssh_config cluster` reaches this machine."""

    def __init__(self, folder, send=()):
        self.folder = folder
        folder.mkdir(mode=0o755)
        self.port, = free_ports(1)
        for key in ("host", "user", "other"):
            call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", folder / key)
        shutil.copy(folder / "user.pub", folder / "authorized_keys")
        self.write_config(send)
        self.know("host")
        self.process = None
        self.start()

    def write_config(self, send):
        (self.folder / "sshd_config").write_text(f"""
Port {self.port}
ListenAddress 127.0.0.1
HostKey {self.folder}/host
PidFile none
AuthorizedKeysFile {self.folder}/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
MaxSessions 50
Subsystem sftp internal-sftp
AcceptEnv {' '.join(send) or 'NONE'}
""")
        self.config = self.folder / "ssh_config"
        self.config.write_text(f"""
Host cluster
  HostName 127.0.0.1
  Port {self.port}
  User {getpass.getuser()}
  IdentityFile {self.folder}/user
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile {self.folder}/known_hosts
  GlobalKnownHostsFile none
  ProxyCommand {sys.executable} {HERE}/slow_proxy.py %h %p {self.folder}/line
  {'SendEnv ' + ' '.join(send) if send else ''}
""")

    def know(self, key):
        """The user has seen this key of the host before."""
        words = (self.folder / f"{key}.pub").read_text().split()
        (self.folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {words[0]} {words[1]}\n")

    def start(self):
        if os.geteuid() == 0:
            pathlib.Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self.process = subprocess.Popen([SSHD, "-D", "-f", self.folder / "sshd_config", "-E",
                                         self.folder / "log"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(self.answers, what="sshd")

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def line(self, state):
        """The way there: "" as it is, "100000" bytes a second, "silent", or "cut"."""
        part = self.folder / "line.part"
        part.write_text(state)
        part.rename(self.folder / "line")

    def stop(self):
        self.line("cut")
        self.process.terminate()
        self.process.wait(timeout=20)


class Slurm:
    """Two nodes of two processors each, called n1 and n2."""

    def __init__(self, folder):
        self.folder = folder
        # Each of several nodes on one machine needs a folder of its own for temporary files.
        for name in ("state", "log", "spool", "run", "tmp/n1", "tmp/n2"):
            (folder / name).mkdir(parents=True)
        folder.chmod(0o755)
        self.daemons = {}
        self.conf = folder / "slurm.conf"
        self.environment = dict(os.environ, PATH=PATH, SLURM_CONF=str(self.conf))
        try:
            self.start_munge()
            self.write_conf()
            self.start_controller()
            for node in ("n1", "n2"):
                self.start_node(node)
            wait_for(self.is_idle, what="idle nodes")
        except BaseException:
            self.stop()
            raise

    def start(self, name, *words):
        with open(self.folder / "log" / f"{name}.out", "a", encoding="utf-8") as log:
            self.daemons[name] = subprocess.Popen([str(word) for word in words], stdout=log,
                                                  stderr=log, env=self.environment)

    def start_munge(self):
        run = self.folder / "run"
        run.chmod(0o755)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.start("munged", "munged", "--foreground", "--force", f"--key-file={key}",
                   f"--socket={run}/munge", f"--pid-file={run}/munged.pid",
                   f"--log-file={self.folder}/log/munged", f"--seed-file={self.folder}/munge.seed",
                   "--num-threads=2")
        wait_for((run / "munge").exists, what="munged")

    def write_conf(self):
        user = getpass.getuser()
        controller, first, second = free_ports(3)
        host = socket.gethostname().split(".")[0]
        nodes = "".join(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 "
                        "RealMemory=1000 State=UNKNOWN\n"
                        for name, port in (("n1", first), ("n2", second)))
        self.conf.write_text(f"""
ClusterName=private
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={self.folder}/run/munge
CredType=cred/munge
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool/%n
SlurmctldPidFile={self.folder}/run/slurmctld.pid
SlurmdPidFile={self.folder}/run/%n.pid
SlurmctldLogFile={self.folder}/log/slurmctld
SlurmdLogFile={self.folder}/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
TmpFS={self.folder}/tmp/%n
MpiDefault=pmix
ReturnToService=2
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
KillWait=3
SlurmdTimeout=8
SlurmctldTimeout=10
MessageTimeout=5
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,bf_interval=1
{nodes}PartitionName=debug Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
""")

    def start_controller(self):
        self.start("slurmctld", "slurmctld", "-D", "-f", self.conf)

    def start_node(self, node):
        (self.folder / "spool" / node).mkdir(exist_ok=True)
        self.start(node, "slurmd", "-D", "-f", self.conf, "-N", node)

    def ask(self, *words):
        return call(*words, env=self.environment)

    def is_idle(self):
        done = subprocess.run(["sinfo", "-h", "-N", "-t", "idle", "-o", "%N"], capture_output=True,
                              text=True, env=self.environment, timeout=60)
        return done.stdout.split() == ["n1", "n2"]

    def state(self, number):
        return self.ask("squeue", "-h", "--states=all", "-j", number, "-o", "%T").strip()

    def reach_limit(self, number):
        """Its time is over: Slurm, which counts in minutes, looks for that twice a minute."""
        self.ask("scontrol", "update", f"JobId={number}", "EndTime=now")

    def requeue(self, number):
        """Preempts it as for a job that needs its place more, but it starts after 12 s.

        Slurm gives a node ten seconds to clear a run away before it sends the next, and two minutes
        where nothing is said.
        """
        self.ask("scontrol", "requeue", number)
        self.ask("scontrol", "update", f"JobId={number}", "StartTime=now+12")

    def empty(self):
        """Ends all jobs."""
        subprocess.run(["scancel", "--user", getpass.getuser()], env=self.environment, timeout=60,
                       capture_output=True, check=False)

    def end(self, name):
        """Ends it as its administrator would: it keeps what it knows."""
        self.daemons[name].terminate()
        self.daemons[name].wait(timeout=30)

    def kill_node(self, node):
        """The node's daemon, and all that it has started there, at once. No other node may be at work."""
        self.daemons[node].kill()
        self.daemons[node].wait()
        steps, tasks = [], []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                variables = (process / "environ").read_bytes().split(b"\0")
                words = (process / "cmdline").read_bytes()
            except OSError:
                continue
            if f"SLURM_CONF={self.conf}".encode() not in variables:
                continue
            if words.startswith(b"slurmstepd"):
                steps.append(int(process.name))
            elif f"SLURMD_NODENAME={node}".encode() in variables:
                tasks.append(int(process.name))
        for process in steps + tasks:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass

    def stop(self):
        self.empty()
        time.sleep(0.5)
        for process in reversed(self.daemons.values()):
            process.terminate()
        for process in self.daemons.values():
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def slurm_host(program, scratch, **more):
    """A host's file for the two of them together."""
    document = {
        "gantryHost": 1, "address": "cluster", "scheduler": "slurm", "scratch": str(scratch),
        "start": {"program": program},
        "batch": {"nodes": 1, "maxNodes": 2, "ranksPerNode": 2, "launcher": "srun --mpi=pmix",
                  "timeMinutes": 30},
        # Several nodes on one machine, for Open MPI.
        "environment": {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "lo",
                        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}}
    for key, value in more.items():
        document[key] = {**document[key], **value} if isinstance(value, dict) and key in document \
            else value
    return json.dumps(document)
