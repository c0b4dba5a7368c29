#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/projection_format.h"
#include "core/io/projection_source.h"
#include "core/io/series/bad_view.h"

namespace gantry {

/// Opens files of one format, recognised by content, not by name. The views are all images of all
/// files, in order; all must have one size and pixel type.
/// @throws InputError naming the file: missing, of an unknown format, damaged, shorter or longer
/// than its header says, or unlike the first
/// Tests: tests/core/io/open_source_test.cpp, tests/core/io/hostile_input_test.cpp
[[nodiscard]] std::unique_ptr<ProjectionSource> openSource(
    const std::vector<std::filesystem::path>& files, const OpenOptions& options,
    const ProjectionFormats& formats = projectionFormats());

/// The geometry that files of projections state; nothing where their format cannot. One of several
/// files (the first, the middle or the last that can be read) represents all, but only if it states
/// the detector's position alone and not a scan of its own. entry: OpenOptions::entry
/// @throws InputError naming what is wrong with the file
/// Tests: tests/core/scan/guess_hdf5_test.cpp, tests/core/scan/guess_metaimage_test.cpp
[[nodiscard]] std::optional<StatedGeometry> statedGeometry(
    const std::vector<std::filesystem::path>& files, const std::string& entry = {},
    const ProjectionFormats& formats = projectionFormats());

/// The scans that a file holds of which one must be chosen, as OpenOptions::entry, the usual one
/// first; none where it holds one alone or says which is meant, or is not of a known format.
/// @throws InputError naming what is wrong with the file
/// Tests: tests/core/io/hdf5_entries_test.cpp
[[nodiscard]] std::vector<std::string> entriesIn(
    const std::filesystem::path& file, const ProjectionFormats& formats = projectionFormats());

/// The views of a scan, bad ones apart from good ones.
struct OpenedViews {
    std::shared_ptr<const ProjectionSource> source;  ///< of the good ones alone, in order
    std::vector<BadView> bad;                        ///< in order
    std::vector<std::filesystem::path> files;        ///< as they were given
    std::vector<std::size_t> fileOfView;             ///< number of its file; good and bad

    [[nodiscard]] Index views() const { return std::ssize(fileOfView); }
};

/// Opens files as openSource() does, but a file or image that is missing, unreadable or unlike most
/// of the others becomes a bad view. A file whose number of views is unknown counts for as many as
/// most files have. One pass over the headers.
/// @throws InputError when no view at all can be used
/// Tests: tests/core/io/open_views_test.cpp
[[nodiscard]] OpenedViews openViews(std::vector<std::filesystem::path> files,
                                    const OpenOptions& options,
                                    const ProjectionFormats& formats = projectionFormats());

}  // namespace gantry
