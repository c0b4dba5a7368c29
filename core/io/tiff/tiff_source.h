#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/io/image_shape.h"
#include "core/io/projection_format.h"
#include "core/io/projection_source.h"
#include "core/io/scratch_pool.h"
#include "core/io/series/series_parts.h"
#include "core/io/tiff/tiff_file.h"

namespace gantry {

/// Views in TIFF files, one or several images each.
/// Tests: tests/core/io/tiff_source_test.cpp
class TiffSource : public ProjectionSource {
  public:
    /// Reads and checks the header of every image, several files at once.
    /// @throws InputError naming the first file, in the given order, that is damaged or deviates
    TiffSource(std::vector<std::filesystem::path> files, const OpenOptions& options)
        : TiffSource(std::move(files), options, useAll) {}
    /// The same for the images that `choose` selects from all. @throws InputError as `choose`
    TiffSource(std::vector<std::filesystem::path> files, const OpenOptions& options,
               const ChooseParts& choose);

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;
    [[nodiscard]] std::string viewName(Index view) const override;

  private:
    struct View {
        std::size_t file = 0;
        Index image = 0;  // number within the file
        TiffImage header;
    };
    [[nodiscard]] std::string doubtOfMixedWhite() const;

    std::vector<std::filesystem::path> m_files;
    std::vector<View> m_views;
    std::vector<Index> m_imagesInFile;
    OpenOptions m_options;
    mutable ScratchPool m_scratch;
    ImageShape m_shape;
    SourceInfo m_info;
};

/// TIFF files, one or several images each.
[[nodiscard]] ProjectionFormat tiffProjections();

}  // namespace gantry
