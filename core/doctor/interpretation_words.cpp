#include "core/doctor/interpretation_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/io/scan_file/scan_fields.h"

namespace gantry {

namespace {

std::string nameOf(Convention convention) {
    switch (convention) {
        case Convention::direction:
            return "rotation reversed";
        case Convention::columns:
            return "images mirrored left to right";
        case Convention::rows:
            return "images upside down";
        case Convention::order:
            return "files in reverse order";
        case Convention::detectorOffsetU:
            return "opposite sign of the detector's offset along u";
        case Convention::detectorOffsetV:
            return "opposite sign of the detector's offset along v";
        case Convention::sourceOffsetU:
            return "opposite sign of the source's offset along u";
        case Convention::sourceOffsetV:
            return "opposite sign of the source's offset along v";
        case Convention::offsetInPixels:
            return "detector's offset in pixels instead of mm";
        case Convention::offsetTimesPitch:
            return "detector's offset multiplied by the pitch once too often";
        case Convention::anglesInRadians:
            return "angles in radians instead of degrees";
        case Convention::anglesInRadiansTwice:
            return "angles turned into degrees twice";
        case Convention::mountingInRadians:
            return "roll, tilt and slant in radians instead of degrees";
        case Convention::start:
            return "start on the opposite side (180°)";
    }
    return {};
}

// The changes that all fitting interpretations share.
std::string commonChanges(const Diagnosis& diagnosis) {
    Interpretation common = diagnosis.groups.front().interpretation;
    for (std::size_t i = 1; i < diagnosis.tied; ++i)
        std::erase_if(common.changed, [&](Convention convention) {
            return !diagnosis.groups[i].interpretation.has(convention);
        });
    return common.changed.empty() ? std::string() : nameOf(common);
}

std::string tiedNames(const Diagnosis& diagnosis) {
    constexpr std::size_t kMax = 4;
    std::string names;
    for (std::size_t i = 0; i < std::min(kMax, diagnosis.tied); ++i)
        names += (i > 0 ? "; " : "") + nameOf(diagnosis.groups[i].interpretation);
    if (diagnosis.tied > kMax) names += fmt::format("; and {} more", diagnosis.tied - kMax);
    return names;
}

std::string shown(const FieldValue& value) {
    constexpr std::size_t kMax = 4;
    nlohmann::ordered_json object;
    writeField(object, {"", "value"}, value);
    const nlohmann::ordered_json& held = object["value"];
    if (held.is_array() && held.size() > kMax)
        return fmt::format("{}, {}, … ({} numbers)", jsonText(held[0], -1), jsonText(held[1], -1),
                           held.size());
    return jsonText(held, -1);
}

bool isAbout(double a, double b) {
    return std::abs(std::remainder(a - b, 360)) < 0.01;
}

// The result without what a shifted axis explains as well.
std::string summaryOfReadings(const Diagnosis& diagnosis) {
    if (diagnosis.fitsBadly)
        return diagnosis.groups.front().trial.isOneSided
                   ? "Cannot tell: over half a turn no ray is measured from both ends, and the "
                     "object passes an edge of the detector. What lies beyond was seen from one "
                     "side alone or not at all, and slices are sharp wherever the axis is put."
                   : "Cannot tell: whatever conventions are changed, the views contradict each "
                     "other. Something else is wrong, or there is too little to be seen in them.";
    const std::string best = nameOf(diagnosis.groups.front().interpretation);
    const char* const how = diagnosis.certainty == Certainty::sure ? "sure" : "likely";
    if (diagnosis.tied == 1 && diagnosis.isAsDeclared)
        return fmt::format(
            "Directions, flips, signs and the order of the views are right as they are ({}).", how);
    if (diagnosis.tied == 1) return fmt::format("The scan fits with: {} ({}).", best, how);
    const std::string common = commonChanges(diagnosis);
    std::string text;
    if (!common.empty()) text = fmt::format("The scan fits with: {}. ", common);
    return text +
           fmt::format("The views cannot tell which of these is right: {}.", tiedNames(diagnosis));
}

}  // namespace

std::string nameOf(const Interpretation& interpretation) {
    if (interpretation.changed.empty()) return "as it is declared";
    std::string names;
    for (const Convention convention : interpretation.changed)
        names += (names.empty() ? "" : ", ") + nameOf(convention);
    return names;
}

std::string nameOf(const Relation& relation) {
    if (relation.isMirrored && relation.isUpsideDown) return "mirrored top to bottom";
    if (relation.isMirrored) return "mirrored left to right";
    if (relation.isUpsideDown) return "upside down";
    if (isAbout(relation.turnDeg, 0)) return "the same";
    return fmt::format("rotated by {:.3g}° about the axis", std::abs(relation.turnDeg));
}

std::string landmarkOf(const Relation& relation) {
    if (relation.isMirrored && relation.isUpsideDown)
        return "Is the end at the top of the volume the one that was at the top in the scanner?";
    if (relation.isMirrored)
        return "Does writing on the object, a screw thread or a side that you know read the right "
               "way round in the volume?";
    if (relation.isUpsideDown)
        return "Is the end that stood on the turntable at the bottom of the volume?";
    return "Is the side that faced the source in the first view where you expect it in the volume?";
}

std::string nameOf(Certainty certainty) {
    switch (certainty) {
        case Certainty::sure:
            return "sure";
        case Certainty::likely:
            return "likely";
        case Certainty::cannotTell:
            return "cannot tell";
    }
    return {};
}

std::string summaryOf(const Diagnosis& diagnosis) {
    std::string summary = summaryOfReadings(diagnosis);
    if (!diagnosis.shiftedAxis) return summary;
    const auto& [interpretation, shiftPx] = *diagnosis.shiftedAxis;
    return fmt::format("{} It fits as well {} with the axis {:.2g} px beside where that puts it.",
                       summary,
                       interpretation.changed.empty() ? nameOf(interpretation)
                                                      : "with: " + nameOf(interpretation) + ",",
                       std::abs(shiftPx));
}

std::string centreOf(const Finding& centre, double tolerancePx) {
    if (!centre.isFound)
        return "A shift of the axis is not judged here: Align (gantry align) finds it.";
    if (isCentreOff(centre, tolerancePx))
        return fmt::format(
            "Opposite views put the centre of rotation about {:.2g} px from where it is declared: "
            "Align (gantry align) finds it.",
            std::abs(centre.value));
    return fmt::format(
        "Opposite views put the centre of rotation within {:.2g} px of where it is declared; Align "
        "(gantry align) finds it more finely.",
        std::max(tolerancePx, std::abs(centre.value)));
}

std::string centreOf(const Diagnosis& diagnosis) {
    return centreOf(diagnosis.centre, diagnosis.centreTolerancePx);
}

std::vector<FieldChange> changesOf(const ScanFile& scan, const Interpretation& interpretation) {
    const ScanFile after = withInterpretation(scan, interpretation);
    std::vector<FieldChange> changes;
    if (scan.geometry.poses() && interpretation.has(Convention::order))
        changes.push_back({"trajectory.poses", "in this order", "in reverse order"});
    for (const FileField<ScanFile>& field : scanFileFields()) {
        if (hasField(scan.geometry, field.shape) && !field.isSame(scan, after))
            changes.push_back(
                {field.shape.path(), shown(field.value(scan)), shown(field.value(after))});
    }
    return changes;
}

}  // namespace gantry
