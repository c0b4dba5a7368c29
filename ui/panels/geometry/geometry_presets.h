#pragma once

#include <QByteArray>
#include <QString>
#include <utility>
#include <vector>

#include "core/io/scan_file/scan_fields.h"
#include "ui/models/scan/geometry_form.h"

namespace gantry {

/// A kind of scanner, as a starting point: fields of the geometry, the rest stays.
struct GeometryPreset {
    QString name;      ///< "Dental CBCT"
    QString sentence;  ///< what it is, and what has to be checked
    Beam beam = Beam::cone;
    double detectorWidthMm = 0;  ///< the pitch follows from it and the columns; 0: stays
    std::vector<std::pair<QString, double>> fields;  ///< names as in ScanField, and values
};

/// Those of the program, in the order of its menu.
/// Tests: tests/ui/panels/geometry_panel_test.cpp
[[nodiscard]] std::vector<GeometryPreset> geometryPresets();
/// One of resources/presets. @throws InputError naming the field
[[nodiscard]] GeometryPreset parsePreset(const QByteArray& json, const QString& where);
void applyPreset(const GeometryPreset& preset, ScanFile& scan);

}  // namespace gantry
