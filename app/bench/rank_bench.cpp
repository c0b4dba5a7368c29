#include "app/bench/rank_bench.h"

#include <sched.h>
#include <sys/types.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

#include "app/bench/bench_folder.h"
#include "app/bench/bench_scan.h"
#include "app/bench/child.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/parallel.h"
#include "core/plan/cluster/rank_weights.h"
#include "core/plan/request.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Binds the ranks of a job on this machine to a core each as soon as they exist, and slows the
// last one down by stopping it for a part of every few hundredths of a second, as other load on
// its core would. The destructor lets all ranks run normally again.
class SlowedRank {
  public:
    /// job: its folder, which identifies its processes
    /// speed: of the slowed rank, relative to full speed; afterSeconds: since it exists
    SlowedRank(const std::filesystem::path& job, int ranks, double speed, double afterSeconds);

  private:
    void run(const std::stop_token& stop) const;
    [[nodiscard]] std::map<int, pid_t> processes() const;

    std::filesystem::path m_job;
    int m_ranks;
    double m_speed;
    double m_afterSeconds;
    std::jthread m_thread;  ///< last, because it uses the others
};

constexpr double kPeriodSeconds = 0.04;
constexpr double kPinningSeconds = 2;  // until a process has all its threads

std::optional<int> numberIn(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

// Reads a file that reports no size; empty if the process has ended.
std::string contentOf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();  // an iterator over the buffer would throw if the process ends meanwhile
    return content.str();
}

// The rank number that Open MPI has given a process.
std::optional<int> rankOf(const std::string& environment) {
    constexpr std::array<std::string_view, 2> kNames = {"PMIX_RANK=", "OMPI_COMM_WORLD_RANK="};
    for (const std::string_view name : kNames)
        if (const std::size_t at = environment.find(name); at != std::string::npos)
            return numberIn(std::string_view(environment).substr(at + name.size()));
    return std::nullopt;
}

void pin(pid_t process, int core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    std::error_code gone;
    for (fs::directory_iterator task("/proc/" + std::to_string(process) + "/task", gone);
         !gone && task != fs::directory_iterator(); task.increment(gone))
        if (const auto thread = numberIn(task->path().filename().string()))
            ::sched_setaffinity(*thread, sizeof(one), &one);
}

void wait(double seconds, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
}

SlowedRank::SlowedRank(const fs::path& job, int ranks, double speed, double afterSeconds)
    : m_job(job),
      m_ranks(ranks),
      m_speed(speed),
      m_afterSeconds(afterSeconds),
      m_thread([this](const std::stop_token& stop) { run(stop); }) {}

std::map<int, pid_t> SlowedRank::processes() const {
    std::map<int, pid_t> found;
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator("/proc", gone)) {
        const auto process = numberIn(entry.path().filename().string());
        if (!process) continue;
        const std::string words = contentOf(entry.path() / "cmdline");
        // The launcher has the folder among its arguments too, but is no rank.
        if (words.find(m_job.string() + '\0') == std::string::npos) continue;
        if (const auto rank = rankOf(contentOf(entry.path() / "environ"))) found[*rank] = *process;
    }
    return found;
}

void SlowedRank::run(const std::stop_token& stop) const {
    const std::vector<int> cores = availableCores();
    std::map<int, pid_t> ranks;
    while (!stop.stop_requested() && static_cast<int>(ranks.size()) < m_ranks) {
        ranks = processes();
        wait(0.01, stop);
    }
    const std::int64_t begin = nowNs();
    const pid_t slowed = ranks.empty() ? 0 : ranks.rbegin()->second;
    while (!stop.stop_requested()) {
        if (secondsSince(begin) < kPinningSeconds)
            for (const auto& [rank, process] : ranks)
                pin(process, cores[static_cast<std::size_t>(rank) % cores.size()]);
        const bool isSlow = m_speed < 1 && secondsSince(begin) >= m_afterSeconds;
        if (isSlow && ::kill(slowed, SIGSTOP) != 0) return;  // it has ended
        if (isSlow) wait((1 - m_speed) * kPeriodSeconds, stop);
        if (isSlow && ::kill(slowed, SIGCONT) != 0) return;
        wait(isSlow ? m_speed * kPeriodSeconds : kPeriodSeconds, stop);
    }
}

constexpr int kRanks = 2;

struct Run {
    double seconds = 0;
    std::vector<double> shares;
    Index movedSlices = 0;
};

// Slices of slabs whose neighbours below belong to another row: each row began with a contiguous
// range of slices.
Index movedSlices(const nlohmann::json& plan) {
    const auto& slabs = plan["grid"]["slabs"];
    const auto& shares = plan["grid"]["shares"];
    const Index all = slabs.back()["slices"][1];
    const auto begun = Index{std::llround(shares[0].get<double>() * static_cast<double>(all))};
    Index moved = 0;
    for (const nlohmann::json& slab : slabs) {
        const Index begin = slab["slices"][0];
        const Index end = slab["slices"][1];
        const int row = begin >= begun ? 1 : 0;
        if (slab["row"].get<int>() != row) moved += end - begin;
    }
    return moved;
}

class RankBench {
  public:
    RankBench(const ConeProblem& problem, const fs::path& folder, const std::stop_token& stop)
        : m_problem(problem), m_folder(folder), m_stop(stop) {
        m_scan = writeBenchScan(problem, m_folder.path(), stop);
    }

    Run run(const std::string& weights, double speed, double afterSeconds) {
        const BenchFolder place(m_folder.path());
        const fs::path job = place.path() / "job";
        const auto& voxels = m_problem.grid.voxels;
        const std::string sizes = std::to_string(voxels[0]) + "x" + std::to_string(voxels[1]) +
                                  "x" + std::to_string(voxels[2]);
        const SlowedRank slowed(job, kRanks, speed, afterSeconds);
        const std::string printed = outputOfProgram({"reconstruct",
                                                     m_scan.string(),
                                                     "--voxels",
                                                     sizes,
                                                     "--pitch-mm",
                                                     std::to_string(m_problem.grid.pitchMm[0]),
                                                     "--engine",
                                                     "cpu",
                                                     "--kernel",
                                                     kReferenceKernel,
                                                     "--threads",
                                                     std::to_string(kRanks),
                                                     "--ranks",
                                                     std::to_string(kRanks),
                                                     "--grid-rows",
                                                     std::to_string(kRanks),
                                                     "--exchange",
                                                     "rows",
                                                     "--no-checksum",
                                                     "--weights",
                                                     weights,
                                                     "--out",
                                                     (place.path() / "volume.raw").string(),
                                                     "--job",
                                                     job.string(),
                                                     "--json"},
                                                    m_stop);
        const nlohmann::json plan = ownJson(readTextFile(job / "plan.json"));
        Run run;
        run.seconds = ownJson(printed)["wallSeconds"];
        run.shares = plan["grid"]["shares"].get<std::vector<double>>();
        run.movedSlices = movedSlices(plan);
        return run;
    }

  private:
    const ConeProblem& m_problem;
    const BenchFolder m_folder;
    const std::stop_token m_stop;
    fs::path m_scan;
};

struct PaperCluster {
    const char* name;
    std::array<NodeParameters, 4> nodes;
    std::array<std::array<double, 4>, 4> printed;  ///< [scheme]
};

constexpr std::array<const char*, 4> kSchemes = {"log", "logistic", "logistic-planes, 2k",
                                                 "logistic-planes, 10k"};
const std::array<PaperCluster, 4> kClusters = {
    {{"table I",
      {{{3, 12, 32, 2}, {3, 4, 32, 2}, {4, 12, 52, 2}, {2, 8, 12, 2}}},
      {{{26.2, 22.7, 34.2, 16.9},
        {27.7, 21.1, 35.7, 15.6},
        {26.6, 20.6, 34.6, 18.1},
        {28.3, 20.8, 36.3, 14.6}}}},
     {"table II",
      {{{4, 32, 52, 2}, {4, 16, 52, 2}, {4, 8, 52, 2}, {4, 4, 52, 2}}},
      {{{27.9, 26.0, 24.0, 22.1},
        {28.0, 28.0, 23.2, 20.8},
        {26.6, 26.6, 26.1, 20.6},
        {31.9, 28.2, 20.6, 19.4}}}},
     {"table III",
      {{{1, 16, 52, 2}, {2, 4, 32, 2}, {3, 4, 52, 2}, {4, 16, 64, 2}}},
      {{{22.4, 18.1, 24.8, 34.6},
        {24.1, 16.5, 23.2, 36.2},
        {23.9, 16.7, 23.4, 36.0},
        {25.4, 15.2, 21.9, 37.6}}}},
     {"table IV",
      {{{3, 64, 32, 2}, {3, 16, 64, 2}, {1, 4, 16, 2}, {8, 8, 128, 2}}},
      {{{23.6, 24.3, 9.5, 42.6},
        {22.5, 26.8, 8.6, 42.2},
        {21.1, 25.5, 8.3, 45.1},
        {26.3, 27.0, 7.1, 39.5}}}}}};

}  // namespace

std::vector<PaperShares> paperShares() {
    const std::array<NodeWeights, 4> weights = {logWeights(), doubleLogisticWeights(),
                                                doubleLogisticWeights(2000),
                                                doubleLogisticWeights(10'000)};
    std::vector<PaperShares> all;
    for (const PaperCluster& cluster : kClusters)
        for (std::size_t scheme = 0; scheme < weights.size(); ++scheme) {
            PaperShares one = {cluster.name, kSchemes[scheme], {}, {}};
            one.printed.assign(cluster.printed[scheme].begin(), cluster.printed[scheme].end());
            for (const double share : nodeShares(weights[scheme], cluster.nodes))
                one.ours.push_back(100 * share);
            all.push_back(std::move(one));
        }
    return all;
}

std::vector<UnequalRanks> benchUnequalRanks(const ConeProblem& problem, const fs::path& folder,
                                            const std::stop_token& stop,
                                            const std::function<void(double)>& onRun) {
    RankBench bench(problem, folder, stop);
    std::vector<UnequalRanks> all = {{}, {0.5}, {0.25}, {0.25, -1}};
    double runs = 0;
    double full = 0;  // seconds of two ranks at full speed
    const auto run = [&](const char* weights, const UnequalRanks& one) {
        Run made = bench.run(weights, one.speed, one.afterSeconds);
        onRun(++runs / static_cast<double>(2 * all.size()));
        return made;
    };
    for (UnequalRanks& one : all) {
        if (one.afterSeconds < 0) one.afterSeconds = 0.4 * full;
        one.uniformSeconds = run("uniform", one).seconds;
        if (full == 0) full = one.uniformSeconds;
        // After one rank is slowed, the rest is made at the combined speed of both.
        one.idealSeconds = one.afterSeconds + 2 * (full - one.afterSeconds) / (1 + one.speed);
        const Run measured = run("measured", one);
        one.measuredSeconds = measured.seconds;
        one.shares = measured.shares;
        one.movedSlices = measured.movedSlices;
    }
    return all;
}

}  // namespace gantry
