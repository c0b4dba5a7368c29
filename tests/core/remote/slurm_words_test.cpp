#include "core/remote/scheduler/batch_system.h"

#include <gtest/gtest.h>

#include <string>

namespace gantry {
namespace {

RemoteJob jobOf(const std::string& number) {
    RemoteJob job;
    job.number = number;
    job.place = "/scratch/jobs/x";
    job.nodes = 2;
    job.minutes = 30;
    job.state = RemoteState::running;
    return job;
}

RemoteJob settled(const std::string& squeue, JobTraces traces = {}, const LogEnd& says = {},
                  int gpus = 0) {
    RemoteJob job = jobOf("7");
    Host host;
    host.scheduler = Scheduler::slurm;
    host.gpusPerNode = gpus;
    settleByQueue(job, traces, says, kSlurm.parse(squeue), host);
    return job;
}

TEST(SlurmWords, AJobInTheQueueTellsItsPlace) {
    const std::string answer =
        "squeue 0\n6|PENDING|Resources|N/A|\n7|PENDING|Priority|2026-11-24T22:17:46|\n"
        "pending\n5\n6\n7\nsacct\n";
    const RemoteJob job = settled(answer, {}, {}, 2);
    EXPECT_EQ(job.state, RemoteState::waiting);
    EXPECT_EQ(job.message,
              "waits for 4 GPUs, place 3, expected to start at 2026-11-24T22:17:46 of the host's "
              "clock");
    EXPECT_EQ(
        settled("squeue 0\n7|PENDING|QOSMaxJobsPerUserLimit|N/A|\npending\n7\nsacct\n").message,
        "waits in the queue, place 1 (Slurm's reason: QOSMaxJobsPerUserLimit)");
}

TEST(SlurmWords, OfAnArrayEachJobIsKnown) {
    const QueueNews news = kSlurm.parse(
        "squeue 0\n8_1|PENDING|Resources|N/A|\n8_[2-3]|PENDING|Resources|N/A|\npending\n7\n8_1\n"
        "sacct\n8_4|TIMEOUT|n1\n");
    EXPECT_EQ(news.jobs.size(), 2U);
    EXPECT_EQ(news.jobs.at("8_1").place, 2);
    EXPECT_EQ(news.jobs.at("8_4").end, QueueEnd::timeLimit);
}

TEST(SlurmWords, EndsAreTold) {
    const auto end = [](const char* state) {
        return settled(std::string("squeue 0\n7|") + state + "|None|N/A|n[1-2]\npending\nsacct\n");
    };
    EXPECT_EQ(end("TIMEOUT").message, "ended: time limit of 30 min");
    EXPECT_EQ(end("TIMEOUT").state, RemoteState::stopped);
    EXPECT_EQ(end("NODE_FAIL").message, "ended: a node failed (of n[1-2])");
    EXPECT_EQ(end("PREEMPTED").state, RemoteState::stopped);
    EXPECT_EQ(end("CANCELLED").state, RemoteState::cancelled);
    EXPECT_EQ(end("OUT_OF_MEMORY").state, RemoteState::failed);
    EXPECT_EQ(end("RUNNING").message, "runs on n[1-2]");
}

// The job's own folder counts most; a job that nobody cancelled was asked to end by Slurm.
TEST(SlurmWords, ItsOwnFolderIsAskedFirst) {
    JobTraces traces;
    traces.ended = 0;
    EXPECT_EQ(settled("squeue 1\nslurm_load_jobs error: Unable to contact", traces).state,
              RemoteState::done);
    for (const int code : {130, 143}) {  // 143: it was asked before it could see to it
        traces.ended = code;
        EXPECT_EQ(settled("squeue 0\npending\nsacct\n7|FAILED|n1\n", traces).message,
                  "ended: time limit of 30 min, or another job was preferred");
        EXPECT_EQ(settled("squeue 0\npending\nsacct\n7|CANCELLED by 0|n1\n", traces).state,
                  RemoteState::cancelled);
    }
    traces.ended = 1;
    const LogEnd failed = {.state = JobState::failed, .message = "The disk is full."};
    EXPECT_EQ(settled("squeue 0\npending\nsacct\n", traces, failed).message, "The disk is full.");
    // It is queued again: what the run before left does not count.
    EXPECT_EQ(settled("squeue 0\n7|PENDING|BeginTime|N/A|\npending\nsacct\n", traces).state,
              RemoteState::waiting);
}

TEST(SlurmWords, WithoutAnAnswerTheLastStateStays) {
    const RemoteJob job = settled("squeue 1\nUnable to contact slurm controller\n");
    EXPECT_EQ(job.state, RemoteState::running);
    EXPECT_NE(job.message.find("Unable to contact"), std::string::npos);
    EXPECT_EQ(settled("squeue 0\npending\nsacct\n").state, RemoteState::stopped);
}

TEST(SlurmWords, NothingOfItIsTrusted) {
    EXPECT_FALSE(kSlurm.parse("").answers);
    const QueueNews news = kSlurm.parse(
        "squeue 0\n$(id)|PENDING|x|y|z\n7\n|||||||\n7|\033[31mRUNNING|a|b|c|d|e\npending\n\n$(x)\n"
        "sacct\n-1|FAILED|\n");
    EXPECT_EQ(news.jobs.size(), 1U);
    EXPECT_EQ(news.jobs.at("7").state, QueueJob::State::ended) << "no state of that name";
}

}  // namespace
}  // namespace gantry
