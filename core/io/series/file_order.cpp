#include "core/io/series/file_order.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDigits = "0123456789";

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

// The digits behind the point; empty: there is none.
std::string_view fractionOf(std::string_view number) {
    const std::size_t point = number.find('.');
    return point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
}

std::optional<double> valueOf(std::string_view number) {
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value,
                                              std::chars_format::fixed);
    return error == std::errc() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// The numbers at one place in all names of a family.
using Column = std::vector<std::string>;

// The columns of names that differ in their numbers alone; none if they differ in more.
std::vector<Column> columnsOf(const std::vector<std::string>& names) {
    std::vector<Column> columns;
    std::vector<std::string> texts;
    for (const std::string& name : names) {
        NumberedName parts = takeApart(name, true);
        if (columns.empty()) {
            columns.resize(parts.numbers.size());
            texts = parts.texts;
        }
        if (parts.texts != texts) return {};
        for (std::size_t i = 0; i < columns.size(); ++i)
            columns[i].push_back(std::move(parts.numbers[i]));
    }
    return columns;
}

// Whether most neighbours in sorted values are equally far apart.
bool hasEvenSteps(std::vector<double> values) {
    constexpr double kSame = 1e-3;  // of a step: digits are rounded
    std::ranges::sort(values);
    std::vector<double> steps;
    for (std::size_t i = 1; i < values.size(); ++i)
        steps.push_back(values[i] - values[i - 1]);
    if (steps.size() < 2) return true;
    std::vector<double> sorted = steps;
    const auto middle = sorted.begin() + std::ssize(sorted) / 2;
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double usual = *middle;
    const auto even = std::ranges::count_if(
        steps, [&](double step) { return std::abs(step - usual) <= kSame * usual; });
    return usual > 0 && 4 * even >= 3 * std::ssize(steps);
}

// Decimals as programs print them: none ends with a zero, but for "10.0", or all have the same
// number of digits; and no value is there twice.
bool canBeDecimals(const Column& column) {
    std::set<double> values;
    std::set<std::string_view> whole;
    bool endsWithZero = false;
    std::set<std::size_t> widths;
    for (const std::string& number : column) {
        const std::string_view fraction = fractionOf(number);
        if (fraction.size() > 1 && fraction.back() == '0') endsWithZero = true;
        widths.insert(fraction.size());
        const std::optional<double> value = valueOf(number);
        if (!value) return false;
        values.insert(*value);
        whole.insert(number);
    }
    return values.size() == whole.size() && (!endsWithZero || widths.size() == 1);
}

// Whether the digits behind the point count evenly from one name to the next.
bool canBeCounters(const Column& column) {
    std::map<double, std::vector<double>> minors;
    for (const std::string& number : column) {
        const std::string_view fraction = fractionOf(number);
        const auto major = valueOf(std::string_view(number).substr(0, number.find('.')));
        const auto minor = valueOf(fraction);
        if (!major || !minor) return false;
        minors[*major].push_back(*minor);
    }
    return std::ranges::all_of(minors,
                               [](const auto& entry) { return hasEvenSteps(entry.second); });
}

bool differsInOrder(const Column& column) {
    Column asCounters = column;
    Column asDecimals = column;
    std::ranges::sort(asCounters, naturalLess);
    std::ranges::sort(asDecimals, [](const auto& a, const auto& b) {
        const double valueA = valueOf(a).value_or(0);
        const double valueB = valueOf(b).value_or(0);
        return valueA != valueB ? valueA < valueB : naturalLess(a, b);
    });
    return asCounters != asDecimals;
}

PointMeaning meaningOf(const Column& column) {
    const bool hasPoint = std::ranges::any_of(
        column, [](const std::string& number) { return number.find('.') != std::string::npos; });
    if (!hasPoint || !differsInOrder(column)) return PointMeaning::none;
    if (!canBeDecimals(column)) return PointMeaning::counters;
    if (!canBeCounters(column)) return PointMeaning::decimals;
    std::vector<double> values;
    for (const std::string& number : column)
        values.push_back(*valueOf(number));
    return hasEvenSteps(values) ? PointMeaning::decimals : PointMeaning::ambiguous;
}

// Compares names whose numbers may have decimals, which all names have at the same places.
bool decimalLess(const std::string& a, const std::string& b) {
    const NumberedName partsA = takeApart(a, true);
    const NumberedName partsB = takeApart(b, true);
    for (std::size_t i = 0; i < partsA.numbers.size(); ++i) {
        const std::string& numberA = partsA.numbers[i];
        const std::string& numberB = partsB.numbers[i];
        const std::string wholeA = numberA.substr(0, numberA.find('.'));
        const std::string wholeB = numberB.substr(0, numberB.find('.'));
        // "007" and "7" have the same value.
        const auto trimmedOf = [](const std::string& digits) {
            return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
        };
        const std::string valueA = trimmedOf(wholeA);
        const std::string valueB = trimmedOf(wholeB);
        if (valueA != valueB) return naturalLess("0" + valueA, "0" + valueB);
        std::string fractionA(fractionOf(numberA));
        std::string fractionB(fractionOf(numberB));
        fractionA.resize(std::max(fractionA.size(), fractionB.size()), '0');
        fractionB.resize(fractionA.size(), '0');
        if (fractionA != fractionB) return fractionA < fractionB;
    }
    return naturalLess(a, b);
}

}  // namespace

NumberedName takeApart(const std::string& name, bool decimals) {
    NumberedName parts{{""}, {}};
    for (std::size_t at = 0; at < name.size();) {
        if (!isDigit(name[at])) {
            parts.texts.back() += name[at++];
            continue;
        }
        const auto endOf = [&](std::size_t from) {
            return std::min(name.find_first_not_of(kDigits, from), name.size());
        };
        const auto isPoint = [&](std::size_t i) {
            return i + 1 < name.size() && name[i] == '.' && isDigit(name[i + 1]);
        };
        std::size_t end = endOf(at);
        const bool isBehindPoint = at > 1 && name[at - 1] == '.' && isDigit(name[at - 2]);
        if (decimals && isPoint(end) && !isBehindPoint) {
            const std::size_t fractionEnd = endOf(end + 1);
            if (!isPoint(fractionEnd)) end = fractionEnd;
        }
        parts.numbers.push_back(name.substr(at, end - at));
        parts.texts.emplace_back();
        at = end;
    }
    return parts;
}

PointMeaning meaningOfPoints(const std::vector<std::string>& names) {
    PointMeaning meaning = PointMeaning::none;
    for (const Column& column : columnsOf(names)) {
        const PointMeaning here = meaningOf(column);
        if (here == PointMeaning::none || here == meaning) continue;
        // Decimals at one place and versions at another are no common pattern.
        meaning = meaning == PointMeaning::none ? here : PointMeaning::ambiguous;
    }
    return meaning;
}

void sortNaturally(std::vector<fs::path>& files) {
    std::vector<std::string> names;
    names.reserve(files.size());
    for (const fs::path& file : files)
        names.push_back(file.filename().string());
    const bool isDecimal = meaningOfPoints(names) == PointMeaning::decimals;
    std::ranges::sort(files, [&](const fs::path& a, const fs::path& b) {
        const std::string nameA = a.filename().string();
        const std::string nameB = b.filename().string();
        return isDecimal ? decimalLess(nameA, nameB) : naturalLess(nameA, nameB);
    });
}

}  // namespace gantry
