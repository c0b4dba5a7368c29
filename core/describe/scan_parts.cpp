#include "core/describe/scan_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/geometry/exchange/exchange.h"

namespace gantry {

namespace {

Vec3 turned(Vec3 p, double angleDeg) {
    const double c = std::cos(radians(angleDeg));
    const double s = std::sin(radians(angleDeg));
    return {c * p.x - s * p.y, s * p.x + c * p.y, p.z};
}

// Nothing in a scanner is known more finely, and rounding errors would look like measures.
double rounded(double value) {
    constexpr double kDigits = 1e9;
    return std::round(value * kDigits) / kDigits + 0.0;
}

}  // namespace

ScanGeometry circleOfPose(const ViewPose& pose, Index columns, Index rows,
                          const std::string& where) {
    constexpr int kViews = 8;
    std::vector<ViewPose> poses;
    for (int view = 0; view < kViews; ++view) {
        const double angleDeg = 360.0 * view / kViews;
        poses.push_back({turned(pose.sourceMm, angleDeg), turned(pose.detectorCenterMm, angleDeg),
                         turned(pose.uStepMm, angleDeg), turned(pose.vStepMm, angleDeg)});
    }
    ScanGeometry geometry = circularGeometry(poses, columns, rows, where);
    CircularCone& cone = geometry.cone();
    Detector& detector = geometry.detector;
    for (double* value :
         {&cone.sourceToIsocenterMm, &cone.sourceToDetectorMm, &cone.sourceOffsetMm[0],
          &cone.sourceOffsetMm[1], &detector.offsetMm[0], &detector.offsetMm[1], &detector.rollDeg,
          &detector.tiltDeg, &detector.slantDeg, &detector.pitchMm[0], &detector.pitchMm[1]})
        *value = rounded(*value);
    const double startDeg = geometry.angleDeg(0);
    static_cast<GantryAngles&>(cone) = {};
    cone.startDeg = startDeg;
    return geometry;
}

void moveAxis(ScanFile& scan, double towardsHigherColumnsMm) {
    const double right = scan.projections.isMirrored ? -1 : 1;
    scan.geometry.cone().sourceOffsetMm[0] -= right * towardsHigherColumnsMm;
    scan.geometry.detector.offsetMm[0] -= right * towardsHigherColumnsMm;
}

void setEvenAngles(GantryAngles& angles, double startDeg, double stepDeg, Index views) {
    const double within = rounded(startDeg - 360 * std::floor(startDeg / 360));
    angles.anglesDeg.clear();
    angles.startDeg = within < 360 ? within : 0;
    angles.arcDeg = rounded(stepDeg * static_cast<double>(views));
    angles.views = views;
}

CountedImages countedImages(const std::filesystem::path& folder, const std::string& prefix,
                            Index digits, const std::vector<std::string_view>& endings) {
    std::map<std::pair<std::size_t, std::string>, Index> found;  // by digits and ending
    std::vector<std::filesystem::path> entries;
    if (isFolder(folder)) entries = entriesOf(folder);
    for (const std::filesystem::path& entry : entries) {
        const std::string name = entry.filename().string();
        const std::string ending = entry.extension().string();
        const std::string kind = inLowerCase(ending);
        if (std::ranges::find(endings, kind) == endings.end() || !name.starts_with(prefix))
            continue;
        const std::string counter =
            name.substr(prefix.size(), name.size() - prefix.size() - ending.size());
        const bool isNumber = !counter.empty() && std::ranges::all_of(counter, [](char c) {
            return c >= '0' && c <= '9';
        });
        if (isNumber && (digits == 0 || std::ssize(counter) == digits))
            ++found[{counter.size(), ending}];
    }
    const auto most =
        std::ranges::max_element(found, {}, [](const auto& one) { return one.second; });
    if (most == found.end()) {
        constexpr Index kUsual = 4;
        const auto width = static_cast<std::size_t>(digits > 0 ? digits : kUsual);
        return {(prefix + std::string(width, '?')).append(endings.front())};
    }
    const auto& [width, ending] = most->first;
    return {prefix + std::string(width, '?') + ending, most->second, true};
}

}  // namespace gantry
