"""Which engine and kernel a reconstruction takes, and what its job and result say of it."""

import json
import unittest

from support import GantryTest


class Engine(GantryTest):
    def made(self, *words):
        """The result of a reconstruction, and its request as the job keeps it."""
        result = self.document("reconstruct", self.scan, "--voxels", 24, *words, cwd=self.folder)
        return result, json.loads((self.folder / "volume.mha.job/job.json").read_text())

    def test_a_kernel_of_the_cpu_brings_the_cpu(self):
        for kernel in ("columns", "reference"):
            with self.subTest(kernel=kernel):
                result, job = self.made("--kernel", kernel)
                self.assertEqual((job["engine"], job["cpuKernel"]), ("cpu", kernel))
                self.assertTrue(result["engine"].startswith("CPU"))
                self.assertTrue(result["engine"].endswith(f", kernel {kernel}"))

    def test_the_kernel_that_a_job_takes_by_itself_is_named(self):
        scans = {"columns": self.scan,
                 "stack": self.simulate("--beam", "parallel", "--views", 24, "--detector", "41x32",
                                        out=self.folder / "parallel")}
        for kernel, scan in scans.items():
            with self.subTest(kernel=kernel):
                words = (scan, "--voxels", 24, "--engine", "cpu")
                plan = self.document("plan", *words, cwd=self.folder)
                self.assertTrue(plan["engine"].endswith(f", kernel {kernel}"))
                self.assertIn(f", kernel {kernel}", self.succeed("plan", *words, cwd=self.folder))
                result = self.document("reconstruct", *words, cwd=self.folder)
                self.assertEqual(result["engine"], plan["engine"])
                job = self.folder / "volume.mha.job"
                for file in ("events.jsonl", "report.html"):
                    self.assertIn(plan["engine"], (job / file).read_text())

    def test_wishes_for_gpus_that_leave_the_cpu_free_are_kept(self):
        result, job = self.made("--precision", "fast", "--filter-on", "cpu", "--device-memory",
                                "2G")
        self.assertEqual((job["engine"], job["gpuKernel"], job["devices"]), ("auto", "auto", []))
        self.assertEqual((job["precision"], job["filterOn"]), ("fast", "cpu"))
        self.assertEqual(job["deviceMemoryBytes"], 2_000_000_000)
        self.assertTrue(result["engine"])

    def test_a_job_from_before_there_were_gpus_runs(self):
        self.made("--engine", "cpu")
        path = self.folder / "volume.mha.job/job.json"
        job = json.loads(path.read_text())
        for field in ("gpuKernel", "precision", "filterOn", "devices", "deviceMemoryBytes"):
            del job[field]
        path.write_text(json.dumps(job))
        result = self.document("worker", "volume.mha.job", cwd=self.folder)
        self.assertIn("CPU", result["engine"])

    def test_a_run_may_take_another_engine_than_its_job_says(self):
        self.made("--precision", "fast", "--device-memory", "2G")
        path = self.folder / "volume.mha.job/job.json"
        request = path.read_text()
        result = self.document("worker", "volume.mha.job", "--engine", "cpu", "--memory", "2G",
                               cwd=self.folder)
        self.assertIn("CPU", result["engine"])
        self.assertEqual(path.read_text(), request)
        self.fail_with(2, ["--device-memory"], "worker", "volume.mha.job", "--engine", "cpu",
                       "--device-memory", "1G", cwd=self.folder)
        self.fail_with(1, ["--memory"], "worker", "volume.mha.job", "--engine", "cpu",
                       "--memory", "1M", cwd=self.folder)

    def test_the_cpu_refuses_what_only_gpus_do(self):
        for words, said in ((["--precision", "fast"], "--precision"),
                            (["--device-memory", "2G"], "--device-memory")):
            self.fail_with(2, [said, "needs a GPU"], "reconstruct", self.scan, "--engine", "cpu",
                           *words, cwd=self.folder)

    def test_help_states_the_error_of_fast(self):
        text = " ".join(self.succeed("reconstruct", "--help").split())
        for part in ("1e-4", "4e-3", "mirror-texture", "--device-memory"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
