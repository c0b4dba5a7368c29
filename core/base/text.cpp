#include "core/base/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "core/base/throw_error.h"

namespace gantry {

std::string formatBytes(Index bytes) {
    static constexpr std::array<const char*, 6> kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (std::abs(value) >= 999.5 && unit + 1 < kUnits.size()) {
        value /= 1000;
        ++unit;
    }
    if (unit == 0) return fmt::format("{} B", bytes);
    const int decimals = std::abs(value) < 9.995 ? 2 : std::abs(value) < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, decimals, kUnits[unit]);
}

std::string formatDuration(double seconds) {
    if (!std::isfinite(seconds)) return "unknown";
    if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
    if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
    const auto whole = std::llround(seconds);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

Index parseBytes(std::string_view text, std::string_view field) {
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string unit = inLowerCase({rest, text.data() + text.size()});
    std::erase(unit, ' ');
    double factor = 0;
    if (unit.empty() || unit == "b") factor = 1;
    const auto prefix = std::string_view("kmgt").find(unit.empty() ? ' ' : unit[0]);
    if (prefix != std::string_view::npos) {
        const std::string_view suffix = std::string_view(unit).substr(1);
        const auto power = static_cast<double>(prefix + 1);
        if (suffix.empty() || suffix == "b") factor = std::pow(1000.0, power);
        if (suffix == "ib") factor = std::pow(1024.0, power);
    }
    const double bytes = value * factor;
    if (error != std::errc() || !(bytes >= 1) || bytes > 9e18)
        throwError<InputError>("{} is '{}'; it must be a size, such as 400M or 4G.", field, text);
    return static_cast<Index>(bytes);
}

namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

// The run of digits at the front of `text`, without leading zeros.
std::string_view digitRun(std::string_view text, std::size_t& length) {
    length = 0;
    while (length < text.size() && isDigit(text[length]))
        ++length;
    std::string_view run = text.substr(0, length);
    while (run.size() > 1 && run.front() == '0')
        run.remove_prefix(1);
    return run;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r";
    const auto first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string quotable(std::string_view text) {
    constexpr std::size_t kMax = 40;
    std::string shown(text.substr(0, kMax));
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 32) c = ' ';
    return shown;
}

std::string inLowerCase(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::string listed(const std::vector<std::string>& words, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 < words.size() ? ", " : fmt::format(" {} ", last);
        text += words[i];
    }
    return text;
}

bool naturalLess(std::string_view a, std::string_view b) {
    const std::string_view wholeA = a;
    const std::string_view wholeB = b;
    while (!a.empty() && !b.empty()) {
        if (isDigit(a.front()) && isDigit(b.front())) {
            std::size_t lengthA = 0;
            std::size_t lengthB = 0;
            const std::string_view runA = digitRun(a, lengthA);
            const std::string_view runB = digitRun(b, lengthB);
            if (runA.size() != runB.size()) return runA.size() < runB.size();
            if (runA != runB) return runA < runB;
            a.remove_prefix(lengthA);
            b.remove_prefix(lengthB);
        } else {
            if (a.front() != b.front()) return a.front() < b.front();
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    if (a.empty() != b.empty()) return a.empty();
    return wholeA < wholeB;  // "1" and "01" are different names, so they must not be equal
}

std::string withFullStop(std::string text) {
    if (!text.empty() && !text.ends_with('.') && !text.ends_with('?') && !text.ends_with('!'))
        text += '.';
    return text;
}

}  // namespace gantry
