#include "core/work/job_forecast.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "core/io/volume/open_sink.h"
#include "core/job/forecast_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::simulated;
using test::smallScan;
using test::TemporaryFolder;

JobForecast predicted(const OpenScan& scan, const JobSpec& spec, const Facts& facts = {}) {
    return forecastJob(scan, spec, test::machine(), facts);
}

TEST(JobForecast, IsOnlyComputed) {
    const TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(24, 48, 40, 410), folder / "scan");
    const OpenScan scan = openScan(file);
    JobSpec spec = test::jobOf(file, 64, folder / "volume.mha");
    const JobForecast unknown = predicted(scan, spec);
    EXPECT_FALSE(unknown.isComplete());
    EXPECT_EQ(unknown.seconds.backproject, 0);
    EXPECT_EQ(unknown.plan.slabs.size(), 1U);
    EXPECT_GT(unknown.plan.hostBytes, 0);

    Facts facts;
    learn(facts, scan, spec, sinkNeedsOf(spec), test::machine(), test::backends(),
          Purpose::forecast, {}, {});
    const JobForecast known = predicted(scan, spec, facts);
    EXPECT_TRUE(known.isComplete());
    EXPECT_EQ(engineName(known.plan), "CPU, kernel columns");
    EXPECT_DOUBLE_EQ(known.seconds.backproject,
                     static_cast<double>(spec.volume.count() * 24) / known.rates.updates);
    EXPECT_GE(known.seconds.wall, known.seconds.backproject);
    EXPECT_GE(known.outputBytes, spec.volume.count() * Index{sizeof(float)});
    EXPECT_GT(known.freeDiskBytes, 0);
    // Another volume of the same scan asks nothing new; other threads, kernels and disks do.
    spec.volume = fitGrid(file.geometry, 31);
    EXPECT_TRUE(predicted(scan, spec, facts).isComplete());
    JobSpec other = spec;
    other.threads = 1;
    EXPECT_FALSE(predicted(scan, other, facts).isComplete());
    other = spec;
    other.cpuKernel = kReferenceKernel;
    EXPECT_FALSE(predicted(scan, other, facts).isComplete());
    other = spec;
    other.output.path = folder / "scan" / "volume.mha";
    EXPECT_FALSE(predicted(scan, other, facts).isComplete());
}

TEST(JobForecast, WhatCannotRunIsRefusedWithWhatToChange) {
    const TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(24, 48, 40, 410), folder / "scan");
    const OpenScan scan = openScan(file);
    const JobSpec good = test::jobOf(file, 32, folder / "volume.mha");
    const auto of = [&](const JobSpec& spec) { return predicted(scan, spec); };
    JobSpec spec = good;
    spec.engine = Engine::gpu;
    EXPECT_ERROR((void)of(spec), InputError, "Use --engine cpu");
    spec = good;
    spec.memoryBytes = 1'000'000;
    EXPECT_ERROR((void)of(spec), ResourceError, "--memory");
    spec = good;
    spec.volume.voxels = {0, 32, 32};
    EXPECT_ERROR((void)of(spec), InputError, "volume.voxels[0]");
    spec = good;
    spec.output.path = folder / "absent" / "volume.mha";
    EXPECT_ERROR((void)of(spec), InputError,
                 "absent does not exist. Create it, or choose another place.");
    spec = good;
    spec.volume.voxels = {30'000, 30'000, 30'000};
    spec.volume.pitchMm = {1e-4, 1e-4, 1e-4};
    spec.memoryBytes = Index{1} << 50;
    EXPECT_ERROR((void)of(spec), ResourceError, "108 TB");
    EXPECT_ERROR((void)of(spec), ResourceError, "free space, or choose another place");
    // 16 bits alone would fit, but without a range the floats are on the disk, too.
    const Index free = freeDiskBytes(folder.path());
    const auto across = static_cast<Index>(std::cbrt(static_cast<double>(free) / 3));
    spec.volume.voxels = {across, across, across};
    spec.volume.pitchMm.fill(10.0 / static_cast<double>(across));
    spec.output.type = PixelType::uint16;
    ASSERT_LT(outputBytes(spec.output, spec.volume), free);
    EXPECT_ERROR((void)of(spec), ResourceError, "Give a range");
    spec.output.range = {{0, 0.1}};
    EXPECT_LT(diskBytesNeeded(spec.output, spec.volume), free);
}

// Files of this process grow no further than that while it lives, as on a disk that is nearly full.
class FileLimit {
  public:
    explicit FileLimit(rlim_t bytes) : m_handler(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;
    ~FileLimit() {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        (void)std::signal(SIGXFSZ, m_handler);
    }

  private:
    rlimit m_before{};
    void (*m_handler)(int);
};

TEST(JobForecast, ADiskWithoutRoomForTheTestOfItsSpeedTakesAJobThatFits) {
    const TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(24, 48, 40, 410), folder / "scan");
    const OpenScan scan = openScan(file);
    const JobSpec spec = test::jobOf(file, 32, folder / "volume.mha");
    Facts facts;
    {
        const FileLimit limit(1'000'000);
        learn(facts, scan, spec, sinkNeedsOf(spec), test::machine(), test::backends(),
              Purpose::forecast, {}, {});
    }
    const JobForecast forecast = predicted(scan, spec, facts);
    EXPECT_TRUE(forecast.isComplete());
    EXPECT_EQ(forecast.seconds.store, 0);
    ASSERT_EQ(forecast.plan.notes.size(), 1U);
    EXPECT_TRUE(
        forecast.plan.notes[0].starts_with("The disk has no room for the test of its speed"));
    // Nothing is left of the test.
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(JobForecast, IsKeptInTheJobsFolder) {
    const TemporaryFolder folder;
    EXPECT_FALSE(readForecast(folder.path()));
    const Forecast kept = {1, 0.75, 0.5, 2.25, 3, 0, 30, 0, 2, 4, 38.125, "back-project"};
    writeForecast(folder.path(), kept);
    const std::optional<Forecast> read = readForecast(folder.path());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->load, 1);
    EXPECT_EQ(read->correct, 0.75);
    EXPECT_EQ(read->prepare, 0.5);
    EXPECT_EQ(read->filter, 2.25);
    EXPECT_EQ(read->backproject, 30);
    EXPECT_EQ(read->store, 4);
    EXPECT_EQ(read->gather, 3);
    EXPECT_EQ(read->reduce, 2);
    EXPECT_EQ(read->wall, 38.125);
    EXPECT_EQ(read->boundingStage, "back-project");
}

TEST(JobForecast, ADamagedOneIsNone) {
    const TemporaryFolder folder;
    writeForecast(folder.path(), {1, 0, 1, 1, 0, 0, 1, 0, 0, 1, std::nan(""), "load"});
    EXPECT_FALSE(readForecast(folder.path()));
    for (const char* text : {"", "{", "[]", "{\"seconds\": 3}", "{\"seconds\": {\"load\": 1}}"}) {
        std::ofstream(folder / "forecast.json") << text;
        EXPECT_FALSE(readForecast(folder.path())) << text;
    }
}

TEST(JobForecast, ARunLeavesItsFiguresInTheLog) {
    const TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(20, 32, 30, 410), folder / "scan");
    const JobSpec spec = test::jobOf(file, 16, folder / "volume.mha");
    (void)test::run(spec);
    std::ifstream log(jobFolderFor(spec.output.path) / "events.jsonl");
    const std::string text{std::istreambuf_iterator<char>(log), {}};
    for (const char* name : {"\"wallSeconds\"", "\"cpuSeconds\"", "\"overlapFactor\""})
        EXPECT_NE(text.find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace gantry
