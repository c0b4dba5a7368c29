#include "core/job/event_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/job/event_line.h"

namespace gantry {

namespace {

constexpr Index kReadBytes = 16'000'000;  // in one call
constexpr Index kHeadBytes = 256;         // contain the time at which the log was started

std::string textAt(const File& file, Index offset, Index bytes) {
    std::string text(bytes, '\0');
    file.readAt(offset, std::as_writable_bytes(std::span(text)));
    return text;
}

// All lines of a text that ends with one. @throws Cancelled
void takeLines(std::string_view text, EventNews& news, const std::stop_token& stop) {
    constexpr int kLinesBetweenChecks = 512;
    for (int line = 0; !text.empty(); ++line) {
        if (line % kLinesBetweenChecks == 0 && stop.stop_requested()) throw Cancelled();
        const std::size_t end = text.find('\n');
        takeEventLine(text.substr(0, end), news);
        text.remove_prefix(end + 1);
    }
}

// Reads one file.
struct FileTail {
    std::filesystem::path path;
    Index offset = 0;            ///< position up to which it was read: the begin of a line
    std::string head;            ///< the file's first bytes, as far as they were read
    bool inLongLine = false;     ///< at `offset` is the rest of a line too long to be an event
    bool reportRestart = false;  ///< not yet reported
    WorkTime work;               ///< as far as it has been read

    [[nodiscard]] bool isSameFile(const File& file, Index size) const {
        const auto headBytes = std::ssize(head);
        return size >= offset && size >= headBytes && textAt(file, 0, headBytes) == head;
    }
    void restart() {
        offset = 0;
        head.clear();
        inLongLine = false;
        reportRestart = true;
        work = {};
    }
    EventNews readOn(const File& file, const std::stop_token& stop);
    EventNews read(const std::stop_token& stop);
};

EventNews FileTail::readOn(const File& file, const std::stop_token& stop) {
    EventNews news;
    const Index size = file.sizeBytes();
    if (!isSameFile(file, size)) restart();
    news.work = work;
    const Index bytes = std::min(size - offset, kReadBytes);
    const std::string chunk = textAt(file, offset, bytes);
    const bool isFull = bytes == kReadBytes;

    std::string_view lines = std::string_view(chunk).substr(0, chunk.rfind('\n') + 1);
    Index taken = std::ssize(lines);
    bool nextInLongLine = inLongLine && lines.empty();
    if (inLongLine && !lines.empty()) {
        lines.remove_prefix(lines.find('\n') + 1);
        ++news.skippedLines;
    }
    if (taken == 0 && isFull) nextInLongLine = true;
    if (nextInLongLine) taken = bytes;
    takeLines(lines, news, stop);

    // Set only now, because after Cancelled the same lines are read again.
    if (std::ssize(head) < kHeadBytes && offset + taken > 0)
        head = textAt(file, 0, std::min(kHeadBytes, offset + taken));
    offset += taken;
    work = news.work;
    inLongLine = nextInLongLine;
    news.more = isFull && offset < size;
    news.restarted = std::exchange(reportRestart, false);
    return news;
}

EventNews FileTail::read(const std::stop_token& stop) {
    if (!pathExists(path)) return {};
    try {
        return readOn(File(path, File::Mode::read), stop);
    } catch (const InputError&) {
        // The file was removed or truncated while it was read: no news until it exists again.
        if (pathExists(path)) {
            const File file(path, File::Mode::read);
            if (isSameFile(file, file.sizeBytes())) throw;
        }
        return {};
    }
}

}  // namespace

struct EventTail::State {
    FileTail main;
    std::vector<FileTail> ranks;  ///< from 1 on
    std::map<int, std::string> hosts;

    // Adds the author of a rank's message: "info: rank 2 on node7: Engine: CPU."
    [[nodiscard]] std::string signedBy(int rank, const std::string& log) const {
        const auto host = hosts.find(rank);
        const std::string who = host == hosts.end()
                                    ? fmt::format("rank {}: ", rank)
                                    : fmt::format("rank {} on {}: ", rank, host->second);
        const std::size_t levelEnd = log.find(": ");
        return levelEnd == std::string::npos ? who + log
                                             : std::string(log).insert(levelEnd + 2, who);
    }

    // A run on fewer ranks than the one before keeps the logs of the others.
    void follow(int count) {
        for (int rank = static_cast<int>(ranks.size()) + 1; rank < count; ++rank)
            ranks.emplace_back().path = rankEvents(main.path, rank);
    }
};

bool EventNews::empty() const {
    return !restarted && hosts.empty() && spans.empty() && logs.empty() && !state && !progress &&
           iterations.empty() && skippedLines == 0;
}

void takeIterations(const std::vector<IterationFigures>& news,
                    std::vector<IterationFigures>& known) {
    for (const IterationFigures& figures : news) {
        std::erase_if(known, [&](const IterationFigures& earlier) {
            return earlier.iteration >= figures.iteration;
        });
        known.push_back(figures);
    }
}

EventTail::EventTail(std::filesystem::path path) : m_state(std::make_unique<State>()) {
    m_state->main.path = std::move(path);
}

EventTail::~EventTail() = default;
EventTail::EventTail(EventTail&&) noexcept = default;
EventTail& EventTail::operator=(EventTail&&) noexcept = default;

EventNews EventTail::read(const std::stop_token& stop) {
    EventNews news = m_state->main.read(stop);
    if (news.restarted || news.ranks) m_state->follow(news.ranks.value_or(1));
    for (const auto& [rank, host] : news.hosts)
        m_state->hosts[rank] = host;
    for (std::size_t i = 0; i < m_state->ranks.size(); ++i) {
        EventNews ofRank = m_state->ranks[i].read(stop);
        std::move(ofRank.spans.begin(), ofRank.spans.end(), std::back_inserter(news.spans));
        for (const std::string& log : ofRank.logs)
            news.logs.push_back(m_state->signedBy(static_cast<int>(i) + 1, log));
        if (ofRank.lastNs) news.lastNs = std::max(news.lastNs.value_or(0), *ofRank.lastNs);
        news.skippedLines += ofRank.skippedLines;
        news.more = news.more || ofRank.more;
    }
    return news;
}

}  // namespace gantry
