#include "core/io/raw/raw_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/stack_source.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/flat_slices.h"
#include "core/io/volume/volume_description.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Products of these with 8 bytes a pixel and the offset stay below 2^63.
constexpr Index kMaxRawEachWay = 1'000'000;
constexpr Index kMaxOffset = 1'000'000'000'000;

Index positive(JsonFields& fields, const char* name) {
    const Index value = fields.integer(name);
    if (value < 1 || value > kMaxRawEachWay)
        fields.fail(name, "is {}; it must be 1 to {}", value, kMaxRawEachWay);
    return value;
}

PixelType pixelType(JsonFields& fields) {
    std::vector<std::string> names;
    for (int i = 0; i <= static_cast<int>(PixelType::float64); ++i)
        names.emplace_back(name(static_cast<PixelType>(i)));
    const std::string chosen = fields.choice("type", names);
    const auto found = std::ranges::find(names, chosen);
    return static_cast<PixelType>(found - names.begin());
}

// The JSON headers that may be beside a raw file, the first one first.
std::vector<fs::path> rawHeaders(const fs::path& file) {
    fs::path beside = file;
    beside += ".json";
    fs::path replaced = file;
    replaced.replace_extension(".json");
    return {beside, replaced};
}

std::optional<fs::path> rawHeaderOf(const fs::path& file) {
    std::error_code ignored;
    for (const fs::path& header : rawHeaders(file))
        if (header != file && fs::is_regular_file(header, ignored)) return header;
    return std::nullopt;
}

ImageStack readRawStack(const fs::path& file) {
    const std::optional<fs::path> header = rawHeaderOf(file);
    if (!header)
        throwErrorOf<FileError>(
            file, "has no header beside it; {}.json must say its columns, rows, views and type",
            file.filename().string());
    const nlohmann::json json = readJsonFile(*header);
    JsonFields fields(json, header->string());
    if (const Index version = fields.integer("gantryRaw"); version != 1)
        fields.fail("gantryRaw", "is {}; this version of Gantry reads 1", version);
    ImageStack stack;
    stack.file = stack.pixels.path = file;
    stack.columns = positive(fields, "columns");
    stack.rows = positive(fields, "rows");
    stack.images = positive(fields, "views");
    StoredPixels& pixels = stack.pixels;
    pixels.type = pixelType(fields);
    pixels.bigEndian = fields.choice("byteOrder", {"little", "big"}, "little") == "big";
    pixels.offsetBytes = fields.integer("offsetBytes", 0);
    if (pixels.offsetBytes < 0 || pixels.offsetBytes > kMaxOffset)
        fields.fail("offsetBytes", "is {}; it must be 0 to {}", pixels.offsetBytes, kMaxOffset);
    fields.finish();

    pixels.count = stack.images * stack.rows * stack.columns;
    pixels.storedBytes = pixels.bytes();
    stack.storedBytes = pixels.offsetBytes + pixels.storedBytes;
    const Index found = File(file, File::Mode::read).sizeBytes();
    if (found != stack.storedBytes)
        throwErrorOf<FileError>(
            file,
            "has {} bytes, but its header {} says {} ({} views of {} x {} pixels of {} "
            "from byte {})",
            found, header->filename().string(), stack.storedBytes, stack.images, stack.columns,
            stack.rows, name(pixels.type), pixels.offsetBytes);
    return stack;
}

std::unique_ptr<ProjectionSource> openRawFiles(const std::vector<fs::path>& files,
                                               const OpenOptions& options,
                                               const ChooseParts& choose) {
    std::vector<ImageStack> stacks = readStacks(files, choose, readRawStack);
    const StoredPixels& first = stacks.front().pixels;
    std::string format =
        fmt::format("raw, {}, {}-endian", describe(first.type), first.bigEndian ? "big" : "little");
    return std::make_unique<StackSource>(std::move(stacks), std::move(format), "view", options);
}

ImageStack bareStack(const fs::path& file, const ImageShape& shape) {
    const Index found = File(file, File::Mode::read).sizeBytes();
    const Index imageBytes = shape.columns * shape.rows * sizeBytes(shape.type);
    if (found == 0 || found % imageBytes != 0)
        throwErrorOf<FileError>(
            file, "has {} bytes; images of {} x {} pixels of {} without a header have {} each",
            found, shape.columns, shape.rows, name(shape.type), imageBytes);
    ImageStack stack;
    stack.file = stack.pixels.path = file;
    stack.columns = shape.columns;
    stack.rows = shape.rows;
    stack.images = found / imageBytes;
    stack.storedBytes = stack.pixels.storedBytes = found;
    stack.pixels.type = shape.type;
    stack.pixels.count = stack.images * stack.rows * stack.columns;
    return stack;
}

std::unique_ptr<ProjectionSource> openBareImages(const std::vector<fs::path>& files,
                                                 const OpenOptions& options,
                                                 const ChooseParts& choose) {
    const ImageShape shape = options.bare.value();
    for (const Index size : {shape.columns, shape.rows})
        if (size < 1 || size > kMaxRawEachWay)
            throwErrorOf<FileError>(files.front(),
                                    "cannot hold images of {} x {} pixels; each must be 1 to {}",
                                    shape.columns, shape.rows, kMaxRawEachWay);
    return std::make_unique<StackSource>(
        readStacks(files, choose, [&](const fs::path& file) { return bareStack(file, shape); }),
        fmt::format("raw without a header, {}", describe(shape.type)), "view", options);
}

fs::path rawDescriptionPath(const fs::path& raw) {
    fs::path description = raw;
    description += ".json";
    return description;
}

FlatLayout rawLayout(const fs::path& place, const VolumeGrid& grid, const VoxelEncoding& encoding) {
    return {place, {}, {}, 0, {}, rawDescriptionPath(place), toJson({grid, encoding}) + "\n"};
}

std::unique_ptr<VolumeSink> writeRaw(const fs::path& place, const VolumeGrid& grid,
                                     const VoxelEncoding& encoding, SinkStart start) {
    return std::make_unique<FlatSink>(rawLayout(place, grid, encoding), grid, encoding, start);
}

StoredVolume readRaw(const fs::path& path) {
    const Index found = File(path, File::Mode::read).sizeBytes();
    const fs::path beside = rawDescriptionPath(path);
    if (!pathExists(beside))
        refuseVolume(path, fmt::format("its description {} is missing", beside.string()),
                     ErrorCode::missingFile);
    const VolumeDescription description =
        parseVolumeDescription(readTextFile(beside), beside.string());
    StoredPixels voxels;
    voxels.path = path;
    voxels.count = description.grid.count();
    voxels.type = description.encoding.type;
    voxels.storedBytes = voxels.bytes();
    if (found != voxels.storedBytes)
        refuseVolume(path, fmt::format("it has {} bytes, and {} describes {}", found,
                                       beside.string(), voxels.storedBytes));
    return {description.grid, description.encoding,
            std::make_unique<FlatSlices>(voxels, description.grid.voxels, path, "raw")};
}

}  // namespace

ProjectionFormat rawProjections() {
    return {"raw files with a JSON header",
            {".raw"},
            {},
            [](const fs::path& file, std::string_view) { return rawHeaderOf(file).has_value(); },
            openRawFiles};
}

ProjectionFormat bareProjections() {
    return {"raw files without a header", {".raw"}, {}, nullptr, openBareImages};
}

VolumeFileFormat rawVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::raw;
    format.name = ".raw with its .raw.json";
    format.label = "Raw voxels";
    format.extensions = {".raw"};
    format.files = [](const fs::path& place) {
        return std::vector{place, rawDescriptionPath(place)};
    };
    format.checkPlace = [](const fs::path& place) {
        checkFreeOfLinks(place);
        checkFreeOfLinks(rawDescriptionPath(place));
    };
    format.write = writeRaw;
    format.layout = rawLayout;
    format.read = readRaw;
    format.companions = rawHeaders;
    format.isVolume = [](const fs::path& path) {
        return isVolumeDescription(readTextFile(rawDescriptionPath(path)));
    };
    return format;
}

}  // namespace gantry
