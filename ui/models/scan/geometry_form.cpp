#include "ui/models/scan/geometry_form.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/sentence.h"
#include "ui/models/scan/geometry_form_fields.h"
#include "ui/models/text.h"
#include "ui/models/translation.h"

namespace gantry {

namespace {

// The name of a problem's field within a sentence.
QString whatIs(const std::string& name, const std::vector<ScanField>& fields) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const ScanField& each) { return isNamed(each, name); });
    if (field != fields.end()) return field->what;
    // Fields of the volume are not in the scan's form.
    const std::pair<const char*, QString> ofVolume[] = {
        {"volume.voxels[%1]", tr("number of voxels along %1")},
        {"volume.pitchMm[%1]", tr("voxel pitch along %1")},
        {"volume.centerMm[%1]", tr("volume centre along %1")},
    };
    QString wanted = QString::fromStdString(name);
    for (const auto& [pattern, what] : ofVolume)
        for (int axis = 0; axis < 3; ++axis)
            if (wanted == QString(pattern).arg(axis)) return what.arg(QChar('x' + axis));
    return wanted;
}

bool isCone(const ScanFile& scan) {
    return scan.geometry.isCone();
}

bool hasAngles(const ScanFile& scan) {
    return scan.geometry.hasAngles();
}

bool isNotParallel(const ScanFile& scan) {
    return !scan.geometry.isParallel();
}

// Restricts a field to trajectories that have it, in addition to its other conditions.
void limitTo(bool (*has)(const ScanFile&), ScanField& field) {
    if (!field.applies) field.applies = has;
    const auto guard = [has](auto& kind) {
        kind.get = [has, get = kind.get](const ScanFile& scan) {
            return has(scan) ? get(scan) : decltype(get(scan)){};
        };
        kind.set = [has, set = kind.set](ScanFile& scan, auto value) {
            if (has(scan)) set(scan, value);
        };
    };
    if (auto* number = std::get_if<ScanField::Number>(&field.kind)) guard(*number);
    if (auto* choice = std::get_if<ScanField::Choice>(&field.kind)) guard(*choice);
}

QString capitalised(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

}  // namespace

std::vector<ScanField> scanFields() {
    std::vector<ScanField> fields = distanceFields();
    for (auto* more : {&detectorFields, &alignmentFields, &trajectoryFields, &imageFields}) {
        std::vector<ScanField> group = more();
        std::move(group.begin(), group.end(), std::back_inserter(fields));
    }
    for (ScanField& field : fields) {
        if (field.name.startsWith("trajectory.source"))
            limitTo(isCone, field);
        else if (field.name.startsWith("trajectory.") || field.name.startsWith("detector.pitchMm"))
            limitTo(hasAngles, field);
        else if (field.name == QLatin1String("detector.slantDeg"))
            limitTo(isNotParallel, field);
    }
    return fields;
}

QString groupTitle(ScanField::Group group) {
    switch (group) {
        case ScanField::Group::distances:
            return tr("Distances");
        case ScanField::Group::detector:
            return tr("Detector");
        case ScanField::Group::alignment:
            return tr("Alignment");
        case ScanField::Group::trajectory:
            return tr("Trajectory");
        case ScanField::Group::images:
            return tr("Images");
    }
    return {};
}

bool isNamed(const ScanField& field, const std::string& name) {
    const QString other = QString::fromStdString(name);
    if (other.isEmpty()) return false;
    if (other == QLatin1String("trajectory"))
        return field.name == QLatin1String("trajectory.arcDeg");
    return field.name == other || (!field.sameAs.isEmpty() && field.sameAs == other) ||
           field.name.startsWith(other + '[') || other.startsWith(field.name + '[');
}

ProblemText problemText(const Problem& problem, const std::vector<ScanField>& fields) {
    // For views, a file's name comes first, which stays unchanged.
    if (problem.field == "projections.skipViews")
        return {.subject = {}, .rest = QString::fromStdString(problem.message)};
    const QString message = QString::fromStdString(withFullStop(problem.message));
    if (!problem.goesOnFromField) return {.subject = {}, .rest = capitalised(message)};
    return {.subject = capitalised(whatIs(problem.field, fields)), .rest = message};
}

QString problemSentence(const Problem& problem, const std::vector<ScanField>& fields) {
    const ProblemText text = problemText(problem, fields);
    return text.subject.isEmpty() ? text.rest : text.subject + ' ' + text.rest;
}

ScanGeometry withBeam(const ScanGeometry& geometry, Beam beam) {
    if (!geometry.hasAngles() || geometry.isParallel() == (beam == Beam::parallel)) return geometry;
    ScanGeometry changed = geometry;
    if (beam == Beam::parallel) {
        changed.trajectory.emplace<ParallelBeam>();
        changed.detector.slantDeg = 0;
    } else {
        auto& cone = changed.trajectory.emplace<CircularCone>();
        cone.sourceToIsocenterMm = 600;
        cone.sourceToDetectorMm = 1200;
    }
    changed.angles() = geometry.angles();
    return changed;
}

QString anglesText(const ScanGeometry& geometry) {
    if (!geometry.hasAngles()) return tr("%1 calibrated poses").arg(geometry.views());
    const std::vector<double>& angles = geometry.angles().anglesDeg;
    if (angles.empty()) return tr("evenly stepped");
    return tr("%1 listed angles, %2° to %3°")
        .arg(angles.size())
        .arg(numberText(angles.front(), 6), numberText(angles.back(), 6));
}

ScanGeometry withRegularAngles(ScanGeometry geometry) {
    if (!geometry.hasAngles()) return geometry;
    const double coverage = geometry.coverageDeg();
    GantryAngles& angles = geometry.angles();
    if (angles.anglesDeg.empty()) return geometry;
    angles.startDeg = angles.anglesDeg.front();
    const double span = angles.anglesDeg.back() - angles.anglesDeg.front();
    // Rounds as a person would write it: 360° rather than 359.99999999999994°.
    const double arc = std::round(coverage * 1e6) / 1e6;
    angles.arcDeg = std::copysign(arc, span);
    angles.views = static_cast<Index>(angles.anglesDeg.size());
    angles.anglesDeg.clear();
    return geometry;
}

std::string nameInScan(const ScanFile& scan, const QString& path) {
    const std::filesystem::path absolute = toPath(path);
    const std::filesystem::path relative = absolute.lexically_relative(scan.folder);
    const bool isInside = !relative.empty() && *relative.begin() != "..";
    return (isInside ? relative : absolute).string();
}

}  // namespace gantry
