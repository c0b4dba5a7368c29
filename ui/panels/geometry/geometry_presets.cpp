#include "ui/panels/geometry/geometry_presets.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "core/base/error.h"

namespace gantry {

namespace {

const ScanField* find(const std::vector<ScanField>& fields, const QString& name) {
    const auto field = std::ranges::find(fields, name, &ScanField::name);
    return field != fields.end() ? &*field : nullptr;
}

[[noreturn]] void refuse(const QString& where, const QString& name) {
    throw InputError((where + ": " + name + " is unknown or of a wrong type").toStdString());
}

}  // namespace

std::vector<GeometryPreset> geometryPresets() {
    std::vector<GeometryPreset> presets;
    const QDir folder(":/presets");
    for (const QString& name : folder.entryList({"*.json"}, QDir::Files, QDir::Name)) {
        QFile file(folder.filePath(name));
        if (file.open(QIODevice::ReadOnly)) presets.push_back(parsePreset(file.readAll(), name));
    }
    return presets;
}

GeometryPreset parsePreset(const QByteArray& json, const QString& where) {
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    if (object["gantryPreset"].toInt() != 1) refuse(where, "gantryPreset");
    GeometryPreset preset;
    preset.name = object["name"].toString();
    preset.sentence = object["sentence"].toString();
    const QString beam = object["beam"].toString("cone");
    if (beam != "cone" && beam != "parallel") refuse(where, "beam");
    preset.beam = beam == "parallel" ? Beam::parallel : Beam::cone;
    preset.detectorWidthMm = object["detectorWidthMm"].toDouble();
    if (preset.name.isEmpty()) refuse(where, "name");
    const std::vector<ScanField> known = scanFields();
    const QJsonObject values = object["fields"].toObject();
    for (const QString& name : values.keys()) {
        const ScanField* field = find(known, name);
        const bool isNumber =
            field && (field->kind() == FieldKind::number || field->kind() == FieldKind::whole);
        if (!isNumber || !values[name].isDouble()) refuse(where, name);
        preset.fields.emplace_back(name, values[name].toDouble());
    }
    return preset;
}

void applyPreset(const GeometryPreset& preset, ScanFile& scan) {
    if (!scan.geometry.hasAngles()) return;  // calibrated poses have all of a preset themselves
    const std::vector<ScanField> known = scanFields();
    scan.geometry = withBeam(scan.geometry, preset.beam);
    scan.geometry.angles().anglesDeg.clear();
    scan.geometry.angles().arcDeg = 360;
    Detector& detector = scan.geometry.detector;
    if (preset.detectorWidthMm > 0 && detector.columns > 0) {
        const double pitch = preset.detectorWidthMm / static_cast<double>(detector.columns);
        detector.pitchMm = {pitch, pitch};
    }
    for (const auto& [name, value] : preset.fields)
        if (const ScanField* field = find(known, name)) field->assign(scan, value);
}

}  // namespace gantry
