#include "core/io/zarr/zarr_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/throw_error.h"
#include "core/io/volume/volume_format.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

constexpr Index kMaxAttributeBytes = 16'000'000;
constexpr std::size_t kMaxLevels = 64;
constexpr std::array<std::size_t, 3> kWorldAxis = {2, 1, 0};  // of z, y, x

struct LengthUnit {
    std::string_view name;
    double mm;
};
// Names from UDUNITS-2, which OME-Zarr refers to.
constexpr std::array kUnits = {
    LengthUnit{"millimeter", 1},  LengthUnit{"micrometer", 1e-3}, LengthUnit{"nanometer", 1e-6},
    LengthUnit{"angstrom", 1e-7}, LengthUnit{"picometer", 1e-9},  LengthUnit{"centimeter", 10},
    LengthUnit{"decimeter", 100}, LengthUnit{"meter", 1e3},       LengthUnit{"inch", 25.4}};

// The dimensions of an image and the length of a unit along the last three, in mm.
struct ImageAxes {
    std::size_t count = 3;
    std::array<double, 3> unitMm = {1, 1, 1};
};

// Positions along z, y, x: scale · index + translation.
struct AxisTransform {
    std::array<double, 3> scale = {1, 1, 1};
    std::array<double, 3> translation = {0, 0, 0};
};

double unitOf(JsonFields& axis) {
    if (!axis.has("unit") || axis.raw("unit").is_null()) return 1;
    std::vector<std::string> names;
    names.reserve(kUnits.size());
    for (const LengthUnit& unit : kUnits)
        names.emplace_back(unit.name);
    const std::string chosen = axis.choice("unit", names);
    return std::ranges::find(kUnits, chosen, &LengthUnit::name)->mm;
}

// Images of OME-Zarr 0.1 and 0.2 have five unnamed axes; those of 0.3 have names only.
ImageAxes readAxes(JsonFields& multiscale) {
    ImageAxes axes;
    if (!multiscale.has("axes")) {
        axes.count = 5;
        return axes;
    }
    const Json& list = multiscale.raw("axes");
    constexpr std::array<std::string_view, 3> kNames = {"z", "y", "x"};
    if (!list.is_array() || list.size() < 3 || list.size() > 5)
        multiscale.fail("axes", "must be a list of 3 to 5 axes, the last three z, y, x");
    axes.count = list.size();
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t at = axes.count - 3 + i;
        const Json& entry = list[at];
        std::string found = entry.is_string() ? entry.get<std::string>() : std::string();
        if (!entry.is_string()) {
            JsonFields axis(entry, multiscale.where(), fmt::format("axes[{}]", at));
            found = axis.text("name");
            axes.unitMm[i] = unitOf(axis);
        }
        if (found != kNames[i])
            multiscale.fail(
                fmt::format("axes[{}]", at),
                fmt::format("is not {}; the last three axes must be z, y, x", kNames[i]));
    }
    return axes;
}

std::array<double, 3> lastThree(JsonFields& fields, std::string_view name, const ImageAxes& axes) {
    const std::vector<double> numbers = fields.numbers(name);
    if (numbers.size() != axes.count)
        fields.fail(name, "has {} numbers, and the image has {} axes", numbers.size(), axes.count);
    std::array<double, 3> last{};
    std::copy(numbers.end() - 3, numbers.end(), last.begin());
    return last;
}

// Applies an object's transformations after those that `transform` has already.
void applyTransforms(JsonFields& fields, const ImageAxes& axes, AxisTransform& transform) {
    if (!fields.has("coordinateTransformations")) return;
    const Json& list = fields.raw("coordinateTransformations");
    if (!list.is_array()) fields.fail("coordinateTransformations", "must be a list");
    for (const Json& entry : list) {
        JsonFields one(entry, fields.where(), "coordinateTransformations");
        const std::string type = one.choice("type", {"scale", "translation", "identity"});
        if (type == "identity") continue;
        const std::array<double, 3> numbers = lastThree(one, type, axes);
        for (std::size_t i = 0; i < 3; ++i) {
            if (type == "translation") {
                transform.translation[i] += numbers[i];
                continue;
            }
            if (!(numbers[i] > 0))
                one.fail("scale", fmt::format("has {}; it must be greater than 0", numbers[i]));
            transform.scale[i] *= numbers[i];
            transform.translation[i] *= numbers[i];
        }
    }
}

VolumeGrid gridOf(const ZarrArray& array, const AxisTransform& transform, const ImageAxes& axes,
                  const std::string& where) {
    VolumeGrid grid;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t world = kWorldAxis[i];
        grid.voxels[world] = array.shape[i];
        grid.pitchMm[world] = transform.scale[i] * axes.unitMm[i];
        grid.centerMm[world] = transform.translation[i] * axes.unitMm[i] +
                               grid.pitchMm[world] * (static_cast<double>(array.shape[i]) - 1) / 2;
        if (!std::isfinite(grid.centerMm[world]) || !std::isfinite(grid.pitchMm[world]) ||
            !(grid.pitchMm[world] > 0))
            throwError<InputError>(
                "{}: coordinateTransformations make voxels of {} mm at {} mm, which is no size or "
                "place.",
                where, grid.pitchMm[world], grid.centerMm[world]);
    }
    return grid;
}

// The array of a level; its name must not lead out of the image's folder.
fs::path levelFolder(JsonFields& dataset, const fs::path& folder) {
    const fs::path name = dataset.text("path");
    const bool leadsOut =
        name.empty() || name.is_absolute() || std::ranges::find(name, "..") != name.end();
    if (leadsOut) dataset.fail("path", "must be the name of a folder in the image");
    return folder / name;
}

void checkLevel(const ZarrImage& image, const ZarrArray& array, const ImageAxes& axes) {
    const std::string where = (array.folder / ".zarray").string();
    if (array.leading + 3 != static_cast<Index>(axes.count))
        throwError<InputError>("{}: shape has {} numbers, and the image has {} axes.", where,
                               array.leading + 3, axes.count);
    if (image.levels.empty()) return;
    const ZarrArray& finer = image.levels.back().array;
    if (array.type != finer.type)
        throwError<InputError>("{}: dtype is {}, and the finer level has {}.", where,
                               name(array.type), name(finer.type));
    for (std::size_t i = 0; i < 3; ++i)
        if (array.shape[i] > finer.shape[i])
            throwError<InputError>("{}: shape has more voxels than the finer level.", where);
}

void readLevels(JsonFields& multiscale, ZarrImage& image) {
    const ImageAxes axes = readAxes(multiscale);
    const Json& datasets = multiscale.raw("datasets");
    if (!datasets.is_array() || datasets.empty() || datasets.size() > kMaxLevels)
        multiscale.fail("datasets", fmt::format("must be a list of 1 to {} levels", kMaxLevels));
    for (const Json& entry : datasets) {
        JsonFields dataset(entry, multiscale.where(), "multiscales[0].datasets");
        const ZarrArray array = readZarrArray(levelFolder(dataset, image.folder));
        checkLevel(image, array, axes);
        AxisTransform transform;
        applyTransforms(dataset, axes, transform);
        applyTransforms(multiscale, axes, transform);
        image.levels.push_back({array, gridOf(array, transform, axes, multiscale.where())});
    }
}

// Reads Gantry's own part: exact numbers, slope and intercept.
void readOwn(const Json& own, const std::string& where, ZarrImage& image) {
    const VolumeDescription description = parseVolumeDescription(shownJson(own, -1), where);
    ZarrLevel& finest = image.levels.front();
    if (description.grid.voxels != finest.grid.voxels ||
        description.encoding.type != finest.array.type)
        throwError<InputError>("{}: gantry describes another volume than level 0 is.", where);
    finest.grid = description.grid;
    image.encoding = description.encoding;
}

}  // namespace

bool isZarr(const fs::path& folder) noexcept {
    for (const char* file : {".zattrs", ".zgroup", ".zarray", "zarr.json"})
        if (pathExists(folder / file)) return true;
    return false;
}

ZarrImage readZarrImage(const fs::path& folder) {
    ZarrImage image;
    image.folder = folder;
    if (pathExists(folder / ".zarray")) {
        const ZarrArray array = readZarrArray(folder);
        const std::array<Index, 3> voxels = {array.shape[2], array.shape[1], array.shape[0]};
        image.levels.push_back({array, {voxels, {1, 1, 1}, {0, 0, 0}}});
        image.encoding.type = array.type;
        return image;
    }
    const fs::path path = folder / ".zattrs";
    if (!pathExists(path))
        refuseVolume(folder, pathExists(folder / "zarr.json")
                                 ? "it is of Zarr 3; OME-Zarr 0.4, which is of Zarr 2, is read"
                                 : "it has no .zattrs, so that it is no image of OME-Zarr");
    const Json json = parseJson(readTextFile(path, kMaxAttributeBytes), path.string());
    JsonFields fields(json, path.string());
    const Json& multiscales = fields.raw("multiscales");
    if (!multiscales.is_array() || multiscales.empty())
        fields.fail("multiscales", "must be a list of at least one image");
    JsonFields multiscale(multiscales[0], path.string(), "multiscales[0]");
    readLevels(multiscale, image);
    image.encoding.type = image.levels.front().array.type;
    if (fields.has("gantry")) readOwn(fields.raw("gantry"), path.string() + ": gantry", image);
    return image;
}

std::string zarrAttributes(const std::string& name, const VolumeDescription& volume,
                           const std::vector<ZarrLevel>& levels) {
    using Ordered = nlohmann::ordered_json;
    Ordered multiscale;
    multiscale["version"] = "0.4";
    multiscale["name"] = name;
    for (const char* axis : {"z", "y", "x"})
        multiscale["axes"].push_back({{"name", axis}, {"type", "space"}, {"unit", "millimeter"}});
    for (const ZarrLevel& level : levels) {
        const auto& pitch = level.grid.pitchMm;
        const Vec3 origin = level.grid.originMm();
        const Ordered scale = {{"type", "scale"}, {"scale", {pitch[2], pitch[1], pitch[0]}}};
        const Ordered translation = {{"type", "translation"},
                                     {"translation", {origin.z, origin.y, origin.x}}};
        Ordered dataset;
        dataset["path"] = level.array.folder.filename().string();
        dataset["coordinateTransformations"] = {scale, translation};
        multiscale["datasets"].push_back(dataset);
    }
    multiscale["type"] = "mean";
    Ordered json;
    json["multiscales"] = Ordered::array({multiscale});
    json["gantry"] = ownOrderedJson(toJson(volume));
    // Characters that are not UTF-8 are replaced, not refused.
    return shownJson(json) + "\n";
}

}  // namespace gantry
