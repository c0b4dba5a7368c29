#include "core/job/job_directory.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>
#include <optional>

#include "core/base/error.h"
#include "core/job/job_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

JobSpec someSpec() {
    JobSpec spec;
    spec.scan.path = "/data/some scan/scan.json";
    spec.scan.folder = "/data/some scan";
    spec.scan.name = "wal\"nut ü";
    ScanGeometry& geometry = spec.scan.geometry;
    geometry.cone().sourceToIsocenterMm = 600.1;
    geometry.cone().sourceToDetectorMm = 1200.7;
    geometry.cone().views = 360;
    geometry.detector.columns = 101;
    geometry.detector.rows = 67;
    geometry.detector.pitchMm = {0.127, 0.254};
    spec.scan.projections.files = "proj/*.tif";
    spec.scan.projections.flat = "flat/*.tif";
    spec.volume.voxels = {31, 32, 33};
    spec.volume.pitchMm = {0.1, 0.2, 0.3};
    spec.volume.centerMm = {0, -1, 1.5};
    spec.filter = {FilterWindow::hann, 0.8};
    spec.output.path = "/out/vol ume.mha";
    spec.output.type = PixelType::uint16;
    spec.output.range = {-0.01, 0.04};
    spec.engine = Engine::cpu;
    spec.cpuKernel = kReferenceKernel;
    spec.threads = 3;
    spec.memoryBytes = 400'000'000;
    spec.batchViews = 16;
    spec.checksumInput = false;
    return spec;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(JobSpec, IsReadBackAsItWasWritten) {
    const JobSpec spec = someSpec();
    const JobSpec again = parseJobSpec(toJson(spec), "job.json");
    EXPECT_EQ(toJson(again), toJson(spec));
    EXPECT_EQ(again.scan.geometry, spec.scan.geometry);
    EXPECT_EQ(again.volume, spec.volume);
    EXPECT_EQ(again.output.range, spec.output.range);
    EXPECT_EQ(again.cpuKernel, kReferenceKernel);
}

TEST(JobSpec, KeepsAnIterativeMethodAndNoneOfFdk) {
    JobSpec spec = someSpec();
    EXPECT_EQ(toJson(spec).find("\"method\""), std::string::npos);
    spec.method = {Method::osSart, 7, 0.75, 5, false, 0.25, kCylinderMask, "/some/start.mha"};
    spec.method.stopChange = 0.125;
    spec.method.photons = 1e4;
    spec.method.isAccelerated = false;
    spec.method.isRegion = true;
    spec.method.weighsByCounts = true;
    const std::string text = toJson(spec);
    EXPECT_EQ(parseJobSpec(text, "job.json").method, spec.method);
    EXPECT_ERROR((void)parseJobSpec(replaced(text, "0.75", "2.5"), "job.json"), InputError,
                 "method.relaxation");
    EXPECT_ERROR((void)parseJobSpec(replaced(text, "os-sart", "art"), "job.json"), InputError,
                 "method.name");
}

JobSpec gpuSpec() {
    JobSpec spec = someSpec();
    spec.engine = Engine::gpu;
    spec.cpuKernel = kUsualCpuKernel;
    spec.gpuKernel = "l1-tran";
    spec.fast = true;
    spec.filterOn = FilterOn::gpu;
    spec.devices = {2, 0};
    spec.deviceMemoryBytes = 16'000'000'000;
    return spec;
}

TEST(JobSpec, WishesForGpusAreReadBack) {
    const JobSpec spec = gpuSpec();
    const JobSpec again = parseJobSpec(toJson(spec), "job.json");
    EXPECT_EQ(toJson(again), toJson(spec));
    EXPECT_EQ(again.gpuKernel, "l1-tran");
    EXPECT_TRUE(again.fast);
    EXPECT_EQ(again.filterOn, FilterOn::gpu);
    EXPECT_EQ(again.devices, (std::vector<int>{2, 0}));
    EXPECT_EQ(again.deviceMemoryBytes, 16'000'000'000);
}

TEST(JobSpec, OneWrittenBeforeThereWereGpusIsOpened) {
    nlohmann::json old = nlohmann::json::parse(toJson(gpuSpec()));
    for (const char* field : {"gpuKernel", "precision", "filterOn", "devices", "deviceMemoryBytes"})
        ASSERT_EQ(old.erase(field), 1U) << field;
    const JobSpec spec = parseJobSpec(old.dump(), "job.json");
    EXPECT_EQ(spec.engine, Engine::gpu);
    EXPECT_EQ(spec.gpuKernel, "auto");
    EXPECT_FALSE(spec.fast);
    EXPECT_EQ(spec.filterOn, FilterOn::automatic);
    EXPECT_TRUE(spec.devices.empty());
    EXPECT_EQ(spec.deviceMemoryBytes, 0);
}

TEST(JobSpec, WrongWishesForGpusAreNamed) {
    const auto parseWith = [](const char* field, const nlohmann::json& value) {
        nlohmann::json job = nlohmann::json::parse(toJson(gpuSpec()));
        job[field] = value;
        (void)parseJobSpec(job.dump(), "job.json");
    };
    EXPECT_ERROR(parseWith("gpuKernel", 7), InputError, "gpuKernel");
    EXPECT_ERROR(parseWith("precision", "half"), InputError, "precision");
    EXPECT_ERROR(parseWith("filterOn", "fpga"), InputError, "filterOn");
    EXPECT_ERROR(parseWith("devices", {-1}), InputError, "devices is -1; it must be 0 to 1023");
    EXPECT_ERROR(parseWith("devices", {0.5}), InputError, "devices 0.5 is no whole number");
    EXPECT_ERROR(parseWith("deviceMemoryBytes", -1), InputError,
                 "deviceMemoryBytes is -1; it must be 0 to");
}

TEST(JobSpec, WrongFieldsAreNamed) {
    const std::string good = toJson(someSpec());
    const auto parse = [](const std::string& text) { (void)parseJobSpec(text, "job.json"); };
    EXPECT_ERROR(parse(replaced(good, "\"threads\": 3", "\"threads\": -1")), InputError,
                 "job.json: threads is -1; it must be 0 to");
    EXPECT_ERROR(parse(replaced(good, "\"threads\"", "\"treads\"")), InputError, "treads");
    EXPECT_ERROR(parse(replaced(good, "\"uint16\"", "\"int12\"")), InputError, "output.type");
    EXPECT_ERROR(parse(replaced(good, "\"gantryJob\": 1", "\"gantryJob\": 2")), InputError,
                 "gantryJob is 2; this version of Gantry reads 1");
    EXPECT_ERROR(parse(replaced(good, "\"hann\"", "\"haan\"")), InputError, "haan");
    EXPECT_ERROR(parse(good.substr(0, good.size() / 2)), InputError, "not valid JSON");
}

TEST(JobDirectory, IsOpenedAgainWithItsRequest) {
    const test::TemporaryFolder folder;
    (void)JobDirectory::create(folder / "a job", someSpec());
    const JobDirectory job = JobDirectory::open(folder / "a job");
    EXPECT_EQ(toJson(job.spec()), toJson(someSpec()));
    EXPECT_FALSE(job.readCheckpoint().has_value());
}

TEST(JobDirectory, OnlyOneProcessWorksOnIt) {
    const test::TemporaryFolder folder;
    const JobDirectory job = JobDirectory::create(folder / "job", someSpec());
    EXPECT_ERROR((void)JobDirectory::open(folder / "job"), InputError,
                 "Another process is working on the job");
    EXPECT_ERROR((void)JobDirectory::create(folder / "job", someSpec()), InputError,
                 "Another process is working on the job");
}

TEST(JobDirectory, NeverTakesAFolderWithOtherFiles) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "thesis.tex") << "text";
    EXPECT_ERROR((void)JobDirectory::create(folder.path(), someSpec()), InputError,
                 "holds other files");
    EXPECT_TRUE(std::filesystem::exists(folder / "thesis.tex"));
    EXPECT_ERROR((void)JobDirectory::open(folder.path()), InputError, "is not a job folder");
    EXPECT_ERROR((void)JobDirectory::create(folder / "thesis.tex", someSpec()), InputError,
                 "is a file");
    EXPECT_ERROR((void)JobDirectory::create(folder / "no/parent", someSpec()), InputError,
                 "cannot be made");
}

Checkpoint checkpointOf(const std::vector<IndexRanges>& slabs, const std::set<Index>& done) {
    Checkpoint checkpoint;
    checkpoint.slabs.slabs = slabs;
    checkpoint.slabs.done = done;
    checkpoint.summary = std::string("a\0b", 3);
    checkpoint.invalidPixels = {9, 8, 7, 6, 5, 4};
    checkpoint.inputs = "now";
    checkpoint.choices = {FilterRows::upright, {7, 0, 0.0125}};
    return checkpoint;
}

TEST(JobDirectory, ANewRequestRemovesWhatTheOldRunLeft) {
    const test::TemporaryFolder folder;
    {
        const JobDirectory job = JobDirectory::create(folder / "job", someSpec());
        job.writeCheckpoint(checkpointOf({{0, 11}, {11, 33}}, {0}));
        std::ofstream(job.file("events.jsonl")) << "{}\n";
    }
    const JobDirectory job = JobDirectory::create(folder / "job", someSpec());
    EXPECT_FALSE(job.readCheckpoint().has_value());
    EXPECT_FALSE(std::filesystem::exists(job.file("events.jsonl")));
}

TEST(JobDirectory, CheckpointsKeepTheSlabs) {
    const test::TemporaryFolder folder;
    const JobDirectory job = JobDirectory::create(folder / "job", someSpec());
    job.writeCheckpoint(checkpointOf({{0, 11}, {11, 20}, {20, 33}}, {2, 0}));
    const std::optional<Checkpoint> checkpoint = job.readCheckpoint();
    ASSERT_TRUE(checkpoint.has_value());
    ASSERT_EQ(checkpoint->slabs.slabs.size(), 3U);
    EXPECT_EQ(checkpoint->slabs.slabs[1], IndexRanges(11, 20));
    EXPECT_EQ(checkpoint->slabs.done, (std::set<Index>{0, 2}));
    EXPECT_EQ(checkpoint->invalidPixels, (InvalidPixels{9, 8, 7, 6, 5, 4}));
    EXPECT_EQ(checkpoint->inputs, "now");
    EXPECT_EQ(checkpoint->choices.rows, FilterRows::upright);
    EXPECT_EQ(checkpoint->choices.extension, (RowExtension{7, 0, 0.0125}));
    EXPECT_EQ(checkpoint->summary, std::string("a\0b", 3));
}

TEST(JobDirectory, CheckpointsKeepPairsAndSlabsInAnyOrder) {
    const test::TemporaryFolder folder;
    const JobDirectory job = JobDirectory::create(folder / "job", someSpec());
    const std::vector<IndexRanges> slabs = {
        {{3, 11}, {25, 33}}, {{11, 14}, {22, 25}}, {14, 22}, {0, 3}};
    job.writeCheckpoint(checkpointOf(slabs, {0, 3}));
    const std::optional<Checkpoint> checkpoint = job.readCheckpoint();
    ASSERT_TRUE(checkpoint.has_value());
    EXPECT_EQ(checkpoint->slabs.slabs, slabs);
    EXPECT_EQ(checkpoint->slabs.done, (std::set<Index>{0, 3}));
    EXPECT_EQ(checkpoint->invalidPixels, (InvalidPixels{9, 8, 7, 6, 5, 4}));
}

TEST(JobDirectory, EarlierVersionsReadTheCheckpointOfStackedSlabs) {
    const test::TemporaryFolder folder;
    const JobDirectory job = JobDirectory::create(folder / "job", someSpec());
    job.writeCheckpoint(checkpointOf({{0, 11}, {11, 33}}, {0}));
    const auto written = nlohmann::json::parse(std::ifstream(job.file("checkpoint.json")));
    EXPECT_EQ(written.at("slabEnds").dump(), "[11,33]");
    EXPECT_FALSE(written.contains("slabs"));
}

TEST(JobDirectory, CheckpointsOfEarlierVersionsAreRead) {
    const test::TemporaryFolder folder;
    const JobDirectory job = JobDirectory::create(folder / "job", someSpec());
    job.writeCheckpoint(checkpointOf({{0, 11}, {11, 33}}, {0}));
    nlohmann::json old = nlohmann::json::parse(std::ifstream(job.file("checkpoint.json")));
    old["gated"] = old.at("invalidPixels");
    old["gated"]["countedRows"] = 12;
    old.erase("invalidPixels");
    old["slabsDone"] = 1;  // how many, from the first on
    std::ofstream(job.file("checkpoint.json")) << old;
    const std::optional<Checkpoint> checkpoint = job.readCheckpoint();
    ASSERT_TRUE(checkpoint.has_value());
    EXPECT_EQ(checkpoint->slabs.done, std::set<Index>{0});
    EXPECT_EQ(checkpoint->invalidPixels, (InvalidPixels{9, 8, 7, 6, 5, 4}));
}

// Three ranks share each slab; the second has finished more than the others.
TEST(JobDirectory, WhatRanksHaveFoundCountsOnceAllHaveFinishedASlab) {
    const test::TemporaryFolder folder;
    const JobDirectory job = JobDirectory::create(folder / "job", someSpec());
    Checkpoint written;
    for (const IndexRange slices : {IndexRange{0, 7}, {7, 20}, {20, 33}})
        written.slabs.slabs.emplace_back(slices);
    written.run = "a run";
    written.sharers = 3;
    written.invalidPixels.zero = 1000;
    job.writeCheckpoint(written);
    const auto foundBy = [](Index zero) {
        InvalidPixels invalid;
        invalid.pixels = 50;
        invalid.zero = zero;
        return invalid;
    };
    for (int rank = 0; rank < 3; ++rank) {
        RankCheckpoint one;
        one.rank = rank;
        one.parts = {{{0, 1}, foundBy(1 + rank)}};
        if (rank == 1) one.parts.push_back({{2}, foundBy(500)});
        one.slices = {{2 * rank, 2 * rank + 2}};
        job.writeRankCheckpoint("a run", one);
    }
    const Checkpoint read = job.readCheckpoint().value();
    EXPECT_EQ(read.allDone(), (std::set<Index>{0, 1}));
    ASSERT_EQ(read.ranks.size(), 3U);
    EXPECT_EQ(read.allInvalid().zero, 1000 + 1 + 2 + 3);
    EXPECT_EQ(read.allInvalid().pixels, 150);
    for (const RankCheckpoint& rank : read.ranks)
        EXPECT_EQ(read.invalidOf(rank), foundBy(1 + rank.rank));
}

TEST(JobDirectory, ACheckpointThatDoesNotFitIsRefused) {
    const test::TemporaryFolder folder;
    const JobDirectory job = JobDirectory::create(folder / "job", someSpec());
    for (const char* text :
         {R"({"slabEnds":[11,20],"slabsDone":1})", R"({"slabEnds":[11,33],"slabsDone":3})",
          R"({"slabEnds":[11,33],"slabsDone":[2]})", R"({"slabEnds":[11,33],"slabsDone":[-1]})",
          R"({"slabEnds":[11,33],"slabsDone":[0.5]})", R"({"slabEnds":[11,33],"slabsDone":"0"})",
          R"({"slabEnds":[20,11,33],"slabsDone":1})", R"({"slabEnds":["a"],"slabsDone":0})",
          R"({"slabs":[[[0,4],[20,33]]],"slabsDone":[]})",         // slices are missing,
          R"({"slabs":[[[0,20],[19,33]]],"slabsDone":[]})",        // twice there,
          R"({"slabs":[[0,20],[[4,5],[20,33]]],"slabsDone":[]})",  //
          R"({"slabs":[[0,34]],"slabsDone":[]})",                  // or beyond the volume
          R"({"slabs":[[-1,33]],"slabsDone":[]})", R"({"slabs":[33],"slabsDone":[]})",
          R"({"slabs":[["a","b"]],"slabsDone":[]})", R"({"slabs":[[0,33]],"slabsDone":[1]})"}) {
        std::ofstream(job.file("checkpoint.json")) << text;
        EXPECT_ERROR((void)job.readCheckpoint(), InputError, "does not fit the job's volume");
    }
    std::ofstream(job.file("checkpoint.json")) << "{\"slabEnds\":[";
    EXPECT_ERROR((void)job.readCheckpoint(), InputError, "not valid JSON");
}

TEST(JobDirectory, StandsBesideTheOutput) {
    EXPECT_EQ(jobFolderFor("a/volume.mha"), "a/volume.mha.job");
    EXPECT_EQ(jobFolderFor("a/slices/"), "a/slices.job");
    EXPECT_EQ(jobFolderFor("slices"), "slices.job");
}

}  // namespace
}  // namespace gantry
