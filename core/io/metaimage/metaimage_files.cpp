#include "core/io/metaimage/metaimage_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/throw_error.h"
#include "core/geometry/views/circular_view.h"
#include "core/io/file_error.h"
#include "core/io/metaimage/metaimage_header.h"
#include "core/io/stack_source.h"
#include "core/io/volume/calibration.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/flat_slices.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Fields are written as "Name = value", one a line; NDims is among the first.
bool isMetaImage(const fs::path& /*file*/, std::string_view begin) {
    const auto found = begin.find("NDims");
    if (found == std::string_view::npos) return false;
    if (found != 0 && begin[found - 1] != '\n') return false;
    const auto next = begin.find_first_not_of(" \t", found + 5);
    return next != std::string_view::npos && begin[next] == '=';
}

ImageStack readMetaImageStack(const fs::path& file) {
    const MetaImageHeader header = readMetaImageHeader(file);
    if (header.slope != 1 || header.intercept != 0)
        throwErrorOf<FileError>(file,
                                "holds scaled values (slope {}, intercept {}), as a volume does; "
                                "projections must be stored as they are",
                                header.slope, header.intercept);
    const auto [columns, rows, images] = header.size;
    return {file, images, rows, columns, header.data.storedBytes, header.data};
}

std::unique_ptr<ProjectionSource> openMetaImages(const std::vector<fs::path>& files,
                                                 const OpenOptions& options,
                                                 const ChooseParts& choose) {
    std::vector<ImageStack> stacks = readStacks(files, choose, readMetaImageStack);
    const StoredPixels& first = stacks.front().pixels;
    std::string format = fmt::format("MetaImage, {}{}", describe(first.type),
                                     first.compressed ? ", compressed" : "");
    return std::make_unique<StackSource>(std::move(stacks), std::move(format), "slice", options);
}

// The detector's position from the header, as ITK and RTK interpret it: the first row is the lowest
// unless the axis is reversed, and Offset and ElementSpacing give the centre.
std::optional<StatedGeometry> statedPlace(const fs::path& file, const std::string& /*entry*/) {
    const MetaImageHeader header = readMetaImageHeader(file);
    if (!header.isPlaced) return std::nullopt;
    if (header.isReversed[0])
        throw FileError(file,
                        "has its columns reversed (TransformMatrix or AnatomicalOrientation), "
                        "which is not supported for projections; store them from left to right, "
                        "as seen from the source");
    StatedGeometry stated;
    stated.where = "its header (ElementSpacing, Offset, TransformMatrix)";
    stated.pitchMm = std::array{header.spacingMm[0], header.spacingMm[1]};
    const auto middle = [&](std::size_t axis) {
        const double half = static_cast<double>(header.size[axis] - 1) / 2 * header.spacingMm[axis];
        return header.originMm[axis] + (header.isReversed[axis] ? -half : half);
    };
    stated.offsetMm = std::array{withoutRounding(middle(0)), withoutRounding(middle(1))};
    stated.firstRowIsTop = header.isReversed[1];
    stated.doubt = header.contradiction;
    return stated;
}

fs::path metaImageDataPath(const fs::path& header) {
    fs::path data = header;
    return data.replace_extension(".raw");
}

std::string headerText(const fs::path& place, const fs::path& data, const VolumeGrid& grid,
                       const VoxelEncoding& encoding) {
    MetaImageHeader header;
    header.path = place;
    header.size = grid.voxels;
    header.spacingMm = grid.pitchMm;
    const Vec3 origin = grid.originMm();
    header.originMm = {origin.x, origin.y, origin.z};
    header.slope = encoding.slope;
    header.intercept = encoding.intercept;
    header.scale = encoding.scale;
    header.data.path = data;
    header.data.type = encoding.type;
    return metaImageText(header);
}

FlatLayout metaImageLayout(const fs::path& place, const VolumeGrid& grid,
                           const VoxelEncoding& encoding) {
    const std::string plain = headerText(place, place, grid, encoding);
    std::string text = plain;
    // Behind the first line, because the last one must be in front of the voxels.
    const std::size_t longest =
        headerText(place, place, grid, longestEncoding(encoding.type)).size();
    text.insert(text.find('\n') + 1,
                "Comment = Gantry" + std::string(longest - text.size(), '.') + "\n");
    FlatLayout layout{place, text, {}};
    layout.former = std::make_shared<const FlatLayout>(FlatLayout{place, plain, {}});
    return layout;
}

std::unique_ptr<VolumeSink> writeMetaImage(const fs::path& place, const VolumeGrid& grid,
                                           const VoxelEncoding& encoding, SinkStart start) {
    return std::make_unique<FlatSink>(metaImageLayout(place, grid, encoding), grid, encoding,
                                      start);
}

FlatLayout metaImagePairLayout(const fs::path& place, const VolumeGrid& grid,
                               const VoxelEncoding& encoding) {
    const fs::path data = metaImageDataPath(place);
    return {data, {}, {}, 0, {}, place, headerText(place, data, grid, encoding)};
}

std::unique_ptr<VolumeSink> writePair(const fs::path& place, const VolumeGrid& grid,
                                      const VoxelEncoding& encoding, SinkStart start) {
    return std::make_unique<FlatSink>(metaImagePairLayout(place, grid, encoding), grid, encoding,
                                      start);
}

StoredVolume readMetaImage(const fs::path& path) {
    const MetaImageHeader header = readMetaImageHeader(path);
    if (header.isReversed != std::array<bool, 3>{})
        throwError<InputError>(
            "{}: TransformMatrix or AnatomicalOrientation reverses axes, which is not supported; "
            "resample the image to axes along x, y and z",
            path.string());
    StoredVolume volume;
    volume.grid.voxels = header.size;
    volume.grid.pitchMm = header.spacingMm;
    // The grid is centred on the origin so far, so the difference is the true centre.
    const Vec3 shift =
        Vec3{header.originMm[0], header.originMm[1], header.originMm[2]} - volume.grid.originMm();
    volume.grid.centerMm = {shift.x, shift.y, shift.z};
    volume.encoding = {header.data.type, header.slope, header.intercept, header.scale};
    volume.slices = std::make_unique<FlatSlices>(header.data, header.size, path, "MetaImage");
    return volume;
}

}  // namespace

ProjectionFormat metaImageProjections() {
    return {"MetaImage", {".mha", ".mhd"}, {{".mhd", ".raw"}},
            isMetaImage, openMetaImages,   statedPlace};
}

VolumeFileFormat metaImageVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::metaImage;
    format.name = ".mha";
    format.label = "MetaImage";
    format.extensions = {".mha"};
    format.write = writeMetaImage;
    format.layout = metaImageLayout;
    format.read = readMetaImage;
    format.companions = [](const fs::path& file) { return std::vector{metaImageDataFile(file)}; };
    format.isVolume = [](const fs::path&) { return true; };
    return format;
}

VolumeFileFormat metaImagePairVolumes() {
    VolumeFileFormat format = metaImageVolumes();
    format.format = VolumeFormat::metaImagePair;
    format.name = ".mhd";
    format.label = "MetaImage, 2 files";
    format.extensions = {".mhd"};
    format.dataPath = metaImageDataPath;
    format.files = [](const fs::path& place) {
        return std::vector{place, metaImageDataPath(place)};
    };
    format.checkPlace = [](const fs::path& place) {
        checkHeaderAndData(place, metaImageDataPath(place), ".mha");
    };
    format.write = writePair;
    format.layout = metaImagePairLayout;
    return format;
}

}  // namespace gantry
