#include "core/io/series/number_forms.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "core/io/series/hexadecimal_names.h"

namespace gantry {

namespace {

constexpr std::string_view kDigits = "0123456789";

struct WordSign {
    std::string_view word;
    bool isMinus;
};
constexpr std::array kWordSigns = {
    WordSign{"minus", true}, WordSign{"neg", true},  WordSign{"m", true}, WordSign{"n", true},
    WordSign{"plus", false}, WordSign{"pos", false}, WordSign{"p", false}};

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The digits behind the point; empty: there is none.
std::string_view fractionOf(std::string_view number) {
    const std::size_t point = number.find('.');
    return point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
}

bool isNegative(std::string_view number) {
    return number.starts_with('-');
}

// Decimals as programs print them: none ends with a zero, but for "10.0", or all have the same
// number of digits; and no value is there twice.
bool canBeDecimals(const NumberColumn& column) {
    std::set<double> values;
    std::set<std::string_view> whole;
    bool endsWithZero = false;
    std::set<std::size_t> widths;
    for (const std::string& number : column) {
        const std::string_view fraction = fractionOf(number);
        if (fraction.size() > 1 && fraction.back() == '0') endsWithZero = true;
        widths.insert(fraction.size());
        const std::optional<double> value = valueOfNumber(number);
        if (!value) return false;
        values.insert(*value);
        whole.insert(number);
    }
    return values.size() == whole.size() && (!endsWithZero || widths.size() == 1);
}

// Whether the digits behind the point count evenly from one name to the next.
bool canBeCounters(const NumberColumn& column) {
    std::map<double, std::vector<double>> minors;
    for (const std::string& number : column) {
        const std::string_view fraction = fractionOf(number);
        const auto major = valueOfNumber(std::string_view(number).substr(0, number.find('.')));
        const auto minor = valueOfNumber(fraction);
        if (!major || !minor) return false;
        minors[*major].push_back(*minor);
    }
    return std::ranges::all_of(minors,
                               [](const auto& entry) { return hasEvenSteps(entry.second); });
}

bool differsInOrder(const NumberColumn& column) {
    NumberColumn asCounters = column;
    NumberColumn asDecimals = column;
    std::ranges::sort(asCounters, naturalLess);
    std::ranges::sort(asDecimals, [](const auto& a, const auto& b) {
        const double valueA = valueOfNumber(a).value_or(0);
        const double valueB = valueOfNumber(b).value_or(0);
        return valueA != valueB ? valueA < valueB : naturalLess(a, b);
    });
    return asCounters != asDecimals;
}

PointMeaning meaningOf(const NumberColumn& column) {
    const bool hasPoint = std::ranges::any_of(
        column, [](const std::string& number) { return number.find('.') != std::string::npos; });
    if (!hasPoint || !differsInOrder(column)) return PointMeaning::none;
    if (!canBeDecimals(column)) return PointMeaning::counters;
    if (!canBeCounters(column)) return PointMeaning::decimals;
    std::vector<double> values;
    for (const std::string& number : column)
        values.push_back(*valueOfNumber(number));
    return hasEvenSteps(values) ? PointMeaning::decimals : PointMeaning::ambiguous;
}

std::size_t endOfDigits(const std::string& name, std::size_t from) {
    return std::min(name.find_first_not_of(kDigits, from), name.size());
}

bool isPointAt(const std::string& name, std::size_t at, char point) {
    return at + 1 < name.size() && name[at] == point && isDigit(name[at + 1]);
}

// The end of an exponent that begins here, as "e+02" or "E-5"; the beginning: there is none.
std::size_t endOfExponent(const std::string& name, std::size_t at) {
    constexpr std::size_t kMaxDigits = 3;
    if (at + 2 >= name.size() || (name[at] != 'e' && name[at] != 'E')) return at;
    if ((name[at + 1] != '-' && name[at + 1] != '+') || !isDigit(name[at + 2])) return at;
    const std::size_t end = endOfDigits(name, at + 2);
    return end - at - 2 <= kMaxDigits ? end : at;
}

// The same number without an exponent; none where that would have very many digits.
std::optional<std::string> withoutExponent(std::string_view mantissa, std::string_view exponent) {
    constexpr int kMaxShift = 30;
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    int shift = 0;
    (void)std::from_chars(exponent.data(), exponent.data() + exponent.size(), shift);
    if (std::abs(shift) > kMaxShift) return std::nullopt;
    const std::string_view fraction = fractionOf(mantissa);
    std::string digits(mantissa.substr(0, mantissa.find('.')));
    const auto point = static_cast<int>(digits.size()) + shift;
    digits += fraction;
    if (point <= 0) digits.insert(0, static_cast<std::size_t>(1 - point), '0');
    const auto whole = static_cast<std::size_t>(std::max(1, point));
    if (digits.size() < whole) digits.resize(whole, '0');
    std::string number = digits.substr(0, whole);
    if (digits.size() > whole) number += "." + digits.substr(whole);
    return number;
}

// A number with an exponent in a name.
struct WithExponent {
    std::string mantissa;
    bool isUsable = false;
};

std::vector<WithExponent> exponentsIn(const std::string& name) {
    std::vector<WithExponent> found;
    for (std::size_t at = 0; at < name.size();) {
        if (!isDigit(name[at])) {
            ++at;
            continue;
        }
        std::size_t end = endOfDigits(name, at);
        if (isPointAt(name, end, '.')) end = endOfDigits(name, end + 1);
        const std::size_t after = endOfExponent(name, end);
        if (after > end) {
            const std::string mantissa = name.substr(at, end - at);
            const std::string exponent = name.substr(end + 1, after - end - 1);
            found.push_back({mantissa, withoutExponent(mantissa, exponent).has_value()});
        }
        at = after;
    }
    return found;
}

// Whether numbers have exponents, which programs print with a sign. In "1e-05" to "1e-90" the
// number behind the minus counts.
bool haveExponents(const std::vector<std::string>& names) {
    std::set<std::string> mantissas;
    bool hasPoint = false;
    for (const std::string& name : names)
        for (const WithExponent& number : exponentsIn(name)) {
            if (!number.isUsable) return false;
            mantissas.insert(number.mantissa);
            hasPoint = hasPoint || number.mantissa.find('.') != std::string::npos;
        }
    return !mantissas.empty() && (hasPoint || mantissas.size() > 1) &&
           !numberColumns(names, {.decimals = true, .exponents = true}).empty();
}

// Takes a sign off the end of the text before a number; "-", "+" or nothing.
std::string takeSign(std::string& before, const NumberForms& forms, bool isFirstNumber) {
    // "2024-05-01" has no negative number.
    if (forms.signs && !before.empty() && (before.back() == '-' || before.back() == '+') &&
        (before.size() > 1 || isFirstNumber)) {
        std::string sign(1, before.back());
        before.pop_back();
        return sign;
    }
    if (!forms.wordSigns) return {};
    for (const auto& [word, isMinus] : kWordSigns) {
        if (before.size() < word.size()) continue;
        const std::size_t at = before.size() - word.size();
        if (inLowerCase(before.substr(at)) != word || (at > 0 && isLetter(before[at - 1])))
            continue;
        before.resize(at);
        return isMinus ? "-" : "+";
    }
    return {};
}

// The sign of decimals: a point, where any name has one.
char pointOf(const std::vector<std::string>& names) {
    const auto isThere = [&](char point) {
        return std::ranges::any_of(names, [&](const std::string& name) {
            for (std::size_t i = 1; i < name.size(); ++i)
                if (isDigit(name[i - 1]) && isPointAt(name, i, point)) return true;
            return false;
        });
    };
    for (const char point : {'.', ',', 'p'})
        if (isThere(point)) return point;
    return '.';
}

enum class WordSigns { none, signs, ambiguous };

WordSigns wordSignsOf(const std::vector<std::string>& names, NumberForms forms) {
    if (!numberColumns(names, forms).empty()) return WordSigns::none;
    forms.wordSigns = true;
    forms.decimals = true;
    for (const NumberColumn& column : numberColumns(names, forms)) {
        const auto negative = std::ranges::count_if(column, isNegative);
        if (negative == 0 || negative == std::ssize(column)) continue;
        std::vector<double> values;
        for (const std::string& number : column)
            values.push_back(valueOfNumber(number).value_or(0));
        std::ranges::sort(values);
        if (std::ranges::adjacent_find(values) != values.end() || !hasEvenSteps(values))
            return WordSigns::ambiguous;
        const auto zero = std::ranges::lower_bound(values, 0.0);
        const double across = *zero - *(zero - 1);
        const double usual =
            (values.back() - values.front()) / static_cast<double>(values.size() - 1);
        return std::abs(across - usual) < 0.5 * usual ? WordSigns::signs : WordSigns::ambiguous;
    }
    return WordSigns::none;
}

}  // namespace

std::optional<double> valueOfNumber(std::string_view number) {
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value,
                                              std::chars_format::fixed);
    return error == std::errc() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

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

NumberedName takeApart(const std::string& name, NumberForms forms) {
    if (forms.hexadecimalRun) return takeHexadecimalApart(name, *forms.hexadecimalRun);
    NumberedName parts{{""}, {}, {}};
    for (std::size_t at = 0; at < name.size();) {
        if (!isDigit(name[at])) {
            parts.texts.back() += name[at++];
            continue;
        }
        const auto isPoint = [&](std::size_t i) { return isPointAt(name, i, forms.point); };
        std::size_t end = endOfDigits(name, at);
        const bool isBehindPoint = at > 1 && name[at - 1] == forms.point && isDigit(name[at - 2]);
        if (forms.decimals && isPoint(end) && !isBehindPoint) {
            const std::size_t fractionEnd = endOfDigits(name, end + 1);
            if (!isPoint(fractionEnd)) end = fractionEnd;
        }
        std::string number = name.substr(at, end - at);
        std::ranges::replace(number, forms.point, '.');
        const std::size_t after = forms.exponents ? endOfExponent(name, end) : end;
        if (after > end)
            if (auto whole = withoutExponent(number, name.substr(end + 1, after - end - 1)))
                number = std::move(*whole);
        const std::size_t textSize = parts.texts.back().size();
        const std::string sign = takeSign(parts.texts.back(), forms, parts.numbers.empty());
        const std::size_t signSize = textSize - parts.texts.back().size();
        parts.numbers.push_back(sign == "-" ? sign + number : number);
        parts.written.push_back(name.substr(at - signSize, after - at + signSize));
        parts.texts.emplace_back();
        at = after;
    }
    return parts;
}

std::vector<NumberColumn> numberColumns(const std::vector<std::string>& names, NumberForms forms) {
    std::vector<NumberColumn> columns;
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

bool haveSigns(const std::vector<std::string>& names) {
    const NumberForms forms = {.decimals = true, .signs = true, .point = pointOf(names)};
    return std::ranges::any_of(numberColumns(names, forms), [](const NumberColumn& column) {
        const auto negative = std::ranges::count_if(column, isNegative);
        return negative > 0 && negative < std::ssize(column);
    });
}

PointMeaning meaningOfPoints(const std::vector<std::string>& names) {
    PointMeaning meaning = PointMeaning::none;
    const NumberForms forms = {
        .decimals = true, .signs = haveSigns(names), .point = pointOf(names)};
    for (const NumberColumn& column : numberColumns(names, forms)) {
        const PointMeaning here = meaningOf(column);
        if (here == PointMeaning::none || here == meaning) continue;
        // Decimals at one place and versions at another are no common pattern.
        meaning = meaning == PointMeaning::none ? here : PointMeaning::ambiguous;
    }
    return meaning;
}

NumberForms formsOf(const std::vector<std::string>& names) {
    if (const auto run = hexadecimalRun(names)) return {.hexadecimalRun = *run};
    NumberForms forms = {
        .signs = haveSigns(names), .point = pointOf(names), .exponents = haveExponents(names)};
    // Where both meanings sort the numbers alike, decimals do it whatever stands behind "1" and
    // "1.5".
    const PointMeaning meaning = meaningOfPoints(names);
    forms.decimals =
        forms.exponents || meaning == PointMeaning::decimals || meaning == PointMeaning::none;
    forms.wordSigns = wordSignsOf(names, forms) == WordSigns::signs;
    return forms;
}

bool mayHaveWordSigns(const std::vector<std::string>& names) {
    return wordSignsOf(names, formsOf(names)) == WordSigns::ambiguous;
}

}  // namespace gantry
