#pragma once

#include <QString>
#include <QStringList>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "ui/scene/schematic/schematic_drag.h"
#include "ui/scene/schematic/schematic_scale.h"

namespace gantry {

/// All words of the schematic. The geometry and the grid are the true ones. Each text has several
/// forms, the longest first, for views of all sizes; a form has one line or more. Tests:
/// tests/ui/scene/schematic_scale_test.cpp, tests/ui/scene/schematic_words_test.cpp
struct SchematicWords {
    QStringList distances;
    QStringList notToScale;  ///< empty where the picture is to scale
    QStringList volume;
    QStringList view;
};
[[nodiscard]] SchematicWords schematicWords(const ScanGeometry& geometry, const VolumeGrid& grid,
                                            Index view, const SchematicScale& scale);

/// The value of a handle: "Offset u 12.5 mm (7.8 px)".
[[nodiscard]] QString handleValueText(const SchematicHandle& handle, const ScanGeometry& geometry,
                                      const VolumeGrid& grid);
/// Explains what dragging it does.
[[nodiscard]] QString handleHint(const SchematicHandle& handle);

}  // namespace gantry
