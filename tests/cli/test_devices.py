"""GPUs are listed and measured where there are any; without one the program says why and goes on."""

import unittest

from support import GantryTest


class Devices(GantryTest):
    def test_the_cpu_is_always_there(self):
        told = self.document("devices")
        self.assertTrue(told["cpu"]["name"].startswith("CPU"))
        self.assertGreaterEqual(told["cpu"]["threads"], 1)
        shown = self.succeed("devices")
        self.assertIn(f"{told['cpu']['name']}, {told['cpu']['threads']} threads", shown)
        if told["devices"]:
            self.assertNotIn("whyNoGpu", told)
        else:
            self.assertIn("No GPU: " + told["whyNoGpu"], shown)

    def test_devices_are_told_apart(self):
        told = self.document("devices")
        if not told["devices"]:
            self.skipTest(told["whyNoGpu"])
        self.assertEqual(len({d["uuid"] for d in told["devices"]}), len(told["devices"]))
        for device in told["devices"]:
            self.assertGreater(device["memoryBytes"], 0)
            self.assertLessEqual(device["freeBytes"], device["memoryBytes"])
            self.assertIn(f"{device['number']}: {device['name']}", self.succeed("devices"))

    def test_bench_kernels_needs_a_gpu(self):
        told = self.document("devices")
        if told["devices"]:
            self.skipTest("there is one")
        for words in ([], ["--only", "512-1k"], ["--json", "--quick"]):
            self.fail_with(2, ["needs a GPU", told["whyNoGpu"]], "bench", "kernels",
                           *words)

    def test_bench_kernels(self):
        told = self.document("devices")
        if not told["devices"]:
            self.skipTest(told["whyNoGpu"])
        self.fail_with(2, ["--only", "teapot", "512-128", "mirror-texture"], "bench", "kernels",
                       "--only", "teapot")
        self.fail_with(2, ["GPU 99"], "bench", "kernels", "--device", 99)
        self.fail_with(2, ["--views", "-1"], "bench", "kernels", "--views=-1")
        told = self.document("bench", "kernels", "--quick", "--only", "512-128", "--views", 64)
        self.assertEqual([p["problem"] for p in told["problems"]], ["512-128"])
        kernels = told["problems"][0]["kernels"]
        self.assertIn("tile", [k["kernel"] for k in kernels])
        for kernel in kernels:
            with self.subTest(kernel=kernel["kernel"]):
                self.assertEqual(kernel["views"], 64)
                self.assertGreater(kernel["gups"], 0)
                # 24 bits of a float and some sums, or the 8 bits of a texture's fractions.
                allowed = (1e-5, 1e-4) if kernel["precision"] == "exact" else (1e-3, 2e-2)
                self.assertLess(kernel["uniformRelativeRmse"], allowed[0])
                self.assertLess(kernel["noiseRelativeRmse"], allowed[1])

    def test_bench_machine_has_a_row_for_each_gpu(self):
        devices = self.document("devices")["devices"]
        told = self.document("bench", "machine", "--quick", "--folder", self.folder)
        self.assertEqual([d["name"] for d in told["devices"]], [d["name"] for d in devices])
        for device in told["devices"]:
            for rate in ("uploadBytesPerSecond", "downloadBytesPerSecond", "updatesPerSecond"):
                self.assertGreater(device[rate], 0)
            self.assertNotEqual(device["exact"]["kernel"], "mirror-texture")
        shown = self.succeed("bench", "machine", "--quick", "--folder", self.folder)
        self.assertEqual(shown.count("\nGPU "), len(devices))
        self.assertEqual(shown.count("\nNo GPU: "), 0 if devices else 1)

    def test_bench_preview(self):
        devices = self.document("devices")["devices"]
        told = self.document("bench", "preview", "--quick")
        self.assertGreater(told["medianSeconds"], 0)
        self.assertLessEqual(told["medianSeconds"], told["slowestSeconds"])
        self.assertEqual(told["device"], devices[0]["name"] if devices else None)
        # A GPU's texture blends with fractions of 8 bits; the CPU is compared with itself.
        self.assertLess(told["relativeRmse"], 1e-3 if devices else 1e-12)

    def test_help(self):
        shown = self.succeed("bench", "kernels", "--help")
        for word in ("--only", "--views", "--quick", "--device", "--json"):
            self.assertIn(word, shown)


if __name__ == "__main__":
    unittest.main()
