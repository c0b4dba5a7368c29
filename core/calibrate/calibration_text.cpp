#include "core/calibrate/calibration_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gantry {

namespace {

// Two digits of the uncertainty.
std::string withDigits(double value, double uncertainty, const char* unit) {
    const bool isKnown = uncertainty > 0 && std::isfinite(uncertainty);
    const int decimals =
        isKnown ? std::clamp(static_cast<int>(1 - std::floor(std::log10(uncertainty))), 1, 5) : 3;
    return fmt::format("{:.{}f}{}", value, decimals, unit);
}

bool areKnown(const BallCalibration& found) {
    return !found.balls.empty() && found.balls.front().known;
}

}  // namespace

std::vector<std::vector<std::string>> calibrationTable(const BallCalibration& found) {
    std::vector<std::vector<std::string>> rows = {
        {"", "found", "± uncertainty", "in the scan", "change"}};
    for (const CalibratedNumber& n : found.numbers) {
        if (!n.isFound) {
            const bool isDetermined = std::isfinite(n.uncertainty);
            rows.push_back({n.label, "kept",
                            isDetermined ? withDigits(n.uncertainty, n.uncertainty, n.unit) : "–",
                            withDigits(n.before, 0, n.unit), "–"});
            continue;
        }
        const double change = n.value - n.before;
        rows.push_back({n.label, withDigits(n.value, n.uncertainty, n.unit),
                        withDigits(n.uncertainty, n.uncertainty, n.unit),
                        withDigits(n.before, n.uncertainty, n.unit),
                        (change < 0 ? "" : "+") + withDigits(change, n.uncertainty, n.unit)});
    }
    return rows;
}

std::string ballsText(const BallCalibration& found) {
    Index images = 0;
    for (const auto& view : found.images)
        images += std::ssize(view);
    return fmt::format("{} found{}; {} images of {} used", found.balls.size(),
                       areKnown(found) ? ", all of the list" : "", found.imagesUsed, images);
}

std::string residualText(const BallCalibration& found) {
    std::size_t worst = 0;
    for (std::size_t s = 0; s < found.viewRmsPx.size(); ++s)
        if (!std::isfinite(found.viewRmsPx[worst]) || found.viewRmsPx[s] > found.viewRmsPx[worst])
            worst = s;
    return fmt::format("{:.3f} px rms; worst in view {}, {:.3f} px", found.rmsPx, worst,
                       found.viewRmsPx[worst]);
}

std::vector<std::string> calibrationNotes(const BallCalibration& found) {
    std::vector<std::string> notes;
    if (found.turnsOtherWay)
        notes.emplace_back("The rotation runs the other way than the scan says.");
    if (found.viewsWithPose > 0)
        notes.push_back(fmt::format(
            "{} of {} views have poses of their own; with the circle alone the residual is {:.3f} "
            "px rms.",
            found.viewsWithPose, found.viewRmsPx.size(), found.circleRmsPx));
    for (const CalibratedNumber& n : found.numbers)
        if (!n.isFound) notes.push_back(fmt::format("The {} is kept: {}.", n.label, n.reason));
    const auto isKept = [&](std::string_view name) {
        return std::ranges::any_of(found.numbers,
                                   [&](const auto& n) { return !n.isFound && n.name == name; });
    };
    if (!areKnown(found) && isKept("tiltDeg"))
        notes.emplace_back(
            "The balls' places follow the tilt that is kept: calibrating by them finds it again.");
    return notes;
}

}  // namespace gantry
