#pragma once

#include <span>
#include <string_view>

#include "core/base/field_table.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// Headings of a form of a scan: FieldOption::group of the rows.
struct ScanGroup {
    static constexpr std::string_view distances = "Distances";
    static constexpr std::string_view detector = "Detector";
    static constexpr std::string_view alignment = "Alignment";
    static constexpr std::string_view trajectory = "Trajectory";
    static constexpr std::string_view images = "Images";
};
/// All of them, in their order.
inline constexpr std::string_view kScanGroups[] = {ScanGroup::distances, ScanGroup::detector,
                                                   ScanGroup::alignment, ScanGroup::trajectory,
                                                   ScanGroup::images};

/// The fields of a scan.json, as it is written; all but "gantryScan", "trajectory.type" and the
/// volume (gridFields()).
/// Tests: tests/core/io/scan_file_test.cpp
[[nodiscard]] std::span<const FileField<ScanFile>> scanFileFields();

/// What forms show of a scan in other terms than its file has: the kind of rays, the arc's size and
/// direction, the first column's place, the use of a beam monitor, the rotation axis' column.
/// Tests: tests/ui/models/geometry_form_test.cpp
[[nodiscard]] std::span<const FileField<ScanFile>> scanFormFields();

/// The kind of rays of a scan that is declared by its angles, in the order of "trajectory.type".
enum class Beam { cone, parallel };
/// The scan with rays of that kind at the same angles; a cone begins with the distances of a bench
/// scanner. Calibrated poses stay unchanged. Tests: tests/ui/models/geometry_form_test.cpp
[[nodiscard]] ScanGeometry withBeam(const ScanGeometry& geometry, Beam beam);

/// Whether a scan of this trajectory has the table's field: poses have none of "trajectory", a
/// parallel beam only its angles.
[[nodiscard]] bool hasField(const ScanGeometry& geometry, const FieldShape& shape);

/// The fields of a "volume", in scans and in jobs.
[[nodiscard]] std::span<const FileField<VolumeGrid>> gridFields();

/// @throws InputError naming the field
[[nodiscard]] VolumeGrid readGrid(JsonFields object);
[[nodiscard]] nlohmann::ordered_json gridJson(const VolumeGrid& grid);

}  // namespace gantry
