#include "app/cli/terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/foreign_text.h"
#include "core/base/json_text.h"
#include "core/base/system_fault.h"
#include "core/base/text.h"

namespace gantry {

void complain(const std::exception& error) {
    std::string sentence = error.what();
    if (dynamic_cast<const InternalError*>(&error)) sentence = messageOf(error);
    if (dynamic_cast<const std::bad_alloc*>(&error))
        sentence = "The memory does not suffice. Ask for fewer --voxels or less --memory.";
    if (const auto* const system = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
        sentence =
            fmt::format("{}: {}", system->path1().string(), systemReason(system->code().value()));
    // Makes the message one line, even if a file's name contains line breaks.
    for (char& c : sentence)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    constexpr std::size_t kMaxBytes = 880;
    show(stderr, "gantry: {}\n",
         withoutMiddle(terminalText(withFullStop(std::move(sentence))), kMaxBytes));
}

void showText(std::FILE* to, const std::string& text) {
    const std::string clean = terminalText(text);
    const bool isWritten = std::fwrite(clean.data(), 1, clean.size(), to) == clean.size();
    if (!isWritten && to == stdout)
        throw ResourceError("The output cannot be written. Is the disk full?");
}

void showJson(const nlohmann::ordered_json& document) {
    show("{}\n", shownJson(document));
}

void prepareStreams() {
    // open() returns the lowest free number, so this fills the standard streams that are closed.
    for (int number = open("/dev/null", O_RDWR); number >= 0; number = open("/dev/null", O_RDWR))
        if (number > STDERR_FILENO) {
            close(number);
            break;
        }
    // A write beyond the limit of file sizes then fails with EFBIG and does not kill the program.
    std::signal(SIGXFSZ, SIG_IGN);
}

ProgressLine::ProgressLine(std::string what, bool forMachines)
    : m_what(std::move(what)),
      m_terminal(isatty(STDERR_FILENO) != 0),
      m_plain(!m_terminal && !forMachines),
      m_beginNs(nowNs()) {}

ProgressLine::~ProgressLine() {
    end();
}

void ProgressLine::update(double fraction) {
    Progress progress;
    progress.fraction = fraction;
    progress.elapsedSeconds = secondsSince(m_beginNs);
    progress.leftSeconds = fraction > 0 ? progress.elapsedSeconds * (1 - fraction) / fraction : -1;
    update(progress);
}

namespace {

std::string describe(const Progress& progress) {
    std::string text = fmt::format("{:3.0f} %", 100 * progress.fraction);
    if (progress.iteration > 0)
        text += fmt::format("  iteration {} of {}", progress.iteration, progress.iterations);
    if (progress.leftSeconds >= 0)
        text += fmt::format("  {} left", formatDuration(progress.leftSeconds));
    if (progress.gups > 0) text += fmt::format("  {:.2f} GUPS", progress.gups);
    return text;
}

// Writes text with our own control characters, which showText() would remove. Errors are ignored,
// because progress that cannot be shown does no harm.
void writeRaw(const std::string& text) {
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
}

}  // namespace

void ProgressLine::update(const Progress& progress) {
    const std::scoped_lock lock(m_mutex);
    constexpr std::int64_t kRedrawNs = 100'000'000;
    constexpr std::int64_t kPlainNs = 1'000'000'000;
    const std::int64_t now = nowNs();
    if (m_terminal && now - m_lastNs >= kRedrawNs) {
        m_lastNs = now;
        draw(progress);
    }
    const int quarter = static_cast<int>(4 * progress.fraction);
    if (m_plain && quarter >= m_nextQuarter && quarter < 4) {
        m_nextQuarter = quarter + 1;
        if (now - std::max(m_lastNs, m_beginNs) < kPlainNs) return;
        m_lastNs = now;
        show(stderr, "{} {}\n", m_what, describe(progress));
    }
}

void ProgressLine::draw(const Progress& progress) {
    constexpr int kCells = 28;
    const int full =
        std::clamp(static_cast<int>(std::lround(kCells * progress.fraction)), 0, kCells);
    std::string bar;
    for (int i = 0; i < kCells; ++i)
        bar += i < full ? "▓" : "░";
    writeRaw(fmt::format("\r{} {} {}\033[K", terminalText(m_what), bar, describe(progress)));
    m_drawn = true;
}

void ProgressLine::end() {
    const std::scoped_lock lock(m_mutex);
    if (m_drawn) writeRaw("\r\033[K");
    m_drawn = false;
}

namespace {

// Counts characters, not bytes: every UTF-8 sequence has one byte that is not a continuation.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// The blanks that widen a text to `to` characters.
std::string padding(const std::string& text, std::size_t to) {
    return std::string(to - std::min(to, width(text)), ' ');
}

}  // namespace

std::string textTable(const TextRows& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
        text += "  ";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad = padding(row[i], widths[i]);
            text += i == 0 ? row[i] + pad : "   " + pad + row[i];
        }
        text += "\n";
    }
    return text;
}

std::string textFields(const std::vector<std::pair<std::string, std::string>>& fields) {
    std::size_t max = 0;
    for (const auto& [label, value] : fields)
        max = std::max(max, width(label));
    std::string text;
    for (const auto& [label, value] : fields)
        text += fmt::format("  {}{}   {}\n", label, padding(label, max), value);
    return text;
}

}  // namespace gantry
