#include "core/io/metaimage/metaimage_projections.h"

#include <fmt/format.h>

#include <array>

#include "core/geometry/views/circular_view.h"
#include "core/io/file_error.h"
#include "core/io/metaimage/metaimage_header.h"
#include "core/io/stack_source.h"

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
        throw FileError(
            file, fmt::format("holds scaled values (slope {}, intercept {}), as a volume does; "
                              "projections must be stored as they are",
                              header.slope, header.intercept));
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
std::optional<StatedGeometry> statedPlace(const fs::path& file) {
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

}  // namespace

ProjectionFormat metaImageProjections() {
    return {"MetaImage", {".mha", ".mhd"}, {{".mhd", ".raw"}},
            isMetaImage, openMetaImages,   statedPlace};
}

}  // namespace gantry
