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

// The field of a problem within a sentence.
QString whatIs(const std::string& name, const std::vector<ScanField>& fields) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const ScanField& each) { return isNamed(each, name); });
    if (field != fields.end()) return field->what;
    // Those of the volume are in no form of the scan.
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

bool isCircle(const ScanFile& scan) {
    return scan.geometry.isCone();
}

// Makes a field of a circle one that other trajectories lack. What shows it may still ask.
void limitToCircles(ScanField& field) {
    if (!field.applies) field.applies = isCircle;
    const auto guard = [](auto& kind) {
        kind.get = [get = kind.get](const ScanFile& scan) {
            return isCircle(scan) ? get(scan) : decltype(get(scan)){};
        };
        kind.set = [set = kind.set](ScanFile& scan, auto value) {
            if (isCircle(scan)) set(scan, value);
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
    for (ScanField& field : fields)
        if (field.name.startsWith("trajectory.") || field.name.startsWith("detector.pitchMm"))
            limitToCircles(field);
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
    // Of views: a file's name comes first, which stays as it is.
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

QString anglesText(const ScanGeometry& geometry) {
    if (!geometry.isCone()) return tr("%1 calibrated poses").arg(geometry.views());
    const std::vector<double>& angles = geometry.cone().anglesDeg;
    if (angles.empty()) return tr("evenly stepped");
    return tr("%1 listed angles, %2° to %3°")
        .arg(angles.size())
        .arg(numberText(angles.front(), 6), numberText(angles.back(), 6));
}

ScanGeometry withRegularAngles(ScanGeometry geometry) {
    if (!geometry.isCone()) return geometry;
    CircularCone& cone = geometry.cone();
    if (cone.anglesDeg.empty()) return geometry;
    cone.startDeg = cone.anglesDeg.front();
    const double span = cone.anglesDeg.back() - cone.anglesDeg.front();
    // What a person would write: 360° rather than 359.99999999999994°.
    const double arc = std::round(geometry.coverageDeg() * 1e6) / 1e6;
    cone.arcDeg = std::copysign(arc, span);
    cone.views = static_cast<Index>(cone.anglesDeg.size());
    cone.anglesDeg.clear();
    return geometry;
}

std::string nameInScan(const ScanFile& scan, const QString& path) {
    const std::filesystem::path absolute = toPath(path);
    const std::filesystem::path relative = absolute.lexically_relative(scan.folder);
    const bool isInside = !relative.empty() && *relative.begin() != "..";
    return (isInside ? relative : absolute).string();
}

}  // namespace gantry
