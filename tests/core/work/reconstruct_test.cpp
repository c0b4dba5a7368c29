#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.h"
#include "core/job/event_log.h"
#include "core/job/provenance.h"
#include "core/scan/view_stages.h"
#include "core/work/run_job.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::jobOf;
using test::reconstructed;
using test::relativeRmse;
using test::run;
using test::simulated;
using test::smallScan;

TEST(Reconstruct, SlabsOfAnySizeAndAnyThreadCountGiveTheSameVolume) {
    const test::TemporaryFolder folder;
    SimulationSpec scan = smallScan(37, 91, 83, 410);
    scan.geometry.detector.offsetMm = {3.3, -7.1};
    const ScanFile file = simulated(scan, folder / "scan");
    JobSpec whole = jobOf(file, 77, folder / "whole.mha");
    whole.volume.pitchMm[2] *= 0.7;
    whole.volume.centerMm = {2, -3, 5};
    const Volume expected = reconstructed(whole);
    for (const int threads : {1, 2, 3}) {
        JobSpec spec = whole;
        spec.output.path = folder / "slabs.mha";
        spec.threads = threads;
        spec.batchViews = 8;
        test::allowMemoryForSlabs(spec, static_cast<std::size_t>(2 + threads));
        const JobResult result = run(spec);
        EXPECT_GE(result.slabs, 2 + threads);
        EXPECT_LE(result.forecastHostBytes, spec.memoryBytes);
        // Both add the same views in fp32, only in other runs of voxels.
        EXPECT_LE(relativeRmse(readVolume(spec.output.path), expected), 1e-6);
    }
}

TEST(Reconstruct, AResumedRunIsBitIdenticalToAnUninterruptedOne) {
    const test::TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(41, 90, 80, 410), folder / "scan");
    JobSpec spec = jobOf(file, 75, folder / "whole.mha");
    spec.batchViews = 8;
    test::allowMemoryForSlabs(spec, 4);
    const JobResult uninterrupted = run(spec);
    const std::string expected = test::fileBytes(spec.output.path);

    spec.output.path = folder / "interrupted.mha";
    std::stop_source stop;
    const auto stopHalfway = [&](const Progress& progress) {
        // Leaves the store lane the time to finish its first slab.
        if (progress.fraction > 0.5) {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            stop.request_stop();
        }
    };
    EXPECT_THROW(run(spec, stop.get_token(), stopHalfway), Cancelled);
    EXPECT_FALSE(fs::exists(spec.output.path));
    const JobEvents events = readEvents(jobFolderFor(spec.output.path) / "events.jsonl");
    EXPECT_EQ(events.state, JobState::cancelled);

    const JobResult resumed = test::resume(spec);
    EXPECT_GT(resumed.slabsResumed, 0);
    EXPECT_EQ(resumed.slabs, uninterrupted.slabs);
    EXPECT_EQ(test::fileBytes(spec.output.path), expected);
    // What the report shows holds the slabs of the first run too.
    EXPECT_EQ(resumed.smallest, uninterrupted.smallest);
    EXPECT_EQ(resumed.largest, uninterrupted.largest);
    EXPECT_EQ(resumed.invalidPixels, uninterrupted.invalidPixels);
    EXPECT_EQ(resumed.invalidPixels.pixels, 41 * 90 * 80);
    EXPECT_EQ(resumed.centralSlices[1].values, uninterrupted.centralSlices[1].values);
}

// What a process that is killed between its last slab and its last word leaves behind.
Checkpoint allSlabsKept(const JobSpec& spec) {
    Checkpoint checkpoint;
    checkpoint.slabs.slabs.emplace_back(0, spec.volume.voxels[2]);
    checkpoint.slabs.done = {0};
    checkpoint.summary = VolumeSummary(spec.volume).save();
    checkpoint.invalidPixels.bad = 3;
    checkpoint.inputs = inputState(openScan(spec.scan).files);
    return checkpoint;
}

TEST(Reconstruct, AJobKilledAfterItsVolumeGotItsNameIsCompleted) {
    const test::TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(20, 48, 40, 410), folder / "scan");
    const JobSpec spec = jobOf(file, 32, folder / "volume.mha");
    (void)run(spec);
    const std::string volume = test::fileBytes(spec.output.path);
    fs::remove(provenancePath(spec.output.path));
    JobDirectory::open(jobFolderFor(spec.output.path)).writeCheckpoint(allSlabsKept(spec));
    const JobResult result = test::resume(spec);
    EXPECT_EQ(result.slabsResumed, 1);
    EXPECT_EQ(result.invalidPixels.bad, 3);
    EXPECT_TRUE(fs::exists(provenancePath(spec.output.path)));
    EXPECT_EQ(test::fileBytes(spec.output.path), volume);
}

std::string engineInRecord(const JobSpec& spec) {
    return nlohmann::json::parse(test::fileBytes(provenancePath(spec.output.path)))["engine"];
}

TEST(Reconstruct, TheRecordNamesAnEngineOfAnEarlierRunWhereItWasAnother) {
    const test::TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(20, 48, 40, 410), folder / "scan");
    const JobSpec spec = jobOf(file, 32, folder / "volume.mha");
    (void)run(spec);
    const std::string own = engineInRecord(spec);
    ASSERT_FALSE(own.empty());
    const auto resumedAfter = [&](const std::string& before) {
        Checkpoint checkpoint = allSlabsKept(spec);
        checkpoint.engine = before;
        JobDirectory::open(jobFolderFor(spec.output.path)).writeCheckpoint(checkpoint);
        (void)test::resume(spec);
        return engineInRecord(spec);
    };
    EXPECT_EQ(resumedAfter(own), own);
    EXPECT_EQ(resumedAfter("GPU 7"), "GPU 7, then " + own);
    EXPECT_EQ(resumedAfter("GPU 7, then " + own), "GPU 7, then " + own);
}

TEST(Reconstruct, TheProcessorTimeIsThatOfTheRunAlone) {
    const test::TemporaryFolder folder;
    const auto seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
    const ScanFile file = simulated(smallScan(20, 48, 40, 410), folder / "scan");
    // What the process did before is more than the end of a run may take.
    while (seconds() < 0.2) {
    }
    const double before = seconds();
    const JobResult result = run(jobOf(file, 32, folder / "volume.mha"));
    EXPECT_GT(result.cpuSeconds, 0);
    EXPECT_LE(result.cpuSeconds, seconds() - before + 0.02);  // two clocks of the system
}

TEST(Reconstruct, AResumeOfAScanThatHasChangedSinceIsRefused) {
    const test::TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(20, 48, 40, 410), folder / "scan");
    const JobSpec spec = jobOf(file, 32, folder / "volume.mha");
    (void)run(spec);
    JobDirectory::open(jobFolderFor(spec.output.path)).writeCheckpoint(allSlabsKept(spec));
    const fs::path flat = openScan(file).files.back();
    fs::last_write_time(flat, fs::last_write_time(flat) + std::chrono::seconds(5));
    EXPECT_ERROR(test::resume(spec), InputError, "have changed since the job ");
}

TEST(Reconstruct, CancellingWhileViewsAreReadOrOpenedIsHeardToo) {
    const test::TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(20, 48, 40, 410), folder / "scan");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)openScan(file, stop.get_token()), Cancelled);
    const OpenScan scan = openScan(file);
    ViewPreparer preparer(scan, 2);
    Batch batch;
    batch.views = {0, 20};
    batch.rows = batch.storedRows = {0, 40};
    batch.stored = HostBuffer<std::byte>(20 * 48 * 40 * 2);
    batch.values = HostBuffer<float>(20 * 48 * 40);
    EXPECT_THROW(loadViews(scan, batch, 2, stop.get_token()), Cancelled);
    EXPECT_THROW((void)preparer.prepare(batch, stop.get_token()), Cancelled);
}

TEST(Reconstruct, MemoryOfARolledDetectorIsPredicted) {
    const test::TemporaryFolder folder;
    SimulationSpec scan = smallScan(40, 300, 300, 410);
    const ScanFile straight = simulated(scan, folder / "straight");
    scan.geometry.detector.rollDeg = 30;
    const ScanFile rotated = simulated(scan, folder / "rotated");
    const auto predicted = [&](const ScanFile& file) {
        JobSpec spec = jobOf(straight, 40, folder / "volume.mha");
        spec.scan = file;
        test::allowMemoryForSlabs(spec, 4);
        spec.rows = FilterRows::upright;
        const OpenScan opened = openScan(file, {}, BadViews::refuse, FilterRows::upright);
        return test::plannedJob(opened, spec, test::backends()).hostBytes;
    };
    // Resampled onto an upright detector, a thin slab of a detector rolled by 30° is made from at
    // least 100 rows more than it has: of 300 16-bit pixels, in three batches of 32 views.
    EXPECT_GT(predicted(rotated), predicted(straight) + 3 * 32 * 100 * 300 * 2);
}

// That a user waits less than a second for it is tests/cli/test_interrupt.py's to say.
TEST(Reconstruct, CancellingBeginsNothingMoreAndLeavesNothing) {
    const test::TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(60, 128, 128, 410), folder / "scan");
    JobSpec spec = jobOf(file, 100, folder / "volume.mha");
    spec.batchViews = 2;
    test::allowMemoryForSlabs(spec, 4);
    std::stop_source stop;
    const auto stopAtOnce = [&](const Progress&) { stop.request_stop(); };
    EXPECT_THROW(run(spec, stop.get_token(), stopAtOnce), Cancelled);
    const JobEvents events = readEvents(jobFolderFor(spec.output.path) / "events.jsonl");
    EXPECT_EQ(events.state, JobState::cancelled);
    const auto added = std::ranges::count_if(
        events.spans, [](const TimelineSpan& span) { return span.stage == Stage::backproject; });
    // There are 4 slabs × 30 batches: progress is first reported after one, and stops the thread
    // that reports it.
    EXPECT_EQ(added, 1);
    EXPECT_FALSE(fs::exists(spec.output.path));
    EXPECT_FALSE(fs::exists(folder / "volume.mha.part"));
}

TEST(Reconstruct, CountsThroughDarkAndFlatGiveTheVolumeOfTheLineIntegrals) {
    const test::TemporaryFolder folder;
    SimulationSpec scan = smallScan(60, 96, 80, 410);
    const ScanFile counts = simulated(scan, folder / "counts");
    scan.kind = ProjectionKind::attenuation;
    const ScanFile ideal = simulated(scan, folder / "ideal");
    const Volume fromCounts = reconstructed(jobOf(counts, 80, folder / "counts.mha"));
    const Volume fromIdeal = reconstructed(jobOf(ideal, 80, folder / "ideal.mha"));
    // A count is off by up to half of one in at least 6000 (the head lets a tenth of 60000 through)
    // and dark and flat means by as much: 1e-4 of a line integral of 2.3, amplified by the ramp.
    EXPECT_LE(relativeRmse(fromCounts, fromIdeal), 1e-3);
    EXPECT_GT(relativeRmse(fromCounts, fromIdeal), 0);
}

TEST(Reconstruct, ARolledTiltedAndSlantedDetectorIsSetRight) {
    const test::TemporaryFolder folder;
    SimulationSpec scan = smallScan(90, 128, 128, 410);
    const ScanFile straight = simulated(scan, folder / "straight");
    scan.geometry.detector.rollDeg = 1.7;
    scan.geometry.detector.tiltDeg = -2.3;
    scan.geometry.detector.slantDeg = 3.1;
    const ScanFile rotated = simulated(scan, folder / "rotated");
    const Volume expected = reconstructed(jobOf(straight, 64, folder / "straight.mha"));
    JobSpec spec = jobOf(rotated, 64, folder / "rotated.mha");
    spec.volume = expected.grid;
    const double difference = relativeRmse(reconstructed(spec), expected);
    // Resampling blurs by a part of a pixel, which the coarse voxels mostly hide; a wrong sign of
    // any angle shifts edges by several pixels.
    EXPECT_LE(difference, 0.1);
    for (double Detector::*angle : {&Detector::rollDeg, &Detector::tiltDeg, &Detector::slantDeg}) {
        JobSpec wrong = spec;
        wrong.scan.geometry.detector.*angle *= -1;
        wrong.output.path = folder / "wrong.mha";
        EXPECT_GT(relativeRmse(reconstructed(wrong), expected), 1.2 * difference);
    }
}

TEST(Reconstruct, TheColumnsKernelEqualsTheReference) {
    const test::TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(24, 64, 60, 410), folder / "scan");
    JobSpec spec = jobOf(file, 48, folder / "columns.mha");
    const Volume columns = reconstructed(spec);
    spec.cpuKernel = kReferenceKernel;
    spec.output.path = folder / "reference.mha";
    // Filtered views swing about zero; the tolerance for such data.
    EXPECT_LE(relativeRmse(columns, reconstructed(spec)), 5e-6);
}

TEST(Reconstruct, LeavesTheRecordTheReportAndTheEvents) {
    const test::TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(20, 48, 40, 410), folder / "scan ü 'x'");
    const JobSpec spec = jobOf(file, 32, folder / "vol \"1\".mha");
    const JobResult result = run(spec);
    const fs::path job = jobFolderFor(spec.output.path);
    for (const char* name : {"report.html", "slices.png", "preview.mha", "events.jsonl"})
        EXPECT_TRUE(fs::exists(job / name)) << name;
    EXPECT_FALSE(fs::exists(job / "checkpoint.json"));
    const std::string record = test::fileBytes(provenancePath(spec.output.path));
    EXPECT_NE(record.find("\"crc32\""), std::string::npos);
    EXPECT_NE(record.find("proj"), std::string::npos);
    const JobEvents events = readEvents(job / "events.jsonl");
    EXPECT_EQ(events.state, JobState::done);
    EXPECT_DOUBLE_EQ(events.progress.fraction, 1);
    const TimelineSummary timeline = summarise(events.spans);
    for (const Stage stage : {Stage::load, Stage::prepare, Stage::filter, Stage::backproject,
                              Stage::download, Stage::store})
        EXPECT_GT(timeline.stages[static_cast<std::size_t>(stage)].spans, 0) << name(stage);
    EXPECT_EQ(timeline.stages[static_cast<std::size_t>(Stage::backproject)].updates,
              spec.volume.count() * 20);
    EXPECT_EQ(result.slabs, 1);
}

TEST(Reconstruct, AReportThatCannotBeWrittenIsLoggedAndTheVolumeStays) {
    const test::TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(20, 48, 40, 410), folder / "scan");
    const JobSpec spec = jobOf(file, 32, folder / "volume.mha");
    const fs::path job = jobFolderFor(spec.output.path);
    const JobDirectory directory = JobDirectory::create(job, spec);
    fs::create_directories(job / "report.html");
    EXPECT_EQ(runJob(directory, {test::backends(), {}, {}}).slabs, 1);
    EXPECT_TRUE(fs::exists(spec.output.path));
    EXPECT_EQ(readEvents(job / "events.jsonl").state, JobState::done);
    EXPECT_NE(test::fileBytes(job / "events.jsonl").find("The report was not written: "),
              std::string::npos);
}

TEST(Reconstruct, AFailureIsSaidInTheEventsAndTouchesNoFinalName) {
    const test::TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(20, 48, 40, 410), folder / "scan");
    std::vector<fs::path> views;
    for (const auto& entry : fs::directory_iterator(folder / "scan/proj"))
        views.push_back(entry.path());
    std::sort(views.begin(), views.end());
    // The header stays whole: the damage shows only when the pixels are read.
    const JobSpec spec = jobOf(file, 32, folder / "volume.mha");
    std::ofstream(spec.output.path) << "an older volume";
    fs::resize_file(views[7], fs::file_size(views[7]) - 1000);
    EXPECT_ERROR(run(spec), InputError, views[7].filename().string());
    EXPECT_EQ(test::fileBytes(spec.output.path), "an older volume");
    EXPECT_FALSE(fs::exists(folder / "volume.mha.part"));
    EXPECT_EQ(readEvents(jobFolderFor(spec.output.path) / "events.jsonl").state, JobState::failed);
}

TEST(Reconstruct, RequestsThatCannotWorkAreRefusedAtOnce) {
    const test::TemporaryFolder folder;
    const ScanFile file = simulated(smallScan(20, 48, 40, 410), folder / "scan");
    const JobSpec good = jobOf(file, 32, folder / "volume.mha");
    JobSpec spec = good;
    spec.volume.voxels = {32, 32, 0};
    EXPECT_ERROR(run(spec), InputError, "volume.voxels[2]");
    spec = good;
    spec.volume.pitchMm = {40, 40, 40};
    EXPECT_ERROR(run(spec), InputError, "source");
    spec = good;
    spec.scan.geometry.cone().views = 21;
    EXPECT_ERROR(run(spec), InputError, "21 views");
    spec = good;
    spec.scan.geometry.cone().arcDeg = 7;
    EXPECT_ERROR(run(spec), InputError, "an arc of 7°");
    spec = good;
    spec.engine = Engine::gpu;
    EXPECT_ERROR(run(spec), InputError, "Use --engine cpu");
    spec = good;
    spec.memoryBytes = 1'000'000;
    EXPECT_ERROR(run(spec), ResourceError, "--memory");
    spec = good;
    spec.output.path = folder / "no such folder" / "volume.mha";
    EXPECT_ERROR(
        {
            const JobDirectory job = JobDirectory::create(folder / "job", spec);
            const Backends all = test::backends();
            (void)runJob(job, {all, {}, {}});
        },
        InputError, "no such folder does not exist; create it, or choose another place.");
    EXPECT_FALSE(fs::exists(good.output.path));
}

}  // namespace
}  // namespace gantry
