#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/io/image_shape.h"
#include "core/io/projection_source.h"
#include "core/io/series/series_parts.h"
#include "core/io/stated_geometry.h"

namespace gantry {

/// What frames show.
enum class FrameKind { projections, dark, flat };

struct OpenOptions {
    /// The top row of the image, as a viewer shows it, is the detector's highest v. (A TIFF file
    /// may say that it is stored bottom row first: a viewer shows it upright.)
    bool firstRowIsTop = true;
    /// Which frames are meant of a file that holds several kinds (HDF5). The images of all other
    /// files are what their field says.
    FrameKind frames = FrameKind::projections;
    /// The left column of the image, as a viewer shows it, is the detector's highest u.
    bool isMirrored = false;
};

/// Puts rows that were read, of imageRows(), into the detector's order.
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
    std::vector<HeaderAndData> pairs;          ///< whose data are no images of their own
    /// Whether a file is of this format. begin: its first bytes, 2048 where it has as many
    bool (*takes)(const std::filesystem::path& file, std::string_view begin);
    /// Views are all images of all files, in order. files: at least one
    /// @throws InputError as `choose`, which gets what is wrong with each file
    std::unique_ptr<ProjectionSource> (*open)(const std::vector<std::filesystem::path>& files,
                                              const OpenOptions& options,
                                              const ChooseParts& choose);
    /// What a file says of the geometry; null: files of this format never do.
    /// @throws InputError naming what is wrong with the file
    std::optional<StatedGeometry> (*stated)(const std::filesystem::path& file) = nullptr;
};

using ProjectionFormats = std::vector<ProjectionFormat>;

/// ProjectionFormat::open for a class that is made of the same.
template <class Source>
std::unique_ptr<ProjectionSource> openAs(const std::vector<std::filesystem::path>& files,
                                         const OpenOptions& options, const ChooseParts& choose) {
    return std::make_unique<Source>(files, options, choose);
}

/// TIFF, MetaImage, HDF5 and raw, in the order in which they are asked whose a file is. A format is
/// added by its file and a line there. Tests: tests/core/io/projection_format_test.cpp
[[nodiscard]] const ProjectionFormats& projectionFormats();

}  // namespace gantry
