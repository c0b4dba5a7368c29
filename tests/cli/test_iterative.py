"""Iterative methods: iterations are told, killed jobs resume to the same volume, jobs end early."""

import json
import signal
import time
import unittest

from iterative_jobs import IterativeTest
from support import start

SMALL = ["--voxels", "21x23x17", "--threads", 2]
LONG = ["--iterations", 100000]
# Some ten milliseconds an iteration: it can be killed in between.
SLOW = ["--voxels", 40, "--threads", 1]
METHODS = ("sirt", "os-sart", "cgls", "tv")


class Iterative(IterativeTest):
    SCAN = ["--views", 24, "--noise", 20000]

    def test_every_method_tells_its_iterations(self):
        for method in METHODS:
            with self.subTest(method=method):
                out = f"{method}.mha"
                done = self.document("reconstruct", self.scan, *SMALL, "--method", method,
                                     "--iterations", 4, "--out", out, cwd=self.folder)
                self.assertEqual([one["iteration"] for one in done["iterations"]], [1, 2, 3, 4])
                residuals = [one["residual"] for one in done["iterations"]]
                self.assertLess(residuals[3], residuals[0])
                self.assertIn("Ended after iteration 4, the last one", " ".join(done["notes"]))
                told = self.events(out + ".job", "iteration")
                self.assertEqual([one["residual"] for one in told], residuals)
                last = self.events(out + ".job", "progress")[-1]
                self.assertEqual((last["iteration"], last["fraction"]), (4, 1))
                record = json.loads((self.folder / f"{out}.provenance.json").read_text())
                self.assertEqual(record["request"]["method"]["name"], method)
                self.assertEqual([one["residual"] for one in record["iterations"]], residuals)
                self.assertTrue((self.folder / f"{out}.job/preview.mha").exists())
                self.assertFalse((self.folder / f"{out}.job/iterations.bin").exists())

    def test_few_views_are_better_than_by_fdk(self):
        phantom = ["--phantom-scale-mm", 65]
        few = self.simulate("--views", 24, "--noise", 20000, *phantom,
                            out=self.folder / "few").parent
        errors = {}
        for method in ("fdk", "sirt", "tv"):
            words = ["--window", "hann"] if method == "fdk" else ["--method", method]
            out = self.folder / f"{method}.mha"
            self.succeed("reconstruct", few, "--voxels", 32, *words, "--out", out)
            errors[method] = self.document("compare", out, "--phantom", "shepp-logan",
                                           *phantom)["rmse"]
        # In finer volumes of more pixels the gain is 7 dB and more.
        self.assertLess(errors["sirt"], 0.8 * errors["fdk"])
        self.assertLess(errors["tv"], 0.8 * errors["fdk"])

    def test_killed_job_resumes_to_the_same_volume(self):
        for method in METHODS:
            with self.subTest(method=method):
                words = ["reconstruct", self.scan, *SLOW, "--method", method, "--iterations",
                         80 if method == "cgls" else 40]
                self.succeed(*words, "--out", f"{method}-whole.mha", cwd=self.folder)
                out = f"{method}.mha"
                process = start(*words, "--out", out, cwd=self.folder)
                state = self.folder / f"{out}.job/iterations.bin"
                self.wait_for(process, state.exists)
                process.kill()
                process.communicate()
                self.assertFalse((self.folder / out).exists())
                kept = json.loads(state.read_bytes().split(b"\n")[0])["iteration"]
                self.assertGreaterEqual(kept, 1)
                done = self.document("worker", f"{out}.job", cwd=self.folder)
                self.assertEqual([one["iteration"] for one in done["iterations"]],
                                 list(range(1, len(done["iterations"]) + 1)))
                log = self.events(f"{out}.job", "log")
                self.assertTrue(any("Continues after iteration" in one["text"] for one in log))
                self.assertEqual((self.folder / out).read_bytes(),
                                 (self.folder / f"{method}-whole.mha").read_bytes())
                self.assertFalse(state.exists())
                self.assertEqual([p.name for p in self.folder.iterdir() if p.suffix == ".part"],
                                 [])

    def test_going_on_from_a_volume_is_as_going_on(self):
        words = ["reconstruct", self.scan, *SMALL, "--method", "sirt", "--no-acceleration"]
        self.succeed(*words, "--iterations", 5, "--out", "five.mha", cwd=self.folder)
        self.succeed(*words, "--iterations", 2, "--out", "two.mha", cwd=self.folder)
        self.succeed(*words, "--iterations", 3, "--start", "two.mha", "--out", "more.mha",
                     cwd=self.folder)
        self.assertEqual((self.folder / "more.mha").read_bytes(),
                         (self.folder / "five.mha").read_bytes())
        self.fail_with(2, ["two.mha", "read"], *words, "--start", "two.mha", "--out", "two.mha",
                       cwd=self.folder)
        self.fail_with(2, ["two.mha has 21 × 23 × 17 voxels"], "reconstruct", self.scan,
                       "--voxels", 16, "--method", "sirt", "--start", "two.mha", "--out", "x.mha",
                       cwd=self.folder)

    def test_stopped_job_keeps_its_volume(self):
        process = self.begin(*SMALL, "--method", "os-sart", *LONG)
        self.wait_for(process, self.has_iterated)
        self.assertIn("keeps its volume", self.succeed("stop", "v.mha", cwd=self.folder))
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, said)
        self.assertTrue((self.folder / "v.mha").exists())
        record = json.loads((self.folder / "v.mha.provenance.json").read_text())
        self.assertIn("as it was asked to", " ".join(record["notes"]))
        self.assertEqual(len(record["iterations"]), len(self.events("v.mha.job", "iteration")))

    def test_interrupted_job_leaves_no_volume(self):
        process = self.begin(*SMALL, "--method", "sirt", *LONG)
        self.wait_for(process, self.has_iterated)
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertLess(time.monotonic() - begin, 10)  # a busy machine lets processes wait
        self.assertEqual([path.name for path in self.folder.iterdir()], ["v.mha.job"])

    def test_ends_by_change(self):
        done = self.document("reconstruct", self.scan, *SMALL, "--method", "sirt", "--stop-change",
                             0.05, *LONG, "--out", "v.mha", cwd=self.folder)
        self.assertLess(done["iterations"][-1]["change"], 0.05)
        self.assertIn("which changed the volume by", " ".join(done["notes"]))

    def test_bounds_and_mask_hold(self):
        self.succeed("reconstruct", self.scan, *SMALL, "--method", "sirt", "--iterations", 2,
                     "--upper-bound", 0.02, "--mask", "cylinder", "--out", "v.mha",
                     cwd=self.folder)
        found = self.document("reconstruct", self.scan, *SMALL, "--method", "sirt", "--iterations",
                              2, "--upper-bound", 0.02, "--mask", "v.mha", "--out", "w.mha",
                              cwd=self.folder)
        self.assertEqual(found["smallest"], 0)
        self.assertLessEqual(found["largest"], 0.0200001)

    def test_a_region_has_its_own_level(self):
        box = ["--voxels", "12x12x8", "--pitch-mm", 2, "--center-mm", "5,3,2"]
        whole = self.folder / "whole"
        self.simulate("--phantom", "cylinders", "--views", 48, "--kind", "attenuation", out=whole)
        means = {}
        for name, words in (("alone", []), ("region", ["--region"])):
            out = self.folder / f"{name}.mha"
            self.succeed("reconstruct", whole, *box, "--method", "sirt", *words, "--out", out)
            means[name] = self.document("compare", out, "--phantom", "cylinders")["rmse"]
        self.assertLess(means["region"], 0.2 * means["alone"])

    def test_plan_counts_memory_and_time(self):
        plan = self.document("plan", self.scan, *SMALL, "--method", "cgls")
        self.assertIn("CGLS", plan["engine"])
        self.assertGreater(plan["forecastSeconds"]["project"], 0)
        fdk = self.document("plan", self.scan, *SMALL)
        views = 24 * 63 * 49 * 4
        self.assertGreater(plan["memoryBytes"] - fdk["memoryBytes"], 4 * views)

    def test_wrong_requests_are_refused(self):
        asked = ["reconstruct", self.scan, *SMALL, "--out", self.folder / "v.mha"]
        for parts, words in (
                (["--iterations has no effect with --method fdk"], ["--iterations", 5]),
                (["--subset-views has no effect with --method sirt"],
                 ["--method", "sirt", "--subset-views", 5]),
                (["--no-acceleration has no effect with --method os-sart"],
                 ["--method", "os-sart", "--no-acceleration"]),
                (["method.relaxation", "is 2.5", "below 2"],
                 ["--method", "sirt", "--relaxation", 2.5]),
                (["--method is 'art'", "sirt"], ["--method", "art"]),
                (["SIRT has one projector", "--precision"],
                 ["--method", "sirt", "--precision", "fast"]),
                (["missing.mha"], ["--method", "sirt", "--start", "missing.mha"])):
            with self.subTest(words=words):
                self.fail_with(2, parts, *asked, *words)
        self.fail_with(1, ["SIRT of 21 × 23 × 17 voxels", "--memory"], *asked, "--method", "sirt",
                       "--memory", "20M")
        self.assertFalse((self.folder / "v.mha").exists())
        self.succeed(*asked)
        self.fail_with(2, ["a job by FDK"], "stop", self.folder / "v.mha")


if __name__ == "__main__":
    unittest.main()
