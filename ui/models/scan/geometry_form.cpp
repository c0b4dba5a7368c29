#include "ui/models/scan/geometry_form.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "ui/models/scan/geometry_form_fields.h"
#include "ui/models/text.h"
#include "ui/models/translation.h"

namespace gantry {

namespace {

// Names in scan.json that messages mention, as an operator says them.
constexpr std::pair<const char*, const char*> kWords[] = {
    {"detector.columns × detector.rows", QT_TRANSLATE_NOOP("ScanField", "the detector")},
    {"volume.pitchMm", QT_TRANSLATE_NOOP("ScanField", "voxel pitch")},
    {"volume.centerMm", QT_TRANSLATE_NOOP("ScanField", "volume centre")},
    {"volume.voxels", QT_TRANSLATE_NOOP("ScanField", "number of voxels")},
    {"anglesDeg", QT_TRANSLATE_NOOP("ScanField", "the list of angles")},
    {"a flatValue", QT_TRANSLATE_NOOP("ScanField", "the open beam's counts")},
};

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

QString problemSentence(const Problem& problem, const std::vector<ScanField>& fields) {
    QString message = QString::fromStdString(problem.message);
    // Of views: a file's name comes first, which stays as it is.
    if (problem.field == "projections.skipViews") return message;
    if (problem.goesOnFromField) {
        const auto field = std::find_if(fields.begin(), fields.end(), [&](const ScanField& each) {
            return isNamed(each, problem.field);
        });
        const QString subject =
            field != fields.end() ? field->what : QString::fromStdString(problem.field);
        message = subject + ' ' + message;
    }
    for (const auto& [name, word] : kWords)
        message.replace(QString::fromUtf8(name), tr(word));
    if (!message.endsWith('.')) message += '.';
    return capitalised(message);
}

QString anglesText(const ScanGeometry& geometry) {
    const std::vector<double>& angles = geometry.anglesDeg;
    if (angles.empty()) return tr("evenly stepped");
    return tr("%1 listed angles, %2° to %3°")
        .arg(angles.size())
        .arg(numberText(angles.front(), 6), numberText(angles.back(), 6));
}

ScanGeometry withRegularAngles(ScanGeometry geometry) {
    if (geometry.anglesDeg.empty()) return geometry;
    geometry.startDeg = geometry.anglesDeg.front();
    const double span = geometry.anglesDeg.back() - geometry.anglesDeg.front();
    // What a person would write: 360° rather than 359.99999999999994°.
    const double arc = std::round(geometry.coverageDeg() * 1e6) / 1e6;
    geometry.arcDeg = std::copysign(arc, span);
    geometry.views = static_cast<Index>(geometry.anglesDeg.size());
    geometry.anglesDeg.clear();
    return geometry;
}

std::string nameInScan(const ScanFile& scan, const QString& path) {
    const std::filesystem::path absolute = toPath(path);
    const std::filesystem::path relative = absolute.lexically_relative(scan.folder);
    const bool isInside = !relative.empty() && *relative.begin() != "..";
    return (isInside ? relative : absolute).string();
}

}  // namespace gantry
