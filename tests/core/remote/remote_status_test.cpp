#include "core/remote/job/remote_status.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/base/file.h"
#include "core/job/job_directory.h"
#include "core/job/job_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

class RemoteStatusTest : public testing::Test {
  protected:
    void SetUp() override {
        ::setenv("XDG_STATE_HOME", (m_folder / "state").c_str(), 1);
        JobSpec spec;
        spec.output.path = m_folder / "v.mha";
        m_job.folder = jobFolderFor(spec.output.path);
        m_job.id = newJobId();
        m_job.host = "cluster";
        m_job.number = "12";
        std::filesystem::create_directories(m_job.folder);
        writeFileAtomically(m_job.folder / "job.json", toJson(spec));
    }
    void TearDown() override { ::unsetenv("XDG_STATE_HOME"); }

    void keep(RemoteState state, const std::string& message) {
        m_job.state = state;
        m_job.message = message;
        keepRemoteJob(m_job);
    }
    [[nodiscard]] JobStatus status() const { return readAnyJobStatus(m_job.folder); }

    test::TemporaryFolder m_folder;
    RemoteJob m_job;
};

// Nobody here works on it: a job of this machine would count as killed.
TEST_F(RemoteStatusTest, AJobThatAHostRunsIsRunning) {
    {
        EventLog events(m_job.folder / "events.jsonl");
        events.state(JobState::running);
        Progress progress;
        progress.fraction = 0.25;
        events.progress(progress);
    }
    EXPECT_EQ(status().state, JobState::failed);
    keep(RemoteState::running, "runs on n[1-2]");
    EXPECT_EQ(status().state, JobState::running);
    EXPECT_EQ(status().message, "runs on n[1-2]");
    EXPECT_EQ(status().progress.fraction, 0.25);
    EXPECT_FALSE(status().canResume);
}

TEST_F(RemoteStatusTest, WaitingJobsAreQueuedAndStoppedOnesCanResume) {
    keep(RemoteState::waiting, "waits for 4 GPUs, place 3");
    EXPECT_EQ(status().state, JobState::queued);
    writeFileAtomically(m_job.folder / "checkpoint.json", "{}");
    keep(RemoteState::stopped, "ended: time limit of 30 min");
    EXPECT_EQ(status().state, JobState::failed);
    EXPECT_TRUE(status().canResume);
    keep(RemoteState::gone, "its folder there was removed");
    EXPECT_FALSE(status().canResume);
    keep(RemoteState::done, "done");
    EXPECT_EQ(status().state, JobState::done);
}

TEST(JobNumber, IsWhatASchedulerGives) {
    for (const char* number : {"7", "1234", "1234_5", "1234[5]"})
        EXPECT_TRUE(isJobNumber(number)) << number;
    for (const char* other : {"", "x", "12 3", "1234_", "1234[5", "1234[]", "1234[5]x", "1_2_3",
                              "-1", "1;id", "123456789012345678901"})
        EXPECT_FALSE(isJobNumber(other)) << other;
}

TEST_F(RemoteStatusTest, EveryStateHasOne) {
    for (int state = 0; state <= static_cast<int>(RemoteState::gone); ++state) {
        keep(static_cast<RemoteState>(state), "words");
        EXPECT_EQ(status().state, jobState(m_job.state)) << name(m_job.state);
        EXPECT_EQ(status().message, "words");
    }
}

}  // namespace
}  // namespace gantry
