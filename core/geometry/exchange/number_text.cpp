#include "core/geometry/exchange/number_text.h"

#include <charconv>
#include <cmath>

#include "core/base/throw_error.h"

namespace gantry {

namespace {

constexpr std::string_view kSeparators = " \t\r\n,";

double parseNumber(std::string_view word, const std::string& where) {
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    double value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value))
        throwError<InputError>("{}: '{}' is not a finite number", where, word.substr(0, 40));
    return value;
}

}  // namespace

std::vector<double> parseNumbers(std::string_view text, const std::string& where) {
    std::vector<double> numbers;
    numbers.reserve(12);  // few formats have more in a line
    while (true) {
        const std::size_t begin = text.find_first_not_of(kSeparators);
        if (begin == std::string_view::npos) return numbers;
        text.remove_prefix(begin);
        const std::string_view word = text.substr(0, text.find_first_of(kSeparators));
        numbers.push_back(parseNumber(word, where));
        text.remove_prefix(word.size());
    }
}

std::string_view takeLine(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

}  // namespace gantry
