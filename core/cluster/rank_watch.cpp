#include "core/cluster/rank_watch.h"

#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <thread>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace gantry {

namespace {

// The first letter of a text says what it is.
constexpr char kAlive = 'a';
constexpr char kCancelled = 'c';
constexpr char kInputError = 'i';
constexpr char kOtherError = 'e';
constexpr double kGreetSeconds = 1;
constexpr auto kBetweenLooks = std::chrono::milliseconds(2);

}  // namespace

RankWatch::RankWatch(Communicator& ranks, std::vector<RankProcess> processes)
    : m_ranks(ranks),
      m_processes(std::move(processes)),
      m_heardNs(static_cast<std::size_t>(ranks.size()), nowNs()) {}

void RankWatch::greet() {
    if (secondsSince(m_greetedNs) < kGreetSeconds) return;
    m_greetedNs = nowNs();
    // Rank 0 hears of all, and all hear of rank 0.
    for (int other = 0; other < m_ranks.size(); ++other)
        if (other != m_ranks.rank() && (m_ranks.isFirst() || other == 0))
            m_ranks.send(other, {kAlive});
}

void RankWatch::take(const RankMessage& message) {
    m_heardNs[static_cast<std::size_t>(message.from)] = nowNs();
    const char kind = message.text.empty() ? kAlive : message.text.front();
    if (kind == kAlive) return;
    m_isTold = true;
    if (kind == kCancelled) throw Cancelled();
    const std::string sentence = message.text.substr(1);
    if (kind == kInputError) throw InputError(sentence);
    throw ResourceError(sentence);
}

void RankWatch::attend() {
    while (const std::optional<RankMessage> message = m_ranks.receive())
        take(*message);
    greet();
    for (int other = 0; other < m_ranks.size(); ++other) {
        const auto i = static_cast<std::size_t>(other);
        const bool isWatched = other != m_ranks.rank() && (m_ranks.isFirst() || other == 0);
        if (!isWatched || secondsSince(m_heardNs[i]) < kSilentSeconds) continue;
        throw ResourceError(fmt::format(
            "Rank {} on {} has given no sign of life for {:.0f} s; its host may be down. Resume "
            "the job when it is back, or on fewer ranks.",
            other, m_processes[i].host, kSilentSeconds));
    }
}

void RankWatch::run(const std::function<void(const std::stop_token&)>& work,
                    const std::stop_token& stop) {
    std::atomic<bool> isDone = false;
    std::exception_ptr failure;
    std::jthread worker([&](const std::stop_token& own) {
        try {
            work(own);
        } catch (...) {
            failure = std::current_exception();
        }
        isDone = true;
    });
    try {
        while (!isDone) {
            if (stop.stop_requested()) throw Cancelled();
            attend();
            std::this_thread::sleep_for(kBetweenLooks);
        }
    } catch (...) {
        worker.request_stop();
        throw;  // once the work has ended
    }
    worker.join();
    if (failure) std::rethrow_exception(failure);
}

void RankWatch::tellFailure(const std::exception& error) noexcept {
    if (m_isTold) return;
    m_isTold = true;
    try {
        const RankProcess& own = m_processes[static_cast<std::size_t>(m_ranks.rank())];
        const bool isCancelled = dynamic_cast<const Cancelled*>(&error) != nullptr;
        const bool isInput = dynamic_cast<const InputError*>(&error) != nullptr;
        const std::string text =
            isCancelled ? std::string(1, kCancelled)
                        : fmt::format("{}Rank {} on {}: {}", isInput ? kInputError : kOtherError,
                                      m_ranks.rank(), own.host, messageOf(error));
        for (int other = 0; other < m_ranks.size(); ++other)
            if (other != m_ranks.rank()) m_ranks.send(other, text);
    } catch (const std::exception&) {
        // The others will miss this rank.
    }
}

std::string RankWatch::whoIsGone() const {
    const RankProcess& own = m_processes[static_cast<std::size_t>(m_ranks.rank())];
    for (std::size_t i = 0; i < m_processes.size(); ++i) {
        const RankProcess& process = m_processes[i];
        if (process.host != own.host) continue;
        if (::kill(process.pid, 0) != 0 && errno == ESRCH)
            return fmt::format(
                "Rank {} on {} ended unexpectedly: its process {} was killed or crashed. Finished "
                "slabs are kept; resume the job.",
                i, process.host, process.pid);
    }
    return {};
}

}  // namespace gantry
