#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "core/io/image_shape.h"
#include "core/io/metaimage/metaimage_header.h"
#include "core/io/projection_format.h"
#include "core/io/projection_source.h"
#include "core/io/series_parts.h"

namespace gantry {

/// Views in MetaImage files: each slice z of each file is one, each line y a row.
/// Tests: tests/core/io/metaimage_source_test.cpp
class MetaImageSource : public ProjectionSource {
  public:
    /// @throws InputError naming the file that is damaged, scaled or unlike the first
    MetaImageSource(const std::vector<std::filesystem::path>& files, const OpenOptions& options)
        : MetaImageSource(files, options, useAll) {}
    /// The same with the images that `choose` selects. @throws InputError as `choose`
    MetaImageSource(const std::vector<std::filesystem::path>& files, const OpenOptions& options,
                    const ChooseParts& choose);

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;
    [[nodiscard]] std::string viewName(Index view) const override;

  private:
    struct Part {
        MetaImageHeader header;
        Index firstView = 0;
    };
    [[nodiscard]] const Part& partOf(Index view) const;

    std::vector<Part> m_parts;
    std::unique_ptr<MetaImageVoxels> m_stack;  // stays open where there is one file alone
    OpenOptions m_options;
    ImageShape m_shape;
    SourceInfo m_info;
};

/// MetaImage stacks.
[[nodiscard]] ProjectionFormat metaImageProjections();

}  // namespace gantry
