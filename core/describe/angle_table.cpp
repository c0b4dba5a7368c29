#include "core/describe/angle_table.h"

#include <charconv>
#include <string>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/describe/description_sheet.h"
#include "core/geometry/exchange/number_text.h"

namespace gantry {

namespace {

constexpr std::string_view kSeparators = " \t:;";

std::string_view takeWord(std::string_view& line) {
    const std::size_t begin = std::min(line.find_first_not_of(kSeparators), line.size());
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(kSeparators));
    line.remove_prefix(word.size());
    return word;
}

Index wholeNumber(std::string_view word) {
    Index value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    return code == std::errc{} && end == word.data() + word.size() ? value : 0;
}

}  // namespace

std::vector<double> readAngleTable(const std::filesystem::path& file, Index max) {
    constexpr Index kMaxBytes = 64'000'000;
    const std::string text = readTextFile(file, kMaxBytes);
    std::vector<double> angles;
    // A line of totals stands above the heading of the rows; they count from 1 only below it.
    std::string_view rest = text;
    if (const std::size_t heading = rest.rfind("ngle"); heading != std::string_view::npos)
        rest.remove_prefix(heading);
    const Index above = std::count(text.begin(), text.end() - std::ssize(rest), '\n');
    for (Index number = above + 1; !rest.empty() && std::ssize(angles) < max; ++number) {
        std::string_view line = trimmed(takeLine(rest));
        const Index row = wholeNumber(takeWord(line));
        if (row == 0) continue;
        const std::string_view word = takeWord(line);
        const std::optional<double> angle = numberOfAnyCountry(word);
        if (!angle || row != std::ssize(angles) + 1)
            throwError<InputError>(
                "{}: line {}: must have the number {} and an angle in degrees; it has {} and "
                "\"{}\"",
                file.string(), number, std::ssize(angles) + 1, row, quotable(word));
        angles.push_back(*angle);
    }
    return angles;
}

}  // namespace gantry
