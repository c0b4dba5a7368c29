#include "core/cluster/rank_watch.h"

#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/error.h"

namespace gantry {

namespace {

// The first letter of a text is its kind.
constexpr char kAlive = 'a';
constexpr char kCancelled = 'c';
constexpr char kInputError = 'i';
constexpr char kOtherError = 'e';
constexpr char kWhatTime = '?';
constexpr char kTime = 't';
constexpr char kTextToListener = 'w';
constexpr double kGreetSeconds = 0.25;
constexpr double kAskSeconds = 1;  // between questions for the time
constexpr auto kBetweenPolls = std::chrono::milliseconds(2);

// Reads the number after the first letter.
template <class Number>
std::optional<Number> numberIn(const std::string& text) {
    if (text.size() < 2) return std::nullopt;
    Number number = 0;
    const char* const end = text.data() + text.size();
    return std::from_chars(text.data() + 1, end, number).ec == std::errc() ? std::optional(number)
                                                                           : std::nullopt;
}

}  // namespace

RankWatch::RankWatch(Communicator& ranks, std::vector<RankProcess> processes,
                     std::function<std::int64_t()> clock)
    : m_ranks(ranks),
      m_processes(std::move(processes)),
      m_heardNs(static_cast<std::size_t>(ranks.size()), nowNs()),
      m_progresses(static_cast<std::size_t>(ranks.size())),
      m_clock(std::move(clock)) {}

double RankWatch::progressOf(int rank) const {
    return rank == m_ranks.rank() ? m_progress.load()
                                  : m_progresses[static_cast<std::size_t>(rank)].load();
}

void RankWatch::setProgressOf(int rank, double fraction) {
    m_progresses[static_cast<std::size_t>(rank)] = fraction;
    if (rank == m_ranks.rank()) m_progress = fraction;
}

void RankWatch::greet() {
    if (hasOwnClock() && secondsSince(m_askedNs) >= kAskSeconds) askTime();
    if (secondsSince(m_greetedNs) < kGreetSeconds) return;
    m_greetedNs = nowNs();
    // Every rank reports to rank 0, and rank 0 reports to every rank.
    for (int other = 0; other < m_ranks.size(); ++other)
        if (other != m_ranks.rank() && (m_ranks.isFirst() || other == 0))
            m_ranks.send(other, fmt::format("{}{}", kAlive, m_progress.load()));
}

void RankWatch::takeProgress(const RankMessage& message) {
    if (const std::optional<double> fraction = numberIn<double>(message.text))
        m_progresses[static_cast<std::size_t>(message.from)] = *fraction;
}

void RankWatch::take(const RankMessage& message) {
    m_heardNs[static_cast<std::size_t>(message.from)] = nowNs();
    const char kind = message.text.empty() ? kAlive : message.text.front();
    if (kind == kAlive) return takeProgress(message);
    if (kind == kTextToListener) return takeText({message.from, message.text.substr(1)});
    // The answer contains the time of asking.
    if (kind == kWhatTime)
        return m_ranks.send(message.from,
                            fmt::format("{}{} {}", kTime, m_clock(), message.text.substr(1)));
    if (kind == kTime) return takeTime(message);
    m_isTold = true;
    if (kind == kCancelled) throw Cancelled();
    const std::string sentence = message.text.substr(1);
    if (kind == kInputError) throw InputError(sentence);
    throw ResourceError(sentence);
}

void RankWatch::takeText(RankMessage message) {
    if (m_listener.take)
        m_listener.take(message);
    else
        m_untaken.push_back(std::move(message));
}

void RankWatch::setListener(Listener listener) {
    m_listener = std::move(listener);
    for (RankMessage& message : std::exchange(m_untaken, {}))
        takeText(std::move(message));
}

void RankWatch::post(int to, std::string text) {
    const std::scoped_lock lock(m_postMutex);
    m_posts.push_back({to, std::move(text)});
}

void RankWatch::sendPosts() {
    std::vector<Post> posts;
    {
        const std::scoped_lock lock(m_postMutex);
        posts.swap(m_posts);
    }
    for (Post& post : posts)
        if (post.to == m_ranks.rank())
            takeText({post.to, std::move(post.text)});
        else
            m_ranks.send(post.to, kTextToListener + post.text);
}

void RankWatch::takeTime(const RankMessage& message) {
    const std::size_t gap = message.text.find(' ');
    if (gap == std::string::npos) return;
    const auto first = numberIn<std::int64_t>(message.text.substr(0, gap));
    const auto asked = numberIn<std::int64_t>(message.text.substr(gap));
    ++m_answers;
    if (first && asked) m_rankClock.add({*asked, *first, m_clock()});
}

// Processes on one machine share a clock.
bool RankWatch::hasOwnClock() const {
    return m_processes.front().host != m_processes[static_cast<std::size_t>(m_ranks.rank())].host;
}

void RankWatch::askTime() {
    m_askedNs = nowNs();
    m_ranks.send(0, fmt::format("{}{}", kWhatTime, m_clock()));
}

void RankWatch::attend() {
    while (const std::optional<RankMessage> message = m_ranks.receive())
        take(*message);
    greet();
    if (m_listener.poll) m_listener.poll();
    sendPosts();
    if (const std::string silent = whoIsSilent(kSilentSeconds, nowNs()); !silent.empty())
        throw ResourceError(silent);
}

std::string RankWatch::whoIsSilent(double seconds, std::int64_t atNs) const {
    for (int other = 0; other < m_ranks.size(); ++other) {
        const auto i = static_cast<std::size_t>(other);
        const bool isWatched = other != m_ranks.rank() && (m_ranks.isFirst() || other == 0);
        const double silent = 1e-9 * static_cast<double>(atNs - m_heardNs[i]);
        if (!isWatched || silent < seconds) continue;
        return fmt::format(
            "Rank {} on {} has given no sign of life for {:.0f} s; its host may be down. Resume "
            "the job when it is back, or on fewer ranks.",
            other, m_processes[i].host, silent);
    }
    return {};
}

void RankWatch::run(const std::function<void(const std::stop_token&)>& work,
                    const std::stop_token& stop) {
    std::atomic<bool> isDone = false;
    std::exception_ptr failure;
    {
        const std::scoped_lock lock(m_callMutex);
        m_refusesCalls = false;
    }
    std::jthread worker([&](const std::stop_token& own) {
        try {
            work(own);
        } catch (...) {
            failure = std::current_exception();
        }
        isDone = true;
    });
    const Communicator::Waiting waiting = {stop, [this] { attend(); }};
    try {
        while (!isDone) {
            if (stop.stop_requested()) throw Cancelled();
            attend();
            doCalls(waiting);
            std::this_thread::sleep_for(kBetweenPolls);
        }
    } catch (...) {
        m_endNs = nowNs();
        worker.request_stop();
        refuseCalls();
        throw;  // after the work has ended
    }
    worker.join();
    m_endNs = nowNs();
    refuseCalls();
    if (failure) std::rethrow_exception(failure);
}

void RankWatch::doCalls(const Communicator::Waiting& waiting) {
    const Call* call = nullptr;
    {
        const std::scoped_lock lock(m_callMutex);
        call = m_call;
    }
    if (!call) return;
    (*call)(waiting);
    {
        const std::scoped_lock lock(m_callMutex);
        m_call = nullptr;
    }
    m_callDone.notify_all();
}

void RankWatch::refuseCalls() noexcept {
    {
        const std::scoped_lock lock(m_callMutex);
        m_refusesCalls = true;
    }
    m_callDone.notify_all();
}

void RankWatch::call(const Call& what) {
    std::unique_lock lock(m_callMutex);
    if (m_refusesCalls) throw Cancelled();
    m_call = &what;
    m_callDone.wait(lock, [&] { return !m_call || m_refusesCalls; });
    if (m_call) throw Cancelled();
}

void RankWatch::compareClocks(const Communicator::Waiting& waiting) {
    constexpr int kQuestions = 8;
    for (int i = 0; i < kQuestions && hasOwnClock(); ++i) {
        const int before = m_answers;
        askTime();
        while (m_answers == before) {
            if (waiting.stop.stop_requested()) throw Cancelled();
            attend();
        }
    }
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
        // This rank is failing already; the others will notice its silence.
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
    constexpr double kLongSilence = 15;  // a rank usually speaks every second
    return whoIsSilent(kLongSilence, m_endNs);
}

}  // namespace gantry
