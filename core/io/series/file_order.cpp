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
    if (number.starts_with('+')) number.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value,
                                              std::chars_format::fixed);
    return error == std::errc() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// The numbers at one place in all names of a family.
using Column = std::vector<std::string>;

// The columns of names that differ in their numbers alone; none if they differ in more.
std::vector<Column> columnsOf(const std::vector<std::string>& names, NumberForms forms) {
    std::vector<Column> columns;
    std::vector<std::string> texts;
    for (const std::string& name : names) {
        NumberedName parts = takeApart(name, forms);
        if (texts.empty()) {
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

bool isNegative(std::string_view number) {
    return number.starts_with('-');
}

bool isSign(char c) {
    return c == '-' || c == '+';
}

// Compares two numbers without their signs: below 0, 0 or above.
int compareSizes(std::string_view a, std::string_view b) {
    // "007" and "7" have the same value.
    const auto wholeOf = [](std::string_view number) {
        const std::string_view digits = number.substr(isSign(number.front()) ? 1 : 0);
        const std::string_view whole = digits.substr(0, digits.find('.'));
        return whole.substr(std::min(whole.find_first_not_of('0'), whole.size()));
    };
    const std::string_view wholeA = wholeOf(a);
    const std::string_view wholeB = wholeOf(b);
    if (wholeA.size() != wholeB.size()) return wholeA.size() < wholeB.size() ? -1 : 1;
    if (const int whole = wholeA.compare(wholeB); whole != 0) return whole;
    std::string fractionA(fractionOf(a));
    std::string fractionB(fractionOf(b));
    fractionA.resize(std::max(fractionA.size(), fractionB.size()), '0');
    fractionB.resize(fractionA.size(), '0');
    return fractionA.compare(fractionB);
}

// Compares names of a series by their numbers: below 0, 0 or above.
int compareNumbers(const NumberedName& a, const NumberedName& b) {
    for (std::size_t i = 0; i < a.numbers.size(); ++i) {
        const std::string& numberA = a.numbers[i];
        const std::string& numberB = b.numbers[i];
        if (isNegative(numberA) != isNegative(numberB)) return isNegative(numberA) ? -1 : 1;
        const int order = compareSizes(numberA, numberB);
        if (order != 0) return isNegative(numberA) ? -order : order;
    }
    return 0;
}

}  // namespace

NumberedName takeApart(const std::string& name, NumberForms forms) {
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
        if (forms.decimals && isPoint(end) && !isBehindPoint) {
            const std::size_t fractionEnd = endOf(end + 1);
            if (!isPoint(fractionEnd)) end = fractionEnd;
        }
        // "2024-05-01" has no negative number.
        std::string& before = parts.texts.back();
        const bool isSigned = forms.signs && !before.empty() && isSign(before.back()) &&
                              (before.size() > 1 || parts.numbers.empty());
        if (isSigned) before.pop_back();
        parts.numbers.push_back(
            name.substr(at - (isSigned ? 1 : 0), end - at + (isSigned ? 1 : 0)));
        parts.texts.emplace_back();
        at = end;
    }
    return parts;
}

bool haveSigns(const std::vector<std::string>& names) {
    return std::ranges::any_of(columnsOf(names, {true, true}), [](const Column& column) {
        const auto negative = std::ranges::count_if(column, isNegative);
        return negative > 0 && negative < std::ssize(column);
    });
}

PointMeaning meaningOfPoints(const std::vector<std::string>& names) {
    PointMeaning meaning = PointMeaning::none;
    for (const Column& column : columnsOf(names, {true, haveSigns(names)})) {
        const PointMeaning here = meaningOf(column);
        if (here == PointMeaning::none || here == meaning) continue;
        // Decimals at one place and versions at another are no common pattern.
        meaning = meaning == PointMeaning::none ? here : PointMeaning::ambiguous;
    }
    return meaning;
}

NumberForms formsOf(const std::vector<std::string>& names) {
    // Where both meanings sort the numbers alike, decimals do it whatever stands behind "1" and
    // "1.5".
    const PointMeaning meaning = meaningOfPoints(names);
    return {meaning == PointMeaning::decimals || meaning == PointMeaning::none, haveSigns(names)};
}

void sortNaturally(std::vector<fs::path>& files) {
    struct Named {
        std::string name;
        NumberedName parts;
        fs::path file;
    };
    std::vector<std::string> names;
    names.reserve(files.size());
    for (const fs::path& file : files)
        names.push_back(file.filename().string());
    const NumberForms forms = formsOf(names);
    const bool isSeries = !columnsOf(names, forms).empty();
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
    std::ranges::transform(named, files.begin(), [](Named& one) { return std::move(one.file); });
}

}  // namespace gantry
