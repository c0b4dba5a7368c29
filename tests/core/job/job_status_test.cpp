#include "core/job/job_status.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "core/job/job_directory.h"
#include "core/job/job_file.h"
#include "core/job/job_lock.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

JobSpec runningSpec() {
    JobSpec spec;
    spec.scan.path = "scan/scan.json";
    spec.scan.geometry = test::smallScan(20, 48, 40, 410).geometry;
    spec.scan.projections.files = "proj";
    spec.scan.projections.flatValue = 60000;
    spec.volume = fitGrid(spec.scan.geometry, 33);
    spec.output.path = "volume.mha";
    return spec;
}

class JobStatusTest : public ::testing::Test {
  protected:
    void makeJob() { (void)JobDirectory::create(job(), runningSpec()); }
    void write(const std::string& lines) {
        std::ofstream(job() / "events.jsonl", std::ios::app) << lines;
    }
    void age() {
        const fs::path request = job() / "job.json";
        fs::last_write_time(request, fs::last_write_time(request) - std::chrono::minutes(1));
    }
    [[nodiscard]] fs::path job() const { return m_folder / "volume.mha.job"; }

    TemporaryFolder m_folder;
};

const std::string kStart = "{\"event\":\"start\",\"t\":0,\"epochNs\":1}\n";
const std::string kRunning = "{\"event\":\"state\",\"state\":\"running\",\"message\":\"\"}\n";
const std::string kProgress =
    "{\"event\":\"progress\",\"fraction\":0.25,\"elapsedSeconds\":1,\"leftSeconds\":3,\"gups\":2}"
    "\n";
const std::string kSpan =
    "{\"event\":\"span\",\"rank\":0,\"lane\":\"a\",\"stage\":\"load\",\"beginNs\":1,\"endNs\":2}\n";

TEST_F(JobStatusTest, AJobThatWasJustMadeIsQueued) {
    makeJob();
    EXPECT_EQ(readJobStatus(job()).state, JobState::queued);
    EXPECT_FALSE(readJobStatus(job()).workerPid);
    age();
    const JobStatus status = readJobStatus(job());
    EXPECT_EQ(status.state, JobState::failed);
    EXPECT_EQ(status.message, "The job was never started. Press Resume to start it.");
}

TEST_F(JobStatusTest, WhoeverHoldsTheLockWorksOnIt) {
    makeJob();
    age();
    const JobDirectory worker = JobDirectory::open(job());
    EXPECT_EQ(readJobStatus(job()).state, JobState::queued);
    EXPECT_EQ(readJobStatus(job()).workerPid, ::getpid());
    write(kStart + kRunning + kProgress);
    const JobStatus status = readJobStatus(job());
    EXPECT_EQ(status.state, JobState::running);
    EXPECT_EQ(status.progress.fraction, 0.25);
    EXPECT_EQ(status.progress.leftSeconds, 3);
    EXPECT_FALSE(status.canResume);
}

TEST_F(JobStatusTest, ARunThatNobodyWorksOnHasFailed) {
    makeJob();
    write(kStart + kRunning + kProgress);
    JobStatus status = readJobStatus(job());
    EXPECT_EQ(status.state, JobState::failed);
    EXPECT_EQ(status.message,
              "The job stopped unexpectedly (killed, or the computer restarted). Press Resume to "
              "start it again.");
    EXPECT_FALSE(status.canResume);
    EXPECT_EQ(status.progress.fraction, 0.25);
    std::ofstream(job() / "checkpoint.json") << "{}";
    status = readJobStatus(job());
    EXPECT_TRUE(status.canResume);
    EXPECT_EQ(status.message,
              "The job stopped unexpectedly (killed, or the computer restarted). Press Resume to "
              "continue from where it was.");
}

// A killed run did not log its time: its last progress counts, and what it reported after that.
TEST_F(JobStatusTest, AKilledRunWorkedUntilItsLastReport) {
    makeJob();
    write(kStart + kRunning);
    write(
        "{\"event\":\"progress\",\"t\":2000000000,\"fraction\":0.25,\"elapsedSeconds\":1,"
        "\"leftSeconds\":3,\"gups\":2}\n"
        "{\"event\":\"span\",\"rank\":0,\"lane\":\"a\",\"stage\":\"load\",\"beginNs\":1,"
        "\"endNs\":4500000000}\n");
    EXPECT_NEAR(readJobStatus(job()).workSeconds.value(), 1 + 2.5, 1e-9);
}

TEST_F(JobStatusTest, TheLastStateCounts) {
    makeJob();
    write(kStart + kRunning + kProgress +
          "{\"event\":\"state\",\"state\":\"failed\",\"message\":\"view 3 is damaged\"}\n");
    EXPECT_EQ(readJobStatus(job()).state, JobState::failed);
    EXPECT_EQ(readJobStatus(job()).message, "view 3 is damaged");
    // Logs kept no codes before.
    EXPECT_EQ(readJobStatus(job()).code, ErrorCode::none);
    write(
        "{\"event\":\"state\",\"state\":\"failed\",\"message\":\"full\",\"code\":"
        "\"deviceMemory\",\"field\":\"devices\"}\n");
    EXPECT_EQ(readJobStatus(job()).code, ErrorCode::deviceMemory);
    EXPECT_EQ(readJobStatus(job()).field, "devices");
    write("{\"event\":\"state\",\"state\":\"failed\",\"code\":\"of a later version\"}\n");
    EXPECT_EQ(readJobStatus(job()).code, ErrorCode::none);
    EXPECT_EQ(readJobStatus(job()).field, "");
    write("{\"event\":\"state\",\"state\":\"done\",\"message\":\"\"}\n{\"event\":\"sta");
    EXPECT_EQ(readJobStatus(job()).state, JobState::done);
    EXPECT_EQ(readJobStatus(job()).message, "");
}

TEST_F(JobStatusTest, OfALongLogTheEndSuffices) {
    makeJob();
    std::string spans;
    for (int i = 0; i < 10'000; ++i)
        spans += kSpan;
    write(kStart + kRunning + spans);
    const JobDirectory worker = JobDirectory::open(job());
    EXPECT_EQ(readJobStatus(job()).state, JobState::running);
    write(kProgress);
    EXPECT_EQ(readJobStatus(job()).progress.gups, 2);
}

TEST_F(JobStatusTest, DamagedLogsAreSurvived) {
    makeJob();
    write(std::string(1'000'000, '\0'));
    age();
    EXPECT_EQ(readJobStatus(job()).state, JobState::failed);
    write("\n" + std::string(500'000, '{') + "\n");
    EXPECT_EQ(readJobStatus(job()).state, JobState::failed);
    fs::remove(job() / "events.jsonl");
    fs::create_directory(job() / "events.jsonl");
    EXPECT_EQ(readJobStatus(job()).state, JobState::failed);
    fs::remove(job() / "job.json");
    EXPECT_ERROR((void)readJobStatus(job()), InputError, "is not a job folder");
    EXPECT_ERROR((void)readJobStatus(m_folder / "absent"), InputError, "absent");
}

TEST_F(JobStatusTest, ALockThatWasLeftBehindIsNoWorker) {
    makeJob();
    write(kStart + kRunning);
    // After a restart of the machine its process number is another's.
    std::ofstream(job() / "lock") << ::getpid() << " elsewhere\n";
    EXPECT_FALSE(readJobStatus(job()).workerPid);
    const JobDirectory worker = JobDirectory::open(job());
    EXPECT_EQ(readJobStatus(job()).workerPid, ::getpid());
    std::ofstream(job() / "lock") << "12 elsewhere\n";  // a worker on another machine
    EXPECT_FALSE(readJobStatus(job()).workerPid);
    EXPECT_EQ(readJobStatus(job()).state, JobState::running);
}

TEST_F(JobStatusTest, AskingNeverKeepsAWorkerFromStarting) {
    makeJob();
    std::jthread asking([&](const std::stop_token& stop) {
        while (!stop.stop_requested())
            (void)readJobStatus(job());
    });
    for (int i = 0; i < 50; ++i) {
        const JobDirectory worker = JobDirectory::open(job());
        EXPECT_EQ(jobHolder(job()).isHeld, true);
    }
}

TEST_F(JobStatusTest, TheRequestIsReadWithoutTheLock) {
    makeJob();
    const JobDirectory worker = JobDirectory::open(job());
    EXPECT_EQ(toJson(readJobRequest(job())), toJson(runningSpec()));
    EXPECT_ERROR((void)readJobRequest(m_folder.path()), InputError, "is not a job folder");
    std::ofstream(job() / "job.json") << "{\"gantryJob\": 1";
    EXPECT_ERROR((void)readJobRequest(job()), InputError, "not valid JSON");
}

}  // namespace
}  // namespace gantry
