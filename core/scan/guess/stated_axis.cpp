#include "core/scan/guess/stated_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/io/length_unit.h"

namespace gantry {

namespace {

constexpr double kSameColumn = 1.5;  // px

// The mean mismatch of all pairs; infinite where there are none.
double mismatchAt(double column, const StripReader& strips,
                  const std::vector<OppositeViews>& pairs) {
    if (pairs.empty()) return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (const OppositeViews& pair : pairs)
        sum += mirroredMismatch(strips.read(pair.first), strips.read(pair.second), column);
    return sum / static_cast<double>(pairs.size());
}

}  // namespace

std::vector<AxisReading> axisReadings(const StatedAxis& axis, Index columns, double pitchMm) {
    const double middle = static_cast<double>(columns - 1) / 2;
    const std::string unit = inLowerCase(trimmed(axis.unit));
    const double mm = unit.empty() ? 0 : mmOf(unit).value_or(0);
    const double number = axis.number;
    std::vector<AxisReading> readings;
    const auto add = [&](double column, std::string how) {
        if (column < -0.5 || column > static_cast<double>(columns) - 0.5) return;
        const bool isNew = std::ranges::none_of(readings, [&](const AxisReading& known) {
            return std::abs(known.column - column) < 1e-6;
        });
        if (isNew) readings.push_back({column, std::move(how)});
    };
    const auto addLengths = [&](double lengthMm, const char* name) {
        const double pixels = lengthMm / pitchMm;
        add(middle + pixels, fmt::format("in {} from the middle to the right", name));
        add(middle - pixels, fmt::format("in {} from the middle to the left", name));
        add(pixels - 0.5, fmt::format("in {} from the left edge", name));
    };
    if (mm == 0) {
        add(number, "as a column, counted from 0");
        add(middle + number, "in columns from the middle to the right");
        add(middle - number, "in columns from the middle to the left");
    }
    if (mm > 0) addLengths(number * mm, unit.c_str());
    if (unit.empty()) {
        addLengths(number, "mm");
        addLengths(number * 1e3, "m");
    }
    return readings;
}

std::string halfFieldDoubt(const StatedGeometry& stated, const ScanGeometry& geometry) {
    constexpr double kMinPart = 0.1;
    const auto columns = static_cast<double>(geometry.detector.columns);
    const double part = std::abs(geometry.axisColumn() - (columns - 1) / 2) / columns;
    if (!stated.isHalfField || part >= kMinPart) return {};
    return fmt::format(
        "the file says that the field of view is half of the object, in {}: then the axis is near "
        "an edge of the detector",
        stated.where);
}

std::vector<OppositeViews> oppositeViews(std::span<const double> anglesDeg) {
    constexpr double kHalfTurn = 180;
    std::vector<OppositeViews> pairs;
    const auto views = std::ssize(anglesDeg);
    if (views < 3) return pairs;
    const double step =
        std::abs(anglesDeg.back() - anglesDeg.front()) / static_cast<double>(views - 1);
    const auto angle = [&](Index view) { return anglesDeg[view]; };
    for (const Index first : {Index{0}, views / 8, views / 4}) {
        const auto offBy = [&](Index view) {
            return std::abs(std::abs(angle(view) - angle(first)) - kHalfTurn);
        };
        Index best = first;
        for (Index view = 0; view < views; ++view)
            if (offBy(view) < offBy(best)) best = view;
        const double allowed = first == 0 ? 1.01 * step : 0.51 * step;
        if (best != first && offBy(best) <= allowed) pairs.push_back({first, best});
    }
    return pairs;
}

FittedAxis fitAxis(const StatedAxis& axis, double pitchMm, const std::optional<double>& seen,
                   const StripReader& strips, std::span<const double> anglesDeg) {
    constexpr double kFits = 0.25;
    constexpr double kClearly = 2;
    const std::vector<AxisReading> readings = axisReadings(axis, strips.columns(), pitchMm);
    FittedAxis fitted;
    const std::string stated = fmt::format("{} states {:g}{}{}", axis.where, axis.number,
                                           axis.unit.empty() ? "" : " ", trimmed(axis.unit));
    if (readings.empty()) {
        fitted.why = stated + ", which is nowhere on the detector";
        return fitted;
    }
    if (seen) {
        for (const AxisReading& reading : readings)
            if (std::abs(reading.column - *seen) <= kSameColumn)
                return {reading, true,
                        fmt::format("{}, read {}, and opposite views agree", stated, reading.how)};
        fitted.why =
            fmt::format("{}, which does not fit that, whether it is a column or a length", stated);
        return fitted;
    }
    const std::vector<OppositeViews> pairs = oppositeViews(anglesDeg);
    std::vector<double> mismatches;
    mismatches.reserve(readings.size());
    for (const AxisReading& reading : readings)
        mismatches.push_back(mismatchAt(reading.column, strips, pairs));
    const auto best = std::ranges::min_element(mismatches);
    const auto place = static_cast<std::size_t>(best - mismatches.begin());
    fitted.reading = readings[place];
    const AxisReading& chosen = *fitted.reading;
    if (!(*best < kFits)) {
        fitted.reading = readings.front();
        fitted.why = fmt::format("{}, taken {}; whether it is meant so does not show in the views",
                                 stated, fitted.reading->how);
        return fitted;
    }
    fitted.isSure = true;
    for (std::size_t i = 0; i < readings.size(); ++i)
        if (std::abs(readings[i].column - chosen.column) > kSameColumn &&
            mismatches[i] < kClearly * *best)
            fitted.isSure = false;
    fitted.why = fmt::format("{}, read {}: so opposite views are mirror images of each other",
                             stated, chosen.how);
    if (!fitted.isSure) fitted.why += ", but in other readings too";
    return fitted;
}

}  // namespace gantry
