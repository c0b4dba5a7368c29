#include "core/describe/view_shifts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/geometry/exchange/number_text.h"
#include "core/geometry/views/projection_matrix.h"

namespace gantry {

namespace {

constexpr std::string_view kBetween = " \t;,";

// The numbers that a line begins with, at most three.
std::vector<double> numbersIn(std::string_view line) {
    std::vector<double> numbers;
    while (numbers.size() < 3) {
        line.remove_prefix(std::min(line.find_first_not_of(kBetween), line.size()));
        const std::string_view word = line.substr(0, line.find_first_of(kBetween));
        const std::optional<double> number = numberOfAnyCountry(word);
        if (!number) break;
        numbers.push_back(*number);
        line.remove_prefix(word.size());
    }
    return numbers;
}

// Seen from the far source, half the detector's width shifts by a part of 4000 of a pixel per half
// a width along the rays.
void moveSourceFarAway(ViewPose& pose, const Detector& detector) {
    constexpr double kWidths = 1000;
    const auto pixels = static_cast<double>(std::max(detector.columns, detector.rows));
    const double widthMm = pixels * std::max(detector.pitchMm[0], detector.pitchMm[1]);
    const Vec3 towardsSource = pose.sourceMm;
    pose.sourceMm = kWidths * pixels * widthMm * towardsSource;
    pose.detectorCenterMm = pose.detectorCenterMm - widthMm * towardsSource;
    pose.isParallel = false;
}

}  // namespace

ViewShifts readShiftTable(const std::filesystem::path& file, Index max) {
    constexpr Index kMaxTableBytes = 64'000'000;
    const std::string text = readTextFile(file, kMaxTableBytes);
    ViewShifts shifts;
    std::string_view rest = text;
    double last = 0;
    for (Index line = 1; !rest.empty() && std::ssize(shifts) < max; ++line) {
        const std::vector<double> numbers = numbersIn(trimmed(takeLine(rest)));
        if (numbers.size() < 3 && (shifts.empty() || numbers.empty())) continue;
        if (numbers.size() < 3 || (!shifts.empty() && numbers.front() != last + 1))
            throwError<InputError>(
                "{}: line {}: must have the number {:g}, a shift along columns and one along rows",
                file.string(), line, last + 1);
        last = numbers.front();
        shifts.push_back({numbers[1], numbers[2]});
    }
    return shifts;
}

ViewShifts interpolated(const std::vector<double>& at, const ViewShifts& shifts, Index views) {
    ViewShifts all;
    for (Index view = 0; view < views; ++view) {
        const auto place = static_cast<double>(view);
        const auto next = std::ranges::upper_bound(at, place) - at.begin();
        if (next == 0 || next == std::ssize(at)) {
            all.push_back(next == 0 ? shifts.front() : shifts.back());
            continue;
        }
        const auto i = static_cast<std::size_t>(next);
        const double share = (place - at[i - 1]) / (at[i] - at[i - 1]);
        all.push_back({std::lerp(shifts[i - 1][0], shifts[i][0], share),
                       std::lerp(shifts[i - 1][1], shifts[i][1], share)});
    }
    return all;
}

void moveDetectors(ScanFile& scan, const ViewShifts& byPx) {
    const double right = scan.projections.isMirrored ? -1 : 1;
    const double up = scan.projections.firstRowIsTop ? -1 : 1;
    const Detector detector = scan.geometry.detector;
    std::vector<ViewPose> poses;
    poses.reserve(byPx.size());
    for (Index view = 0; view < std::ssize(byPx); ++view) {
        const auto& [columns, rows] = byPx[static_cast<std::size_t>(view)];
        ViewPose pose = viewPose(scan.geometry, view);
        pose.detectorCenterMm =
            pose.detectorCenterMm + right * columns * pose.uStepMm + up * rows * pose.vStepMm;
        if (pose.isParallel) moveSourceFarAway(pose, detector);
        poses.push_back(pose);
    }
    scan.geometry = geometryOfPoses(std::move(poses), detector.columns, detector.rows);
}

void askViewShifts(DescriptionSheet& sheet, const ViewShifts& shifts, const std::string& where) {
    const std::size_t answer =
        sheet.ask("viewShifts", {"unused", "stated", "negated"},
                  fmt::format("Whether the shifts of single views in {} are used: as stated, the "
                              "picture is shifted so far towards higher columns and rows.",
                              where));
    double largestPx = 0;
    for (const auto& [columns, rows] : shifts)
        largestPx = std::max({largestPx, std::abs(columns), std::abs(rows)});
    if (answer > 0) {
        const double towards =
            answer == 1 ? -1 : 1;  // a detector that moves shifts all it sees back
        ViewShifts byPx = shifts;
        for (auto& [columns, rows] : byPx) {
            columns *= towards;
            rows *= towards;
        }
        moveDetectors(sheet.scan(), byPx);
    }
    sheet.state("trajectory.poses",
                answer > 0 ? "shifts of single views are taken back" : "as on a circle", "", {},
                StatedCertainty::unknown,
                fmt::format("{} has shifts of up to {:.3g} px.", where, largestPx));
}

}  // namespace gantry
