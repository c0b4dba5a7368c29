"""The bundle that carries the tests of GPUs to a machine with nothing but a driver: it starts there."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["GANTRY_BUILD"])
SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "packaging/test-gpu.sh"
MAX_BYTES = 50_000_000


class GpuBundle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="gantry-gpu-bundle-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        done = subprocess.run(["sh", SCRIPT, cls.folder / "carried", "--pack"], text=True,
                              capture_output=True, timeout=280,
                              env={**os.environ, "GANTRY_BUILD": str(BUILD)})
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.there = cls.folder / "unpacked"
        cls.there.mkdir()
        subprocess.run(["tar", "xJf", cls.folder / "carried/gantry-gpu.tar.xz", "-C", cls.there],
                       check=True)

    # Without anything of this shell.
    def run_there(self, *words):
        environment = {"LD_LIBRARY_PATH": str(self.there / "lib"), "PATH": "/usr/bin:/bin",
                       "OPAL_PREFIX": str(self.there / "mpi"),
                       "QT_PLUGIN_PATH": str(self.there / "plugins")}
        done = subprocess.run([str(word) for word in words], env=environment, cwd=self.there,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def programs(self):
        return [self.there / "bin/gantry", *sorted((self.there / "tests").iterdir())]

    def test_it_can_be_carried(self):
        carried = self.folder / "carried"
        self.assertEqual(sorted(f.name for f in carried.iterdir()), ["gantry-gpu.tar.xz", "run.sh"])
        self.assertLess(sum(f.stat().st_size for f in carried.iterdir()), MAX_BYTES)

    def test_its_programs_start(self):
        self.assertIn("CPU", self.run_there(self.there / "bin/gantry", "devices"))
        tests = self.programs()[1:]
        self.assertIn("gantry_test_gpu_engine", [test.name for test in tests])
        for test in tests:
            self.assertIn(".", self.run_there(test, "--gtest_list_tests"))

    def test_it_needs_no_library_but_those_of_the_c_library(self):
        for program in self.programs():
            for line in self.run_there("ldd", program).splitlines():
                name = line.split()[0].rsplit("/", 1)[-1]
                if re.match(r"(libc|libm|libpthread|libdl|librt|ld-linux.*|linux-vdso)\.so", name):
                    continue
                self.assertIn(f"=> {self.there}/lib/", line)

    def test_ranks_start(self):
        launcher = self.there / "mpi/bin/mpirun"
        if not launcher.exists():
            self.skipTest("this build has no Open MPI")
        shown = self.run_there(launcher, "--allow-run-as-root", "--oversubscribe", "-n", 2, "echo",
                               "a rank")
        self.assertEqual(shown.count("a rank"), 2)

    def test_it_has_the_commands_of_the_manual(self):
        commands = (self.there / "commands").read_text().splitlines()
        self.assertEqual(len(commands), len(set(commands)))
        # What makes the scan comes before what reads it.
        self.assertRegex(commands[0], "^gantry simulate .*--out scan/$")
        self.assertIn("gantry reconstruct scan/scan.json --voxels 256 --out volume.mha", commands)
        self.assertIn("gantry devices", commands)
        # All that use a GPU where there is one, but for the desktop's own.
        self.assertLessEqual({"align", "bench", "montage", "plan", "project", "reconstruct", "verify",
                              "worker"}, {command.split()[1] for command in commands})
        for command in commands:
            self.assertRegex(command, "^gantry [a-z]+")
            self.assertNotRegex(command, "--host|--engine cpu|[`#…]")

    # What run.sh assigns to the variable, which it makes from what the program prints.
    def list_of(self, variable):
        script = (self.folder / "carried/run.sh").read_text()
        expression, = re.findall(rf"(?m)^{variable}=\$\(.*\)$", script)
        return self.run_there("sh", "-c", f'PATH=bin:$PATH; {expression}; echo "${variable}"').split()

    def test_a_job_runs_through_each_kernel_of_gpus(self):
        kernels = self.list_of("kernels")
        self.assertLessEqual({"tile", "tile-poses", "standard", "mirror-texture", "parallel-stack",
                              "parallel-half"}, set(kernels))
        self.assertEqual(set(kernels) & {"auto", "reference", "general", "stack", "columns"}, set())

    def test_every_bench_runs(self):
        self.assertLessEqual({"machine", "kernels", "preview", "desktop"},
                             set(self.list_of("benches")))

    def test_what_runs_the_small_problems_names_tests_that_exist(self):
        chosen, _, left_out = (self.there / "small-problems").read_text().strip().partition("-")
        program = self.there / "tests/gantry_test_gpu_engine"
        for pattern in chosen.split(":") + left_out.split(":"):
            with self.subTest(pattern=pattern):
                # Names of tests stand indented below those of their suites.
                self.assertRegex(self.run_there(program, "--gtest_list_tests",
                                                f"--gtest_filter={pattern}"), "(?m)^  [A-Za-z]")


if __name__ == "__main__":
    unittest.main()
