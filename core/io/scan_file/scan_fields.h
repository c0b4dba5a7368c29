#pragma once

#include <span>

#include "core/base/field_table.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// The fields of a scan.json, as it is written; all but "gantryScan", "trajectory.type" and the
/// volume (gridFields()).
/// Tests: tests/core/io/scan_file_test.cpp
[[nodiscard]] std::span<const FileField<ScanFile>> scanFileFields();

/// Whether a scan of this trajectory has the table's field: poses have none of "trajectory", a
/// parallel beam only its angles.
[[nodiscard]] bool hasField(const ScanGeometry& geometry, const FieldShape& shape);

/// The fields of a "volume", in scans and in jobs.
[[nodiscard]] std::span<const FileField<VolumeGrid>> gridFields();

/// @throws InputError naming the field
[[nodiscard]] VolumeGrid readGrid(JsonFields object);
[[nodiscard]] nlohmann::ordered_json gridJson(const VolumeGrid& grid);

}  // namespace gantry
