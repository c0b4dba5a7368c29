#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/job/event_log.h"
#include "core/job/provenance.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

// A job that version 0.1.0 was killed at when the first of its two slabs was stored: scan.json,
// job.json, events.jsonl, checkpoint.json and summary.bin as it wrote them.
class JobOfVersion01 : public testing::Test {
  protected:
    JobOfVersion01() {
        const fs::path from = fs::path(GANTRY_FIXTURES) / "job_of_0_1";
        fs::copy(from / "scan", m_folder / "scan", fs::copy_options::recursive);
        fs::copy(from / "volume_job", m_job);
        fs::copy(from / "unfinished_volume", m_folder / "volume.mha.part");
        std::string request = readTextFile(m_job / "job.json");
        const std::string placeholder = "@FOLDER@";
        for (std::size_t i = request.find(placeholder); i != std::string::npos;
             i = request.find(placeholder))
            request.replace(i, placeholder.size(), m_folder.path().string());
        // The program itself counts 20 MB more since, and two slabs are wanted.
        nlohmann::json job = nlohmann::json::parse(request);
        job["memoryBytes"] = job["memoryBytes"].get<std::int64_t>() + 20'000'000;
        writeFileAtomically(m_job / "job.json", job.dump());
        // The copied files are other ones for the checkpoint.
        const fs::path path = m_job / "checkpoint.json";
        nlohmann::json checkpoint = nlohmann::json::parse(readTextFile(path));
        checkpoint["inputs"] =
            inputState(openScan(readScanFile(m_folder / "scan/scan.json")).files);
        writeFileAtomically(path, checkpoint.dump());
    }

    test::TemporaryFolder m_folder;
    const fs::path m_job = m_folder / "volume.mha.job";
};

TEST_F(JobOfVersion01, Resumes) {
    JobSpec spec;
    JobResult resumed;
    {
        const JobDirectory job = JobDirectory::open(m_job);
        spec = job.spec();
        resumed = runJob(job, {test::backends(), {}, {}});
    }
    EXPECT_EQ(resumed.slabs, 2);
    EXPECT_EQ(resumed.slabsResumed, 1);
    const Volume volume = readVolume(spec.output.path);

    spec.output.path = m_folder / "anew.mha";
    const JobResult anew = test::run(spec);
    EXPECT_EQ(resumed.invalidPixels, anew.invalidPixels);
    // The slab of the old version may have been made with other SIMD instructions.
    EXPECT_LE(test::relativeRmse(volume, readVolume(spec.output.path)), 1e-6);
}

TEST_F(JobOfVersion01, TellsWhatItHadDone) {
    const JobEvents events = readEvents(m_job / "events.jsonl");
    EXPECT_EQ(events.state, JobState::running);
    EXPECT_EQ(events.skippedLines, 0);
    EXPECT_GT(events.spans.size(), 20U);
    EXPECT_EQ(events.progress.fraction, 1);
    EXPECT_EQ(events.work.runs().size(), 1U);
    const ScanFile scan = readScanFile(m_folder / "scan/scan.json");
    EXPECT_EQ(scan.name, "shepp-logan");
    EXPECT_EQ(scan.geometry.views(), 24);
    EXPECT_EQ(scan.projections.flat, "flat/*.tif");
}

}  // namespace
}  // namespace gantry
