#include "ui/models/timeline/timeline_axis.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gantry {

namespace {

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kS = 1'000'000'000;

struct Unit {
    std::int64_t ns;
    const char* name;
};

Unit unitOf(std::int64_t stepNs) {
    constexpr std::array<Unit, 6> kUnits = {Unit{3600 * kS, "h"}, {60 * kS, "min"}, {kS, "s"},
                                            {kMs, "ms"},          {kUs, "µs"},      {1, "ns"}};
    for (const Unit& unit : kUnits)
        if (stepNs >= unit.ns) return unit;
    return kUnits.back();
}

// 1, 2 or 5 times a power of ten up to seconds, then the steps of a clock.
std::int64_t roundStepNs(double min) {
    for (std::int64_t power = 1; power <= 10 * kS; power *= 10)
        for (const std::int64_t digit : {1, 2, 5})
            if (const std::int64_t step = digit * power;
                static_cast<double>(step) >= min && step <= 30 * kS)
                return step;
    constexpr std::array<std::int64_t, 11> kMinutes = {1,  2,   5,   10,  20,  30,
                                                       60, 120, 300, 600, 1440};
    for (const std::int64_t minutes : kMinutes)
        if (static_cast<double>(minutes * 60 * kS) >= min) return minutes * 60 * kS;
    const std::int64_t day = 86400 * kS;
    return day * std::max<std::int64_t>(
                     1, static_cast<std::int64_t>(std::ceil(min / static_cast<double>(day))));
}

std::int64_t roundedDown(std::int64_t ns, std::int64_t step) {
    const std::int64_t rest = ns % step;
    return ns - (rest < 0 ? rest + step : rest);
}

// In a very narrow view a pixel can be years.
std::int64_t boundedNs(double ns) {
    constexpr double kMax = 4e18;
    return std::llround(std::clamp(ns, -kMax, kMax));
}

}  // namespace

double TimeAxis::xOf(std::int64_t ns) const {
    return static_cast<double>(ns - beginNs) / nsPerPixel;
}

std::int64_t TimeAxis::nsAt(double x) const {
    return beginNs + boundedNs(std::floor(x * nsPerPixel));
}

TimeAxis TimeAxis::fitted(const TimeRange& range, double width) {
    const auto length = static_cast<double>(std::max(range.lengthNs(), kUs));
    return {range.beginNs, length / std::max(width, 1.0)};
}

TimeAxis TimeAxis::zoomed(double factor, double x) const {
    const double finer = std::max(nsPerPixel / factor, std::min(nsPerPixel, kFinestNsPerPixel));
    return {beginNs + boundedNs(x * (nsPerPixel - finer)), finer};
}

TimeAxis TimeAxis::panned(double pixels) const {
    return {beginNs - boundedNs(pixels * nsPerPixel), nsPerPixel};
}

TimeAxis TimeAxis::limited(const TimeRange& run, double width) const {
    const TimeAxis widest = fitted(run, width);
    if (!(nsPerPixel < widest.nsPerPixel)) return widest;
    TimeAxis axis{beginNs, std::max(nsPerPixel, std::min(kFinestNsPerPixel, widest.nsPerPixel))};
    const auto shown = static_cast<std::int64_t>(std::ceil(axis.nsPerPixel * width));
    axis.beginNs = std::clamp(beginNs, run.beginNs, std::max(run.beginNs, run.endNs - shown));
    return axis;
}

TimeAxis TimeAxis::withPixelRatio(double ratio) const {
    return {beginNs, nsPerPixel / ratio};
}

TimeRuler rulerFor(const TimeAxis& axis, double width, double minPixels) {
    constexpr std::int64_t kMaxDigits = 10'000;
    TimeRuler ruler;
    const TimeRange range = axis.range(width);
    const std::int64_t step = roundStepNs(minPixels * axis.nsPerPixel);
    const Unit unit = unitOf(step);
    std::int64_t base = 0;
    // Late times in small units differ only in their last digits.
    if (unit.ns < kS && range.endNs / unit.ns >= kMaxDigits) {
        const std::int64_t baseStep = std::max<std::int64_t>(1000 * unit.ns, step);
        base = roundedDown(range.beginNs, baseStep);
        const int decimals = baseStep >= kS ? 0 : baseStep >= kMs ? 3 : 6;
        ruler.base = QString::number(1e-9 * static_cast<double>(base), 'f', decimals) + " s";
    }
    const QString sign = ruler.base.isEmpty() ? "" : "+";
    for (std::int64_t ns = roundedDown(range.beginNs + step - 1, step); ns < range.endNs;
         ns += step) {
        const double value = static_cast<double>(ns - base) / static_cast<double>(unit.ns);
        ruler.ticks.push_back(
            {axis.xOf(ns), sign + QString::number(value, 'f', 0) + " " + unit.name});
    }
    return ruler;
}

}  // namespace gantry
