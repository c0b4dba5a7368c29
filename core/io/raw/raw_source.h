#pragma once

#include <filesystem>
#include <vector>

#include "core/io/image_shape.h"
#include "core/io/projection_format.h"
#include "core/io/projection_source.h"
#include "core/io/series_parts.h"

namespace gantry {

/// Views in raw files. Each x.raw is described by x.raw.json or x.json beside it:
/// {"gantryRaw": 1, "columns": 640, "rows": 480, "views": 720, "type": "uint16",
/// "byteOrder": "little", "offsetBytes": 0}; the last two may be left out.
/// Tests: tests/core/io/raw_source_test.cpp
class RawSource : public ProjectionSource {
  public:
    /// @throws InputError naming the header and its field, or the file whose size differs
    RawSource(const std::vector<std::filesystem::path>& files, const OpenOptions& options)
        : RawSource(files, options, useAll) {}
    /// The same with the files that `choose` selects. @throws InputError as `choose`
    RawSource(const std::vector<std::filesystem::path>& files, const OpenOptions& options,
              const ChooseParts& choose);

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;
    [[nodiscard]] std::string viewName(Index view) const override;

  private:
    struct Part {
        std::filesystem::path file;
        ImageShape shape;
        Index views = 0;
        Index firstView = 0;
        Index offsetBytes = 0;
        bool bigEndian = false;
    };
    static Part readHeader(const std::filesystem::path& file);
    [[nodiscard]] const Part& partOf(Index view) const;

    std::vector<Part> m_parts;
    OpenOptions m_options;
    ImageShape m_shape;
    SourceInfo m_info;
};

/// Files of any name with their headers.
[[nodiscard]] ProjectionFormat rawProjections();

}  // namespace gantry
