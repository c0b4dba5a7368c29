#include "ui/models/scan/geometry_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "core/io/scan_file/scan_fields.h"
#include "ui/models/job/option_text.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

using ScanRow = FileField<ScanFile>;

// The form's numbers come from doubles; validate() refuses absurd counts.
Index countOf(double value) {
    constexpr double kMax = 1e9;
    return std::abs(value) < kMax ? std::llround(value) : 0;
}

ScanField fieldFrom(const ScanRow& row, const FieldOption& texts, std::size_t part) {
    ScanField field = {.name = optionText(row.shape.path()),
                       .label = optionText(texts.label),
                       .what = optionText(texts.what),
                       .toolTip = optionText(texts.help),
                       .group = optionText(row.option.group),
                       .row = &row,
                       .part = part};
    if (row.option.parts) field.name += QString("[%1]").arg(part);
    return field;
}

QString pixelsText(const ScanFile& scan, std::size_t axis) {
    const Detector& detector = scan.geometry.detector;
    const double pixels = detector.offsetMm[axis] / detector.pitchMm[axis];
    return std::isfinite(pixels) ? tr("%1 px off").arg(numberText(pixels, 4)) : QString();
}

QString offsetNote(const ScanFile& scan) {
    const QString pixels = pixelsText(scan, 1);
    const double row = scan.geometry.midplaneRow();
    return pixels.isEmpty() || !std::isfinite(row)
               ? QString()
               : tr("%1 · mid-plane row %2").arg(pixels).arg(row, 0, 'f', 1);
}

double offsetForPixels(const ScanFile& scan, double pixels) {
    return pixels * scan.geometry.detector.pitchMm[0];
}

double offsetForColumn(const ScanFile& scan, double column) {
    ScanFile moved = scan;
    fieldOf(scanFormFields(), "detector.axisColumn").assign(moved, column);
    return moved.geometry.detector.offsetMm[0];
}

double columnForPixels(const ScanFile& scan, double pixels) {
    ScanGeometry moved = scan.geometry;
    moved.detector.offsetMm[0] = offsetForPixels(scan, pixels);
    return moved.axisColumn();
}

// Adds what a field has beside its row.
void complete(ScanField& field) {
    if (field.name == "detector.offsetMm[0]") {
        field.note = [](const ScanFile& scan) { return pixelsText(scan, 0); };
        field.otherUnits = {{"px off", offsetForPixels}, {"px", offsetForColumn}};
    }
    if (field.name == "detector.axisColumn") {
        field.sameAs = "detector.offsetMm[0]";
        field.otherUnits = {{"px off", columnForPixels}};
    }
    if (field.name == "detector.offsetMm[1]") field.note = offsetNote;
    if (field.name == "detector.pitchMm[0]") field.linkedTo = "detector.pitchMm[1]";
    if (field.name == "detector.pitchMm[1]") field.linkedTo = "detector.pitchMm[0]";
}

// The place of a field in the form, which is sorted by group. In each group the fields of kFirst
// come first, and the others follow in the order of the table.
std::pair<std::ptrdiff_t, std::ptrdiff_t> formPlace(const ScanField& field) {
    static constexpr std::string_view kFirst[] = {
        "trajectory.type",      "detector.offsetMm[0]", "detector.axisColumn",
        "detector.offsetMm[1]", "detector.rollDeg",     "detector.tiltDeg",
        "detector.slantDeg",    "trajectory.views",     "trajectory.startDeg",
        "trajectory.arcDeg",    "trajectory.direction", "projections.kind"};
    const auto placeIn = [](const auto& list, const QString& text) {
        return std::ranges::find(list, text.toStdString()) - std::begin(list);
    };
    return {placeIn(kScanGroups, field.group), placeIn(kFirst, field.name)};
}

// The name of a problem's field within a sentence.
QString whatIs(const std::string& name, const std::vector<ScanField>& fields) {
    const auto field =
        std::ranges::find_if(fields, [&](const ScanField& each) { return isNamed(each, name); });
    if (field != fields.end()) return field->what;
    // Fields of the volume are not in the scan's form.
    for (const FileField<VolumeGrid>& row : gridFields())
        for (int axis = 0; axis < 3; ++axis)
            if (name == fmt::format("volume.{}[{}]", row.shape.name, axis))
                return tr("%1 along %2").arg(optionText(row.option.what)).arg(QChar('x' + axis));
    return QString::fromStdString(name);
}

QString capitalised(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

}  // namespace

FieldKind ScanField::kind() const {
    return row->kind() == FieldKind::pair ? FieldKind::number : row->kind();
}

bool ScanField::applies(const ScanFile& scan) const {
    return !row->applies || row->applies(scan);
}

FieldValue ScanField::value(const ScanFile& scan) const {
    if (!applies(scan)) return {};
    FieldValue value = row->value(scan);
    if (row->kind() == FieldKind::pair) return std::get<std::vector<double>>(value)[part];
    if (const auto* count = std::get_if<Index>(&value)) return static_cast<double>(*count);
    return value;
}

double ScanField::number(const ScanFile& scan) const {
    const FieldValue held = value(scan);
    const auto* number = std::get_if<double>(&held);
    return number ? *number : 0;
}

QString ScanField::text(double number) const {
    const auto& own = row->option.unit;
    const QString unit = optionText(own.empty() ? row->shape.unit : own);
    const QString text = numberText(number, kFormDigits);
    return unit.isEmpty() ? text : text + ' ' + unit;
}

void ScanField::assign(ScanFile& scan, const FieldValue& value) const {
    if (!applies(scan)) return;
    if (row->kind() == FieldKind::pair) {
        auto pair = std::get<std::vector<double>>(row->value(scan));
        pair[part] = std::get<double>(value);
        row->assign(scan, pair);
    } else if (row->kind() == FieldKind::whole) {
        row->assign(scan, countOf(std::get<double>(value)));
    } else {
        row->assign(scan, value);
    }
    // Each of the two replaces the other in a scan's file.
    ProjectionFiles& files = scan.projections;
    if (row->shape.name == "flat" && !files.flat.empty()) files.flatValue.reset();
    // Frames from after the scan need those from before it.
    if (files.dark.empty()) files.darkAfter.clear();
    if (files.flat.empty()) files.flatAfter.clear();
}

std::vector<ScanField> scanFields() {
    constexpr std::size_t kAxes = 2;
    std::vector<ScanField> fields;
    for (const std::span<const ScanRow> table : {scanFileFields(), scanFormFields()})
        for (const ScanRow& row : table) {
            if (!row.option.label.empty()) fields.push_back(fieldFrom(row, row.option, 0));
            for (std::size_t part = 0; row.option.parts && part < kAxes; ++part)
                fields.push_back(fieldFrom(row, row.option.parts[part], part));
        }
    for (ScanField& field : fields)
        complete(field);
    std::ranges::stable_sort(fields, {}, [](const ScanField& field) { return formPlace(field); });
    return fields;
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
    angles.views = std::ssize(angles.anglesDeg);
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
