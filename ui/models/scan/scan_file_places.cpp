#include "ui/models/scan/scan_file_places.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/io/scan_file/scan_fields.h"
#include "ui/models/job/option_text.h"

namespace gantry {

namespace {

// The form's numbers come from doubles; validate() refuses absurd counts.
Index countOf(double value) {
    constexpr double kMax = 1e9;
    return std::abs(value) < kMax ? std::llround(value) : 0;
}

const FileField<ScanFile>& fileField(std::string_view path) {
    return fieldOf(scanFileFields(), path.substr(0, path.find('[')));
}

}  // namespace

ScanField::Number numberOf(std::string_view path, double step) {
    const FileField<ScanFile>& field = fileField(path);
    const QString unit = optionText(field.shape.unit);
    if (field.kind() == FieldKind::whole)
        return {unit, step, true,
                [&field](const ScanFile& scan) {
                    return static_cast<double>(std::get<Index>(field.value(scan)));
                },
                [&field](ScanFile& scan, double value) { field.assign(scan, countOf(value)); }};
    if (field.kind() == FieldKind::number)
        return {unit, step, false,
                [&field](const ScanFile& scan) { return std::get<double>(field.value(scan)); },
                [&field](ScanFile& scan, double value) { field.assign(scan, value); }};
    const std::size_t i = path.ends_with("[1]") ? 1 : 0;
    const auto pair = [&field](const ScanFile& scan) {
        return std::get<std::vector<double>>(field.value(scan));
    };
    return {unit, step, false, [=](const ScanFile& scan) { return pair(scan)[i]; },
            [=, &field](ScanFile& scan, double value) {
                std::vector<double> values = pair(scan);
                values[i] = value;
                field.assign(scan, values);
            }};
}

ScanField::OptionalNumber optionalOf(std::string_view path, double step, const QString& absent,
                                     double start) {
    const FileField<ScanFile>& field = fileField(path);
    return {optionText(field.shape.unit),
            step,
            absent,
            start,
            [&field](const ScanFile& scan) {
                const FieldValue value = field.value(scan);
                const auto* number = std::get_if<double>(&value);
                return number ? std::optional(*number) : std::nullopt;
            },
            [&field](ScanFile& scan, std::optional<double> value) {
                field.assign(scan, value ? FieldValue(*value) : FieldValue());
            }};
}

ScanField::Files filesOf(std::string_view path, const QString& absent) {
    const FileField<ScanFile>& field = fileField(path);
    return {absent,
            [&field](const ScanFile& scan) { return std::get<std::string>(field.value(scan)); },
            [&field](ScanFile& scan, std::string name) { field.assign(scan, std::move(name)); }};
}

ScanField::Choice choiceOf(std::string_view path) {
    const FileField<ScanFile>& field = fileField(path);
    QStringList options;
    for (const FieldWord& word : field.words())
        options << optionText(word.label);
    return {options,
            [&field](const ScanFile& scan) {
                return static_cast<int>(
                    placeOf(std::get<std::string>(field.value(scan)), field.words()));
            },
            [&field](ScanFile& scan, int option) {
                field.assign(scan, std::string(field.words()[static_cast<std::size_t>(option)]));
            }};
}

}  // namespace gantry
