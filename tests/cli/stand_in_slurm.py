#!/usr/bin/env python3
"""A stand-in for Slurm's commands on one machine, by the name that it is called by.

The folder STAND_IN has a file for each job, and `asked`, with a line for each submission. A test
makes something happen in the middle of a submission by the file `fault`: "refuse", or "before" or
"after" for the moment at which the process named in `client` is killed, with "reboot" for the host
as well.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

FOLDER = pathlib.Path(os.environ.get("STAND_IN", ""))


def is_alive(job):
    """Whether its process, which leads a session, still exists: its number may be another's by now."""
    try:
        return os.path.samefile(os.path.dirname(os.readlink(f"/proc/{job['pid']}/cwd")),
                                os.path.dirname(job["folder"]))
    except OSError:
        return False


def all_jobs():
    return [json.loads(file.read_text()) for file in sorted(FOLDER.glob("*.json"))]


def jobs():
    return [job for job in all_jobs() if is_alive(job)]


def reboot():
    """Kills all jobs; their files stay."""
    for job in jobs():
        os.killpg(job["pid"], signal.SIGKILL)


def kill_callers():
    """Kills the shells that have called this process, and it itself."""
    callers = [os.getppid()]
    while pathlib.Path(f"/proc/{callers[-1]}/comm").read_text().strip() in ("timeout", "sh", "dash"):
        callers.append(int(pathlib.Path(f"/proc/{callers[-1]}/stat").read_text().split(")")[1].split()[1]))
    for process in reversed(callers[:-1]):
        os.kill(process, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def option(words, name):
    return next((word.split("=", 1)[1] for word in words if word.startswith(name + "=")), "")


def happen(moment):
    fault = FOLDER / "fault"
    words = fault.read_text().split() if fault.exists() else []
    if moment not in words:
        return
    fault.unlink()
    if moment == "refuse":
        sys.exit("sbatch: error: no such partition")
    os.kill(int((FOLDER / "client").read_text()), signal.SIGKILL)
    if "reboot" in words:
        reboot()
        kill_callers()


def directive(script, name):
    return option([line[len("#SBATCH "):] for line in pathlib.Path(script).read_text().splitlines()
                   if line.startswith("#SBATCH ")], name)


def start(number, name, folder, script, task=None):
    """Starts a job, or one of an array, as Slurm does: each has a number of its own as well."""
    own = number if task is None else f"{number}_{task}"
    variables = {"SLURM_JOB_ID": number if task is None else f"{number}{task}"}
    if task is not None:
        variables.update(SLURM_ARRAY_JOB_ID=number, SLURM_ARRAY_TASK_ID=str(task))
    output = (directive(script, "--output") or "output.txt").replace("%a", str(task))
    with open(f"{folder}/{output}", "a", encoding="utf-8") as out:
        process = subprocess.Popen(["sh", script], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=out, start_new_session=True,
                                   env={**os.environ, **variables})
    part = FOLDER / f"{own}.part"
    part.write_text(json.dumps({"number": own, "name": name, "folder": folder, "pid": process.pid}))
    part.rename(FOLDER / f"{own}.json")


def sbatch(words):
    happen("refuse")
    happen("before")
    number = str(1000 + len(list(FOLDER.glob("*.json"))))
    folder, name = option(words, "--chdir"), option(words, "--job-name")
    with open(FOLDER / "asked", "a", encoding="utf-8") as asked:
        asked.write(f"{number} {name}\n")
    tasks = directive(words[-1], "--array")
    if tasks:
        first, last = map(int, tasks.split("-"))
        for task in range(first, last + 1):
            start(number, name, folder, words[-1], task)
    else:
        start(number, name, folder, words[-1])
    happen("after")
    print(number)


def squeue(words):
    for job in all_jobs() if "--states=all" in words else jobs():
        if "_" in job["number"] and "-r" not in words:
            continue  # Slurm lists an array in one line
        is_cancelled = (FOLDER / f"{job['number']}.cancelled").exists()
        if not is_alive(job) and not is_cancelled:
            continue
        line = words[-1]
        for sign, value in (("%i", job["number"]), ("%T", "CANCELLED" if is_cancelled else "RUNNING"), ("%r", "None"), ("%S", "N/A"),
                            ("%N", "n1"), ("%j", job["name"])):
            line = line.replace(sign, value)
        print(line)


def scancel(words):
    for job in jobs():
        if job["name"] == option(words, "--name") or job["number"] in words:
            (FOLDER / f"{job['number']}.cancelled").touch()
            os.killpg(job["pid"], signal.SIGTERM)
            limit = time.monotonic() + 20
            while is_alive(job) and time.monotonic() < limit:
                time.sleep(0.02)


def main():
    name, words = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
    if name in ("sbatch", "squeue", "scancel"):
        globals()[name](words)


if __name__ == "__main__":
    main()
