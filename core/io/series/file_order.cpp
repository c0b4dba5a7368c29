#include "core/io/series/file_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/io/series/hexadecimal_names.h"
#include "core/io/series/number_forms.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

std::string_view fractionIn(std::string_view number) {
    const std::size_t point = number.find('.');
    return point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
}

// Compares two numbers without their signs: below 0, 0 or above.
int compareSizes(std::string_view a, std::string_view b) {
    // "007" and "7" have the same value.
    const auto wholeOf = [](std::string_view number) {
        const std::string_view digits = number.substr(number.starts_with('-') ? 1 : 0);
        const std::string_view whole = digits.substr(0, digits.find('.'));
        return whole.substr(std::min(whole.find_first_not_of('0'), whole.size()));
    };
    const std::string_view wholeA = wholeOf(a);
    const std::string_view wholeB = wholeOf(b);
    if (wholeA.size() != wholeB.size()) return wholeA.size() < wholeB.size() ? -1 : 1;
    if (const int whole = wholeA.compare(wholeB); whole != 0) return whole;
    std::string fractionA(fractionIn(a));
    std::string fractionB(fractionIn(b));
    fractionA.resize(std::max(fractionA.size(), fractionB.size()), '0');
    fractionB.resize(fractionA.size(), '0');
    return fractionA.compare(fractionB);
}

// Compares names of a series by their numbers: below 0, 0 or above.
int compareNumbers(const NumberedName& a, const NumberedName& b) {
    for (std::size_t i = 0; i < a.numbers.size(); ++i) {
        const std::string& numberA = a.numbers[i];
        const std::string& numberB = b.numbers[i];
        if (numberA.starts_with('-') != numberB.starts_with('-'))
            return numberA.starts_with('-') ? -1 : 1;
        const int order = compareSizes(numberA, numberB);
        if (order != 0) return numberA.starts_with('-') ? -order : order;
    }
    return 0;
}

// The values of the only numbers in which names of a series differ; empty: there are no such.
std::vector<double> differingValues(const std::vector<std::string>& names, NumberForms forms) {
    std::vector<double> values;
    for (const NumberColumn& column : numberColumns(names, forms)) {
        const bool differs = std::ranges::any_of(
            column, [&](const std::string& number) { return number != column.front(); });
        if (!differs) continue;
        if (!values.empty()) return {};
        for (const std::string& number : column) {
            const std::optional<double> value = valueOfNumber(number);
            if (!value) return {};
            values.push_back(*value);
        }
    }
    return values;
}

std::vector<std::string> namesOfFiles(const std::vector<fs::path>& files) {
    std::vector<std::string> names;
    names.reserve(files.size());
    for (const fs::path& file : files)
        names.push_back(file.filename().string());
    return names;
}

}  // namespace

Index beginOfTurn(std::span<const double> sorted) {
    constexpr double kTurn = 360;
    constexpr double kMinGap = 90;
    constexpr std::size_t kMinNumbers = 8;
    constexpr double kDigits = 0.011;  // the rounding of their digits
    if (sorted.size() < kMinNumbers || sorted.front() < 0 || sorted.back() >= kTurn) return 0;
    std::size_t begin = 1;
    double step = kTurn;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        const double distance = sorted[i] - sorted[i - 1];
        if (distance > sorted[begin] - sorted[begin - 1]) begin = i;
        step = std::min(step, distance);
    }
    std::vector<double> turned(sorted.begin() + static_cast<std::ptrdiff_t>(begin), sorted.end());
    for (std::size_t i = 0; i < begin; ++i)
        turned.push_back(sorted[i] + kTurn);
    const bool goesOn =
        std::abs(kTurn + sorted.front() - sorted.back() - step) < std::max(kDigits, 1e-3 * step);
    return goesOn && sorted[begin] - sorted[begin - 1] >= kMinGap && hasEvenSteps(turned)
               ? static_cast<Index>(begin)
               : 0;
}

void sortNaturally(std::vector<fs::path>& files) {
    struct Named {
        std::string name;
        NumberedName parts;
        fs::path file;
    };
    std::vector<std::string> names = namesOfFiles(files);
    const NumberForms forms = formsOf(names);
    const bool isSeries = !numberColumns(names, forms).empty();
    std::vector<double> values = isSeries ? differingValues(names, forms) : std::vector<double>();
    std::vector<Named> named;
    named.reserve(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        NumberedName parts = isSeries ? takeApart(names[i], forms) : NumberedName();
        named.push_back({std::move(names[i]), std::move(parts), std::move(files[i])});
    }
    std::ranges::sort(named, [](const Named& a, const Named& b) {
        const int order = compareNumbers(a.parts, b.parts);
        return order != 0 ? order < 0 : naturalLess(a.name, b.name);
    });
    std::ranges::sort(values);
    std::rotate(named.begin(), named.begin() + beginOfTurn(values), named.end());
    std::ranges::transform(named, files.begin(), [](Named& one) { return std::move(one.file); });
}

std::string doubtOfOrder(const std::vector<std::string>& names) {
    if (names.empty()) return {};
    const auto ends = [&] { return fmt::format("from {} to {}", names.front(), names.back()); };
    if (meaningOfPoints(names) == PointMeaning::ambiguous)
        return fmt::format(
            "the digits behind the points may be fractions or counters. They are taken for "
            "counters, {}; rename the files with equally long numbers",
            ends());
    if (mayHaveWordSigns(names))
        return fmt::format(
            "letters before the numbers may be signs, as m for minus, but the numbers do not go "
            "evenly through 0 with them. They are sorted as letters, {}; name the files with + "
            "and - if they are signs",
            ends());
    if (areChecksums(names))
        return fmt::format(
            "the names look like checksums, which count nothing. They are sorted by the alphabet, "
            "{}; name the files by their order",
            ends());
    std::vector<double> values = differingValues(names, formsOf(names));
    std::ranges::sort(values);
    // A counter of 360 files has the same numbers.
    if (const Index begin = beginOfTurn(values); begin > 0 && values[1] - values[0] == 1)
        return fmt::format(
            "the numbers may be angles that pass 360°, or counters of which many are missing. They "
            "are taken for angles, {}",
            ends());
    return {};
}

}  // namespace gantry
