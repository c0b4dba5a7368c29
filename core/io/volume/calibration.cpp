#include "core/io/volume/calibration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/base/error.h"
#include "core/base/text.h"

namespace gantry {

namespace {

[[noreturn]] void refuseCalibration(const std::string& text, const std::string& reason) {
    throw InputError(
        fmt::format("The calibration is '{}'; {}. It must be as air=0.0001,water=0.0205: two "
                    "attenuations in 1/mm, of air (−1000 HU) and water (0 HU), or of other numbers "
                    "of HU.",
                    quotable(text), reason),
        {.field = "output.calibration"});
}

std::optional<double> finiteNumber(std::string_view text) {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

}  // namespace

std::optional<double> hounsfieldOf(std::string_view word) {
    if (word == "air") return -1000;
    if (word == "water") return 0;
    return finiteNumber(word);
}

std::optional<ValueScale> scaleThrough(std::span<const KnownValue> known) {
    const auto count = static_cast<double>(known.size());
    KnownValue mean;
    for (const KnownValue& one : known) {
        mean.attenuation += one.attenuation / count;
        mean.hounsfield += one.hounsfield / count;
    }
    double squares = 0;
    double products = 0;
    for (const KnownValue& one : known) {
        const double step = one.attenuation - mean.attenuation;
        squares += step * step;
        products += step * (one.hounsfield - mean.hounsfield);
    }
    const double slope = products / squares;
    if (known.size() < 2 || !std::isfinite(slope) || slope == 0) return std::nullopt;
    return ValueScale{slope, mean.hounsfield - slope * mean.attenuation, ValueUnit::hounsfield};
}

ValueScale readCalibration(const std::string& text) {
    if (text.empty()) return {};
    const auto comma = text.find(',');
    if (comma == std::string::npos || text.find(',', comma + 1) != std::string::npos)
        refuseCalibration(text, "two values are needed");
    std::array<KnownValue, 2> known{};
    const std::array<std::string_view, 2> pairs = {std::string_view(text).substr(0, comma),
                                                   std::string_view(text).substr(comma + 1)};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto equals = pairs[i].find('=');
        if (equals == std::string_view::npos) refuseCalibration(text, "a value has no '='");
        const auto value = hounsfieldOf(trimmed(pairs[i].substr(0, equals)));
        const auto attenuation = finiteNumber(trimmed(pairs[i].substr(equals + 1)));
        if (!value || !attenuation)
            refuseCalibration(text, fmt::format("'{}' is no pair of numbers", quotable(pairs[i])));
        known[i] = {*attenuation, *value};
    }
    const std::optional<ValueScale> scale = scaleThrough(known);
    if (!scale) refuseCalibration(text, "the two values are the same");
    return *scale;
}

std::string calibrationText(const ValueScale& scale) {
    if (scale == ValueScale{}) return {};
    return fmt::format("-1000={},0={}", (-1000 - scale.intercept) / scale.slope,
                       -scale.intercept / scale.slope);
}

std::string scaleText(const ValueScale& scale) {
    if (scale.unit == ValueUnit::perMm) return std::string(name(scale.unit));
    return fmt::format("{} {} {}", name(scale.unit), scale.slope, scale.intercept);
}

std::optional<ValueScale> scaleOf(std::string_view text) {
    if (text == name(ValueUnit::perMm)) return ValueScale{};
    if (!text.starts_with("HU ")) return std::nullopt;
    text.remove_prefix(3);
    const auto blank = text.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    const auto slope = finiteNumber(text.substr(0, blank));
    const auto intercept = finiteNumber(text.substr(blank + 1));
    if (!slope || !intercept || *slope == 0) return std::nullopt;
    return ValueScale{*slope, *intercept, ValueUnit::hounsfield};
}

VoxelEncoding longestEncoding(PixelType type) {
    constexpr double kLongest = -1.2345678901234567e-300;
    return {type, kLongest, kLongest, {kLongest, kLongest, ValueUnit::hounsfield}};
}

}  // namespace gantry
