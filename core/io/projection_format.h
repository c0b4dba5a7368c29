#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/image_shape.h"
#include "core/io/projection_source.h"
#include "core/io/series/series_parts.h"
#include "core/io/stated_geometry.h"

namespace gantry {

/// What the frames of a file show. Bad pixels are a mask, in which they are not 0 as stored,
/// whatever a viewer would show as white.
enum class FrameKind { projections, dark, flat, badPixels };

struct OpenOptions {
    /// The top row of the image, as a viewer shows it, is the detector's highest v. (A TIFF file
    /// may say that it is stored bottom row first: a viewer shows it upright.)
    bool firstRowIsTop = true;
    /// Which frames to take from a file that holds several kinds (HDF5). The images of all other
    /// files are of the kind that their field names.
    FrameKind frames = FrameKind::projections;
    /// The left column of the image, as a viewer shows it, is the detector's highest u.
    bool isMirrored = false;
    /// What files of no known format hold: images of this shape, one behind the other,
    /// little-endian and without any header. Nothing: they cannot be opened.
    std::optional<ImageShape> bare = std::nullopt;
    /// The image, as a viewer shows it, is turned clockwise by so much before its rows and columns
    /// are taken as above: 0, 90, 180 or 270.
    int turnDeg = 0;
    /// Which scan of a file that holds several (HDF5), by its path in the file. Empty: the usual
    /// one.
    std::string entry{};
};

/// Reorders rows that were read as imageRows() into the detector's order.
void putInOrder(std::span<std::byte> pixels, Index rows, const ImageShape& shape,
                const OpenOptions& options);

/// The extension of a header's file and that of the file beside it that holds its data.
struct HeaderAndData {
    std::string_view header;
    std::string_view data;
};

/// A format of files that projections are read from. Extensions are in lower case, with their dot.
struct ProjectionFormat {
    std::string_view name;  ///< as a list of formats has it: "raw files with a JSON header"
    std::vector<std::string_view> extensions;  ///< of its images in a folder
    std::vector<HeaderAndData> pairs;          ///< pairs whose data files are no images of their
                                               ///< own
    /// Whether a file is of this format. begin: its first bytes, up to 2048
    bool (*takes)(const std::filesystem::path& file, std::string_view begin);
    /// Opens files, at least one; views are all images of all files, in order.
    /// @throws InputError as `choose`, which is given the fault of each file
    std::unique_ptr<ProjectionSource> (*open)(const std::vector<std::filesystem::path>& files,
                                              const OpenOptions& options,
                                              const ChooseParts& choose);
    /// The geometry that a file states; null: files of this format cannot state one.
    /// entry: OpenOptions::entry
    /// @throws InputError naming what is wrong with the file
    std::optional<StatedGeometry> (*stated)(const std::filesystem::path& file,
                                            const std::string& entry) = nullptr;
    /// The scans that a file holds of which one must be chosen, by their names for
    /// OpenOptions::entry; null: files of this format hold one.
    /// @throws InputError naming what is wrong with the file
    std::vector<std::string> (*entries)(const std::filesystem::path& file) = nullptr;
};

using ProjectionFormats = std::vector<ProjectionFormat>;

/// ProjectionFormat::open for a class whose constructor takes the same arguments.
template <class Source>
std::unique_ptr<ProjectionSource> openAs(const std::vector<std::filesystem::path>& files,
                                         const OpenOptions& options, const ChooseParts& choose) {
    return std::make_unique<Source>(files, options, choose);
}

/// TIFF, MetaImage, HDF5, Xradia, .xim and .hnd, .his and raw, in the order in which they are tried
/// on a file. A format is added by its file and a line there. Tests:
/// tests/core/io/projection_format_test.cpp
[[nodiscard]] const ProjectionFormats& projectionFormats();

}  // namespace gantry
