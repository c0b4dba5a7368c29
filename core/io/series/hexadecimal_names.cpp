#include "core/io/series/hexadecimal_names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

namespace gantry {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

// Runs of hexadecimal digits, and the texts around them.
NumberedName hexadecimalRuns(const std::string& name) {
    NumberedName parts{{""}, {}, {}};
    for (std::size_t at = 0; at < name.size();) {
        if (kHexDigits.find(name[at]) == std::string_view::npos) {
            parts.texts.back() += name[at++];
            continue;
        }
        const std::size_t end = std::min(name.find_first_not_of(kHexDigits, at), name.size());
        parts.written.push_back(name.substr(at, end - at));
        parts.texts.emplace_back();
        at = end;
    }
    return parts;
}

std::optional<std::uint64_t> hexadecimalValue(std::string_view digits) {
    constexpr std::size_t kMaxDigits = 15;
    std::uint64_t value = 0;
    if (digits.size() > kMaxDigits) return std::nullopt;
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return value;
}

// The only run of hexadecimal digits in which names differ, with all that stands there.
struct DifferingRun {
    std::size_t place = 0;
    std::vector<std::string> digits;
};

// None where names differ in more, in digits of both cases, or in decimal numbers alone.
std::optional<DifferingRun> differingRun(const std::vector<std::string>& names) {
    constexpr std::size_t kMinNames = 3;
    if (names.size() < kMinNames || !numberColumns(names, {}).empty()) return std::nullopt;
    const NumberedName first = hexadecimalRuns(names.front());
    std::set<std::size_t> places;
    std::vector<NumberedName> all;
    for (const std::string& name : names) {
        all.push_back(hexadecimalRuns(name));
        if (all.back().texts != first.texts) return std::nullopt;
        for (std::size_t i = 0; i < first.written.size(); ++i)
            if (all.back().written[i] != first.written[i]) places.insert(i);
    }
    if (places.size() != 1) return std::nullopt;
    DifferingRun run = {*places.begin(), {}};
    bool hasLower = false;
    bool hasUpper = false;
    for (const NumberedName& parts : all) {
        run.digits.push_back(parts.written[run.place]);
        for (const char c : run.digits.back()) {
            hasLower = hasLower || (c >= 'a' && c <= 'f');
            hasUpper = hasUpper || (c >= 'A' && c <= 'F');
        }
    }
    return hasLower != hasUpper ? std::optional(std::move(run)) : std::nullopt;
}

// Whether these count in hexadecimal: nearly all values of equal steps are there, and each once.
bool doCount(const std::vector<std::string>& digits) {
    constexpr double kNearlyAll = 0.9;
    std::vector<double> values;
    for (const std::string& number : digits) {
        const auto value = hexadecimalValue(number);
        if (!value) return false;
        values.push_back(static_cast<double>(*value));
    }
    std::ranges::sort(values);
    double step = values.back() - values.front();
    for (std::size_t i = 1; i < values.size(); ++i)
        step = std::min(step, values[i] - values[i - 1]);
    if (!(step > 0)) return false;
    const double wanted = (values.back() - values.front()) / step + 1;
    return static_cast<double>(values.size()) >= kNearlyAll * wanted;
}

}  // namespace

NumberedName takeHexadecimalApart(const std::string& name, std::size_t run) {
    const NumberedName all = hexadecimalRuns(name);
    NumberedName parts{{""}, {}, {}};
    for (std::size_t i = 0; i < all.texts.size(); ++i) {
        parts.texts.back() += all.texts[i];
        if (i == all.written.size()) break;
        const auto value = i == run ? hexadecimalValue(all.written[i]) : std::nullopt;
        if (!value) {
            parts.texts.back() += all.written[i];
            continue;
        }
        parts.numbers.push_back(std::to_string(*value));
        parts.written.push_back(all.written[i]);
        parts.texts.emplace_back();
    }
    return parts;
}

std::optional<std::size_t> hexadecimalRun(const std::vector<std::string>& names) {
    const std::optional<DifferingRun> run = differingRun(names);
    return run && doCount(run->digits) ? std::optional(run->place) : std::nullopt;
}

bool areChecksums(const std::vector<std::string>& names) {
    constexpr std::size_t kMinDigits = 6;
    const std::optional<DifferingRun> run = differingRun(names);
    if (!run || doCount(run->digits)) return false;
    const std::size_t width = run->digits.front().size();
    return width >= kMinDigits && std::ranges::all_of(run->digits, [&](const std::string& digits) {
               return digits.size() == width;
           });
}

}  // namespace gantry
