#include "app/bench/slowed_rank.h"

#include <sched.h>

#include <array>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

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
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The rank number that Open MPI has given a process.
std::optional<int> rankOf(const std::string& environment) {
    constexpr std::array<std::string_view, 2> kNames = {"PMIX_RANK=", "OMPI_COMM_WORLD_RANK="};
    for (const std::string_view name : kNames)
        if (const std::size_t at = environment.find(name); at != std::string::npos)
            return numberIn(std::string_view(environment).substr(at + name.size()));
    return std::nullopt;
}

std::vector<int> coresAllowed() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    ::sched_getaffinity(0, sizeof(allowed), &allowed);
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &allowed)) cores.push_back(core);
    return cores;
}

void pin(pid_t process, int core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    std::error_code gone;
    for (const auto& entry :
         fs::directory_iterator("/proc/" + std::to_string(process) + "/task", gone))
        if (const auto thread = numberIn(entry.path().filename().string()))
            ::sched_setaffinity(*thread, sizeof(one), &one);
}

void wait(double seconds, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
}

}  // namespace

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
    const std::vector<int> cores = coresAllowed();
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

}  // namespace gantry
