#include "core/io/scan_file/angle_file.h"

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/base/types.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// One line of a list of angles: a number alone.
double parseAngle(std::string_view text, const fs::path& path, Index line) {
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    double angle = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, angle);
    if (error != std::errc() || rest != end || !std::isfinite(angle))
        throwError<InputError>(
            "{}, line {}: '{}' is not an angle. Write one number in degrees on each line.",
            path.string(), line, quotable(text));
    return angle;
}

}  // namespace

std::vector<double> readAngleFile(const fs::path& path) {
    const std::string text = readTextFile(path);
    std::string_view left = text;
    if (left.starts_with("\xef\xbb\xbf")) left.remove_prefix(3);
    std::vector<double> angles;
    for (Index line = 1; !left.empty(); ++line) {
        const std::size_t end = left.find('\n');
        const std::string_view words = trimmed(left.substr(0, end));
        left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
        if (words.empty() || words.front() == '#') continue;
        angles.push_back(parseAngle(words, path, line));
    }
    if (angles.empty())
        throwError<InputError>("{} holds no angles. Write one number in degrees on each line.",
                               path.string());
    return angles;
}

}  // namespace gantry
