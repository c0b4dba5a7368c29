#include "core/machine/storage_speeds.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/machine/measure.h"
#include "core/plan/plan_forecast.h"
#include "core/work/volume_store.h"
#include "tests/support/cpu_device.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TimelineSpan stored(double begin, double end, Index bytes) {
    TimelineSpan span;
    span.stage = Stage::store;
    span.beginNs = static_cast<std::int64_t>(1e9 * begin);
    span.endNs = static_cast<std::int64_t>(1e9 * end);
    span.bytes = bytes;
    return span;
}

TEST(StorageRateOf, CountsTheTimeInWhichSomeThreadStored) {
    // Two threads, of which one waits for the other, and a pause. What is scaled at the end is
    // none of the slices.
    std::vector<TimelineSpan> spans = {stored(2, 3, 300), stored(0, 1, 300), stored(0.5, 1.5, 200),
                                       stored(2.2, 2.4, 200), stored(3, 3.5, 0)};
    TimelineSpan other = stored(0, 100, 5000);
    other.stage = Stage::download;
    spans.push_back(other);
    // Half of 500 voxels were stored as floats, in 3 s; as 16-bit integers they take 1000 bytes.
    const auto rate = storageRateOf(spans, 1000, 500);
    ASSERT_TRUE(rate);
    EXPECT_DOUBLE_EQ(*rate, 0.5 * 1000 / 3);
}

TEST(StorageRateOf, ShortRunsTellNothing) {
    EXPECT_FALSE(storageRateOf(std::vector<TimelineSpan>{}, 1000, 500));
    EXPECT_FALSE(storageRateOf(std::vector{stored(0, 0.001, 2000)}, 1000, 500));
}

TEST(StorageSpeeds, AreOfADiskAndAKindOfVolume) {
    const test::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "a" / "b");
    const auto file = folder / "cache" / "storage.json";
    StorageSpeeds(file).keep(folder / "a", "raw float32", 2e9);
    StorageSpeeds(file).keep(folder / "a", "raw uint16", 1e9);
    StorageSpeeds(file).keep(folder / "a", "raw float32", 3e9);
    // Another folder of the same disk.
    const std::map<std::string, double> both = {{"raw float32", 3e9}, {"raw uint16", 1e9}};
    EXPECT_EQ(StorageSpeeds(file).on(folder / "a" / "b"), both);
    EXPECT_TRUE(StorageSpeeds(file).on("/proc").empty());
    EXPECT_TRUE(StorageSpeeds({}).on(folder / "a").empty());
}

// A job is forecast by what one before has told, where it is like it.
TEST(StorageSpeeds, AJobTellsTheNextOne) {
    const test::TemporaryFolder folder;
    Backends backends = test::backends();
    backends.storageSpeeds = folder / "storage.json";
    const ScanFile file = test::simulated(test::smallScan(24, 48, 40, 410), folder / "scan");
    JobSpec spec = test::jobOf(file, 160, folder / "v.mha");
    const auto rate = [&] {
        const OpenScan scan = openScan(file);
        const PlannedRun planned =
            learnAndPlan(scan, spec, backends, sinkNeedsOf(spec), Purpose::forecast);
        const Machine machine = machineOf(backends);
        const SinkNeeds sink = sinkNeedsOf(spec);
        const PlanInputs inputs = {scan, spec, machine, planned.facts, sink};
        return ratesOf(inputs, planned.plan).storeBytes;
    };
    const OpenScan scan = openScan(file);
    const SinkNeeds sink = sinkNeedsOf(spec);
    const PlannedRun planned = learnAndPlan(scan, spec, backends, sink);
    const Index floatBytes = spec.volume.count() * Index{sizeof(float)};
    keepSpeeds(planned, scan, spec, sink, std::vector{stored(0, 2, floatBytes)}, backends);
    const double told = static_cast<double>(sink.outputBytes) / 2;
    EXPECT_DOUBLE_EQ(rate(), told);
    spec.volume.pitchMm[0] *= 1.1;
    EXPECT_DOUBLE_EQ(rate(), told);
    spec.output.type = PixelType::uint8;
    EXPECT_NE(rate(), told);
}

}  // namespace
}  // namespace gantry
