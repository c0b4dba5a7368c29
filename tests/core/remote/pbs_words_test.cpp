#include <gtest/gtest.h>

#include <string>

#include "core/remote/scheduler/batch_system.h"

namespace gantry {
namespace {

constexpr const char* kWaits = R"(qstat 0
Job Id: 6.pbs01
    job_state = R
    exec_host = n1/0*2+n2/1*2
    Resource_List.walltime = 00:30:00
Job Id: 7.pbs01
    job_state = Q
    Resource_List.walltime = 00:30:00
    estimated.start_time = Tue Nov 24 22:17:46 2026
)";

RemoteJob settled(const std::string& qstat, JobTraces traces = {}, int gpus = 0) {
    RemoteJob job;
    job.number = "7";
    job.place = "/scratch/jobs/x";
    job.nodes = 2;
    job.minutes = 30;
    job.state = RemoteState::running;
    Host host;
    host.scheduler = Scheduler::pbs;
    host.gpusPerNode = gpus;
    settleByQueue(job, traces, {}, kPbs.parse(qstat), host);
    return job;
}

std::string inState(const std::string& state, const std::string& more = "") {
    return "qstat 0\nJob Id: 7.pbs01\n    job_state = " + state +
           "\n    Resource_List.walltime = 00:30:00\n" + more;
}

TEST(PbsWords, AJobInTheQueueIsWaited) {
    const RemoteJob job = settled(kWaits, {}, 2);
    EXPECT_EQ(job.state, RemoteState::waiting);
    EXPECT_EQ(
        job.message,
        "waits for 4 GPUs, expected to start at Tue Nov 24 22:17:46 2026 of the host's clock");
    EXPECT_EQ(settled(inState("Q",
                              "    comment = Not Running: Insufficient amount of resource: "
                              "ncpus (R: 8 A: 0 T: 8)\n"))
                  .message,
              "waits for 2 nodes");
    EXPECT_EQ(settled(inState("Q",
                              "    comment = Not Running: User has reached queue workq "
                              "running job limit.\n"))
                  .message,
              "waits in the queue (PBS's reason: User has reached queue workq running job limit.)");
    EXPECT_EQ(kPbs.parse(kWaits).jobs.at("6").nodes, "n1, n2");
}

TEST(PbsWords, EndsAreTold) {
    const auto end = [](const std::string& status, const std::string& used) {
        return settled(inState(
            "F", "    Exit_status = " + status + "\n    resources_used.walltime = " + used + "\n"));
    };
    EXPECT_EQ(end("-29", "00:30:05").message, "ended: time limit of 30 min");
    EXPECT_EQ(end("271", "00:30:01").message, "ended: time limit of 30 min");
    EXPECT_EQ(end("271", "00:03:01").state, RemoteState::cancelled);
    EXPECT_EQ(end("-27", "00:03:01").state, RemoteState::failed);
    EXPECT_EQ(end("-1", "00:00:00").state, RemoteState::stopped);
    EXPECT_EQ(settled(inState("F")).state, RemoteState::cancelled) << "before it had started";
    EXPECT_EQ(settled(inState("R", "    exec_host = n1/0\n")).message, "runs on n1");
    EXPECT_EQ(settled(inState("S", "    exec_host = n1/0\n")).message, "runs on n1, suspended");
    JobTraces traces;
    traces.ended = 130;
    EXPECT_EQ(settled(inState("F",
                              "    Exit_status = 130\n    resources_used.walltime = "
                              "00:30:00\n"),
                      traces)
                  .message,
              "ended: time limit of 30 min");
    traces.ended = 0;
    EXPECT_EQ(settled("qstat 0\n", traces).state, RemoteState::done);
}

TEST(PbsWords, OfAnArrayEachJobIsKnown) {
    const QueueNews news = kPbs.parse(
        "qstat 0\nJob Id: 8[1].pbs01\n    job_state = X\nJob Id: 8[2].pbs01\n    job_state = R\n"
        "Job Id: 8[].pbs01\n    job_state = B\n");
    EXPECT_EQ(news.jobs.size(), 2U);
    EXPECT_EQ(news.jobs.at("8[1]").end, QueueEnd::byItself) << "how is in its folder";
    EXPECT_EQ(news.jobs.at("8[2]").state, QueueJob::State::running);
}

TEST(PbsWords, NothingOfItIsTrusted) {
    EXPECT_FALSE(kPbs.parse("").answers);
    EXPECT_EQ(kPbs.parse("qstat 111\nqstat: cannot connect to server").complaint,
              "qstat: cannot connect to server");
    const QueueNews news = kPbs.parse(
        "qstat 0\njob_state = R\nJob Id: $(id)\n  job_state = R\nJob Id: 7[1].x\n"
        "  job_state = \033[31mR\n  Resource_List.walltime = 1:2:3:4\n =\nJob Id: \n");
    EXPECT_EQ(news.jobs.size(), 1U);
    EXPECT_EQ(news.jobs.at("7[1]").state, QueueJob::State::ended) << "no state of that name";
}

}  // namespace
}  // namespace gantry
