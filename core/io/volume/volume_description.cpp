#include "core/io/volume/volume_description.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json_fields.h"
#include "core/base/json_text.h"

namespace gantry {

namespace {

constexpr std::array kTypes = {PixelType::uint8,   PixelType::int8,   PixelType::uint16,
                               PixelType::int16,   PixelType::uint32, PixelType::int32,
                               PixelType::float32, PixelType::float64};

PixelType typeField(JsonFields& fields) {
    std::vector<std::string> names;
    names.reserve(kTypes.size());
    for (const PixelType type : kTypes)
        names.emplace_back(name(type));
    const std::string chosen = fields.choice("type", names);
    for (const PixelType type : kTypes)
        if (chosen == name(type)) return type;
    fields.fail("type", "is not a known voxel type");
}

void readGrid(JsonFields& fields, VolumeGrid& grid) {
    grid.voxels = fields.integers3("voxels");
    grid.pitchMm = fields.numbers3("pitchMm");
    grid.centerMm = fields.numbers3("centerMm");
    Index count = 8;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (grid.voxels[axis] < 1 || __builtin_mul_overflow(count, grid.voxels[axis], &count))
            fields.fail("voxels", "is {} × {} × {}, which is not a volume that fits a file",
                        grid.voxels[0], grid.voxels[1], grid.voxels[2]);
        if (grid.pitchMm[axis] <= 0)
            fields.fail("pitchMm", "is {} mm; it must be greater than 0", grid.pitchMm[axis]);
    }
    if (!fields.has("originMm")) return;
    const auto origin = fields.numbers3("originMm");
    const Vec3 expected = grid.originMm();
    const std::array<double, 3> computed = {expected.x, expected.y, expected.z};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (std::abs(origin[axis] - computed[axis]) > 1e-3 * grid.pitchMm[axis])
            fields.fail("originMm", "is {} mm, but centerMm, voxels and pitchMm make {} mm",
                        origin[axis], computed[axis]);
}

void readScale(JsonFields& fields, ValueScale& scale) {
    const std::string unit = fields.choice("unit", {"1/mm", "HU"}, "1/mm");
    if (unit == "1/mm") return;
    scale.unit = ValueUnit::hounsfield;
    const auto [slope, intercept] = fields.numbers2("calibration");
    if (slope == 0) fields.fail("calibration", "has the slope 0, which is no calibration");
    scale.slope = slope;
    scale.intercept = intercept;
}

}  // namespace

std::string toJson(const VolumeDescription& description) {
    const VolumeGrid& grid = description.grid;
    const Vec3 origin = grid.originMm();
    nlohmann::ordered_json json;
    json["gantryVolume"] = 1;
    json["voxels"] = grid.voxels;
    json["pitchMm"] = grid.pitchMm;
    json["centerMm"] = grid.centerMm;
    json["originMm"] = {origin.x, origin.y, origin.z};
    json["type"] = std::string(name(description.encoding.type));
    json["slope"] = description.encoding.slope;
    json["intercept"] = description.encoding.intercept;
    json["byteOrder"] = "little";
    const ValueScale& scale = description.encoding.scale;
    json["unit"] = std::string(name(scale.unit));
    if (scale != ValueScale{}) json["calibration"] = {scale.slope, scale.intercept};
    return jsonText(json, -1);
}

bool isVolumeDescription(std::string_view text) {
    return text.starts_with('{') && text.find("\"gantryVolume\"") != std::string_view::npos;
}

VolumeDescription parseVolumeDescription(std::string_view text, const std::string& where) {
    const nlohmann::json json = parseJson(text, where);
    JsonFields fields(json, where);
    if (const Index version = fields.integer("gantryVolume"); version != 1)
        fields.fail("gantryVolume", "is {}; this version of Gantry reads 1", version);
    VolumeDescription description;
    readGrid(fields, description.grid);
    description.encoding.type = typeField(fields);
    description.encoding.slope = fields.number("slope", 1);
    description.encoding.intercept = fields.number("intercept", 0);
    (void)fields.choice("byteOrder", {"little"}, "little");
    readScale(fields, description.encoding.scale);
    fields.finish();
    return description;
}

}  // namespace gantry
