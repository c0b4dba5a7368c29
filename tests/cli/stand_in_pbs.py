#!/usr/bin/env python3
"""A stand-in of OpenPBS on this machine: what qsub, qstat, qselect and qdel do, as far as jobs of one user go.

Called by one of these names, with a folder in STAND_IN. Jobs run one after the other, really, as PBS
runs them: in the user's home, with PBS's variables and a file of nodes, in a session of their own. Nodes
are this machine by other names.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

FOLDER = pathlib.Path(os.environ["STAND_IN"])
NODES, CPUS, MEMORY_GB = 2, 8, 64
QUEUES = {"workq": 3600}  # the longest time, in seconds


def place(number):
    """In the order of submission: "12", and those of an array, "12[3]"."""
    job, _, element = number.partition("[")
    return int(job), int(element.rstrip("]") or 0)


def all_jobs():
    return sorted((json.loads(path.read_text()) for path in FOLDER.glob("*.json")),
                  key=lambda job: place(job["number"]))


def of_array(number):
    """Those of the array that a job is in, or "12[]" is."""
    array = number.partition("[")[0] + "["
    return [job for job in all_jobs() if job["number"].startswith(array)]


def read(number):
    return json.loads((FOLDER / f"{number}.json").read_text())


def write(job):
    part = FOLDER / f"{job['number']}.{os.getpid()}.part"
    part.write_text(json.dumps(job))
    part.rename(FOLDER / f"{job['number']}.json")


def end(job, status):
    job.update(state="F", exit=status, ended=time.time())
    write(job)


def refuse(sentence, code):
    print(f"qsub: {sentence}", file=sys.stderr)
    sys.exit(code)


def seconds(text):
    total = 0
    for part in text.split(":"):
        total = 60 * total + int(part)
    return total


def hours(count):
    return f"{count // 3600:02}:{count // 60 % 60:02}:{count % 60:02}"


def checked(job):
    """Checks a job as the server does when it takes one."""
    if job["queue"] not in QUEUES:
        refuse("Unknown queue", 170)
    if seconds(job["walltime"]) > QUEUES[job["queue"]]:
        refuse("Job violates queue and/or server resource limits", 188)
    count, *chunk = job["select"].split(":")
    asked = dict(each.split("=") for each in chunk)
    unknown = set(asked) - {"ncpus", "mpiprocs", "ngpus", "mem"}
    if unknown:
        refuse(f"Unknown resource: {unknown.pop()}", 171)
    memory = re.fullmatch(r"(\d+)(kb|mb|gb)", asked.get("mem", "1gb"))
    if not memory:
        refuse("Illegal attribute or resource value Resource_List.mem", 15)
    gigabytes = int(memory[1]) / {"kb": 1e6, "mb": 1e3, "gb": 1}[memory[2]]
    if int(count) > NODES or int(asked.get("ncpus", 1)) > CPUS or gigabytes > MEMORY_GB:
        refuse("Job violates queue and/or server resource limits", 188)
    job.update(count=int(count), processes=int(asked.get("mpiprocs", 1)))
    return job


def qsub(words):
    script = pathlib.Path(words.pop()).resolve()
    options = [line[5:].strip() for line in script.read_text().splitlines()
               if line.startswith("#PBS ")]
    job = {"queue": "workq", "walltime": "00:30:00", "select": "1:ncpus=1", "state": "Q",
           "held": False, "options": options, "script": str(script), "cwd": os.getcwd()}
    while "-N" in words:  # its name is a word of its own
        at = words.index("-N")
        job["name"] = words[at + 1]
        del words[at:at + 2]
    for option in options + words:
        name, _, value = option.partition(" ")
        if option == "-h":
            job["held"] = True
        elif name == "-q":
            job["queue"] = value
        elif name == "-l":
            key, _, text = value.strip().partition("=")
            job[key] = text
        elif name == "-J":
            job["array"] = value.strip()
        elif name not in ("-N", "-A", "-r", "-j", "-o", "-S", "-m"):
            refuse(f"invalid option -- '{option}'", 2)
    checked(job)
    with open(FOLDER / "numbers", "a+", encoding="utf-8") as numbers:
        numbers.write("x")
        number = str(numbers.tell())
    elements = [""]
    if "array" in job:
        first, last = map(int, job.pop("array").split("-"))
        if first >= last:
            refuse("Illegal attribute or resource value", 15)
        elements = [f"[{i}]" for i in range(first, last + 1)]
    for element in elements:
        write({**job, "number": number + element})
    for element in elements if not job["held"] else []:
        subprocess.Popen([sys.executable, __file__, "run", number + element],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)
    print(f"{number}{'[]' if elements[0] else ''}.standin")


def run(number):
    while not all(other["state"] == "F" or other["held"] for other in all_jobs()
                  if place(other["number"]) < place(number)):
        if read(number)["state"] == "F":
            return
        time.sleep(0.05)
    job = read(number)
    hosts = FOLDER / f"{number}.nodes"
    hosts.write_text("".join("localhost\n" for _ in range(job["count"] * job["processes"])))
    environment = dict(os.environ, PBS_JOBID=f"{number}.standin", PBS_O_WORKDIR=job["cwd"],
                       PBS_NODEFILE=str(hosts), PBS_ENVIRONMENT="PBS_BATCH")
    if "[" in number:
        environment["PBS_ARRAY_INDEX"] = str(place(number)[1])
    with open(FOLDER / f"{number}.OU", "wb") as spool:
        process = subprocess.Popen(["/bin/sh", job["script"]], cwd=os.environ.get("HOME", "/"),
                                   env=environment, start_new_session=True, stdout=spool,
                                   stderr=spool, stdin=subprocess.DEVNULL)
        job.update(state="R", began=time.time(), group=process.pid)
        write(job)
        limit = seconds(job["walltime"])
        while process.poll() is None:
            now = read(number)
            if "killed" not in now and time.time() - job["began"] > limit:
                kill(now)
            elif now.get("killed", time.time()) < time.time() - 10:
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.05)
    code = process.returncode
    end(read(number), 256 - code if code < 0 else code)


def kill(job):
    job["killed"] = time.time()
    write(job)
    os.killpg(job["group"], signal.SIGTERM)


def qdel(words):
    for number in words:
        job = read(number)
        if job["state"] == "F":
            print(f"qdel: Job has finished {number}.standin", file=sys.stderr)
            sys.exit(35)
        if job["state"] == "R":
            kill(job)
        else:
            end(job, None)


def describe(job):
    """States the job as PBS does: of one job of an array that others go on with only that it is over."""
    number, state = job["number"], job["state"]
    if state == "F" and "[" in number and any(each["state"] != "F" for each in of_array(number)):
        print(f"Job Id: {number}.standin\n    Job_Name = {job['name']}\n    job_state = X\n")
        return
    print(f"Job Id: {number}.standin")
    used = int(job.get("ended", time.time()) - job["began"]) if "began" in job else None
    attributes = [("Job_Name", job.get("name", "STDIN")), ("job_state", "H" if job["held"] else job["state"]),
                  ("queue", job["queue"]), ("Resource_List.walltime",
                                            hours(seconds(job["walltime"])))]
    if used is not None:
        attributes += [("resources_used.walltime", hours(used)),
                       ("exec_host", "+".join(f"n{i + 1}/0*{job['processes']}"
                                              for i in range(job["count"])))]
    if job["state"] == "Q":
        attributes += [("comment", "Not Running: Insufficient amount of resource: ncpus (R: 8 A: 0 "
                                   "T: 8)")]
    if job.get("exit") is not None:
        attributes += [("Exit_status", job["exit"])]
    for name, value in attributes:
        line = f"    {name} = {value}"
        while len(line) > 79:  # as PBS folds its lines
            print(line[:79])
            line = "\t" + line[79:]
        print(line)
    print()


def qselect(_words):
    if (FOLDER / "down").exists():
        print("qselect: cannot connect to server standin (errno=111)", file=sys.stderr)
        sys.exit(111)
    active = (job["number"] for job in all_jobs() if job["state"] != "F")
    for name in dict.fromkeys(f"{number.split('[')[0]}[]" if "[" in number else number
                              for number in active):
        print(f"{name}.standin")


def qstat(words):
    if (FOLDER / "down").exists():
        print("qstat: cannot connect to server standin (errno=111)", file=sys.stderr)
        sys.exit(111)
    if "--version" in words:
        print("pbs_version = 23.06.06 (stand-in)")
        return
    if "-Qf" in words:
        queue = words[-1] if words[-1] in QUEUES else None
        if queue is None and not words[-1].startswith("-"):
            print("qstat: Unknown queue", words[-1], file=sys.stderr)
            sys.exit(170)
        for name in QUEUES:
            print(f"Queue: {name}\n    enabled = True\n    started = True\n")
        return
    code = 0
    for word in words:
        if word.startswith("-"):
            continue
        number = word.split(".")[0]
        if number.endswith("[]"):
            describe({**of_array(number)[0], "number": number, "state": "B"})
            if "-t" in words:
                for each in of_array(number):
                    describe(each)
            continue
        try:
            job = read(number)
        except OSError:
            print(f"qstat: Unknown Job Id {word}.standin", file=sys.stderr)
            code = 153
            continue
        is_alone = all(each["state"] == "F" for each in of_array(number))
        if job["state"] == "F" and is_alone and "-x" not in words:
            print(f"qstat: {word}.standin Job has finished, use -x or -H to obtain historical job "
                  "information", file=sys.stderr)
            code = 35
            continue
        describe(job)
    sys.exit(code)


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run(sys.argv[2])
    else:
        {"qsub": qsub, "qstat": qstat, "qdel": qdel, "qselect": qselect}[pathlib.Path(sys.argv[0]).name](sys.argv[1:])
