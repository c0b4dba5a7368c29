// The fields of a volume, which scans and jobs have.
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/json_fields.h"
#include "core/io/scan_file/scan_fields.h"

namespace gantry {

namespace {

using V = VolumeGrid;
constexpr FileField<V> kGridFields[] = {
    {{"", "voxels", FieldPresence::needed, "", "voxels along x, y and z"},
     [](V& v) -> std::array<Index, 3>& { return v.voxels; },
     {.flag = "--voxels",
      .form = "N|NxNxN",
      .given = "one number: across the field of view",
      .label = "Voxels",
      .help = "Number of voxels along each axis. At the same voxel pitch, fewer make the volume "
              "smaller.",
      .what = "number of voxels",
      .step = 8,
      .low = 1,
      .high = kMaxVoxels}},
    {{"", "pitchMm", FieldPresence::needed, "mm", "distance between voxels along x, y and z"},
     [](V& v) -> std::array<double, 3>& { return v.pitchMm; },
     {.flag = "--pitch-mm",
      .form = "MM",
      .given = "one number for all, by default the one that fits",
      .label = "Voxel pitch",
      .help = "Length of a voxel's edges, in mm. Smaller than the detector pitch scaled to the "
              "rotation axis shows no more detail; larger averages noise away.",
      .what = "voxel pitch",
      .step = 0.01,
      .low = 1e-6,
      .high = 1e6}},
    {{"", "centerMm", FieldPresence::defaulted, "mm", "the volume's centre"},
     [](V& v) -> std::array<double, 3>& { return v.centerMm; },
     {.flag = "--center-mm",
      .form = "X,Y,Z",
      .label = "Centre",
      .help = "Where the middle of the volume lies, in mm. 0, 0, 0 is the isocentre: on the "
              "rotation axis, at the height of the source.",
      .what = "volume centre",
      .low = -1e6,
      .high = 1e6}},
};

}  // namespace

std::span<const FileField<VolumeGrid>> gridFields() {
    return kGridFields;
}

VolumeGrid readGrid(JsonFields object) {
    VolumeGrid grid;
    readSection(object, gridFields(), "", grid);
    object.finish();
    return grid;
}

nlohmann::ordered_json gridJson(const VolumeGrid& grid) {
    nlohmann::ordered_json object;
    writeSection(object, gridFields(), "", grid);
    return object;
}

}  // namespace gantry
