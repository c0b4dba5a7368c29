"""GPUs are listed and measured where there are any; without one the program says why and goes on."""

import unittest

from support import GantryTest


class Devices(GantryTest):
    def test_the_cpu_is_always_there(self):
        document = self.document("devices")
        self.assertTrue(document["cpu"]["name"].startswith("CPU"))
        self.assertGreaterEqual(document["cpu"]["threads"], 1)
        shown = self.succeed("devices")
        self.assertIn(f"{document['cpu']['name']}, {document['cpu']['threads']} threads", shown)
        if document["devices"]:
            self.assertNotIn("whyNoGpu", document)
        else:
            self.assertIn("No GPU: " + document["whyNoGpu"], shown)

    def test_devices_are_told_apart(self):
        document = self.document("devices")
        if not document["devices"]:
            self.skipTest(document["whyNoGpu"])
        self.assertEqual(len({d["uuid"] for d in document["devices"]}), len(document["devices"]))
        for device in document["devices"]:
            self.assertGreater(device["memoryBytes"], 0)
            self.assertLessEqual(device["freeBytes"], device["memoryBytes"])
            self.assertIn(f"{device['number']}: {device['name']}", self.succeed("devices"))

    def test_bench_kernels_needs_a_gpu(self):
        document = self.document("devices")
        if document["devices"]:
            self.skipTest("there is one")
        for words in ([], ["--only", "512-1k"], ["--json", "--quick"]):
            self.fail_with(2, ["needs a GPU", document["whyNoGpu"]], "bench", "kernels",
                           *words)

    def test_bench_kernels(self):
        document = self.document("devices")
        if not document["devices"]:
            self.skipTest(document["whyNoGpu"])
        self.fail_with(2, ["--only", "teapot", "512-128", "mirror-texture"], "bench", "kernels",
                       "--only", "teapot")
        self.fail_with(2, ["GPU 99"], "bench", "kernels", "--device", 99)
        self.fail_with(2, ["--views", "-1"], "bench", "kernels", "--views=-1")
        document = self.document("bench", "kernels", "--quick", "--only", "512-128", "--views", 64)
        self.assertEqual([p["problem"] for p in document["problems"]], ["512-128"])
        kernels = document["problems"][0]["kernels"]
        self.assertIn("tile", [k["kernel"] for k in kernels])
        for kernel in kernels:
            with self.subTest(kernel=kernel["kernel"]):
                self.assertEqual(kernel["views"], 64)
                self.assertGreater(kernel["gups"], 0)
                # 24 bits of a float and some sums, or the 8 bits of a texture's fractions.
                allowed = (1e-5, 1e-4) if kernel["precision"] == "exact" else (1e-3, 2e-2)
                self.assertLess(kernel["uniformRelativeRmse"], allowed[0])
                self.assertLess(kernel["noiseRelativeRmse"], allowed[1])

    def test_bench_kernels_for_parallel_beams(self):
        document = self.document("devices")
        if not document["devices"]:
            self.skipTest(document["whyNoGpu"])
        document = self.document("bench", "kernels", "--parallel", "--quick", "--views", 64,
                                 "--only", "parallel-512-512", "--only", "parallel-stack",
                                 "--only", "parallel-half")
        exact, half = document["problems"][0]["kernels"]
        self.assertEqual((exact["precision"], half["precision"]), ("exact", "fast"))
        self.assertLess(exact["uniformRelativeRmse"], 1e-6)
        self.assertLess(exact["noiseRelativeRmse"], 1e-5)
        self.assertLess(half["noiseRelativeRmse"], 2e-3)  # 11 bits

    def test_bench_machine_has_a_row_for_each_gpu(self):
        devices = self.document("devices")["devices"]
        document = self.document("bench", "machine", "--quick", "--folder", self.folder)
        self.assertEqual([d["name"] for d in document["devices"]], [d["name"] for d in devices])
        for device in document["devices"]:
            for rate in ("uploadBytesPerSecond", "downloadBytesPerSecond", "updatesPerSecond"):
                self.assertGreater(device[rate], 0)
            self.assertNotEqual(device["exact"]["kernel"], "mirror-texture")
        shown = self.succeed("bench", "machine", "--quick", "--folder", self.folder)
        self.assertEqual(shown.count("\nGPU "), len(devices))
        self.assertEqual(shown.count("\nNo GPU: "), 0 if devices else 1)

    def test_bench_preview(self):
        devices = self.document("devices")["devices"]
        document = self.document("bench", "preview", "--quick")
        self.assertGreater(document["medianSeconds"], 0)
        self.assertLessEqual(document["medianSeconds"], document["slowestSeconds"])
        self.assertEqual(document["device"], devices[0]["name"] if devices else None)
        # Texture hardware blends with 8 bits; the CPU adds in single precision.
        self.assertLess(document["relativeRmse"], 1e-3 if devices else 1e-6)
        live = document["live"]
        self.assertEqual(live["binning"], 1)
        for change in ("crosshair", "centreFirst", "centre", "filter"):
            self.assertGreater(live[change]["medianSeconds"], 0)
            self.assertLessEqual(live[change]["medianSeconds"], live[change]["slowestSeconds"])
        self.assertLessEqual(live["centreFirst"]["medianSeconds"], live["centre"]["medianSeconds"])

    def test_bench_projector(self):
        devices = self.document("devices")["devices"]
        document = self.document("bench", "projector", "--quick")
        if devices:
            self.assertEqual(document["device"], devices[0]["name"])
        problem, = document["problems"]
        for figure in ("forwardSamplesPerSecond", "adjointSamplesPerSecond", "adjointGups"):
            self.assertGreater(problem[figure], 0)
        shown = self.succeed("bench", "projector", "--quick", "--cpu")
        self.assertIn(problem["problem"], shown)
        self.assertIn("G samples/s", shown)

    def test_help(self):
        shown = self.succeed("bench", "kernels", "--help")
        for word in ("--only", "--views", "--quick", "--device", "--json"):
            self.assertIn(word, shown)


if __name__ == "__main__":
    unittest.main()
