#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/image_shape.h"
#include "core/io/projection_format.h"
#include "core/io/projection_source.h"
#include "core/io/series/series_parts.h"
#include "core/io/stored_pixels.h"

namespace gantry {

/// Images of one shape that lie one behind another: [image][row][column].
struct ImageStack {
    std::filesystem::path file;  ///< that was opened; the pixels may lie in another one
    Index images = 0;
    Index rows = 0;
    Index columns = 0;
    Index storedBytes = 0;  ///< on disk
    StoredPixels pixels;

    [[nodiscard]] ImageShape shape() const { return {columns, rows, pixels.type}; }
};

/// Reads a file's header. @throws InputError naming what is wrong
using ReadStack = std::function<ImageStack(const std::filesystem::path& file)>;

/// The stacks that `choose` selects, at least one; all of one shape. @throws InputError as `choose`
[[nodiscard]] std::vector<ImageStack> readStacks(const std::vector<std::filesystem::path>& files,
                                                 const ChooseParts& choose, const ReadStack& read);

/// Views in stacks, for formats that store them so.
/// Tests: tests/core/io/raw_source_test.cpp, tests/core/io/metaimage_source_test.cpp
class StackSource : public ProjectionSource {
  public:
    /// stacks: as readStacks() returns them
    /// format: for people, with the pixels' type
    /// image: what one of several in a file is called: "slice"
    StackSource(std::vector<ImageStack> stacks, std::string format, std::string_view image,
                const OpenOptions& options);

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;
    [[nodiscard]] std::string viewName(Index view) const override;

  private:
    struct Part {
        ImageStack stack;
        Index firstView = 0;
    };
    [[nodiscard]] const Part& partOf(Index view) const;

    std::vector<Part> m_parts;
    std::unique_ptr<PixelReader> m_onlyReader;  // keeps a single file open; null if several
    std::string m_image;
    OpenOptions m_options;
    ImageShape m_shape;
    SourceInfo m_info;
};

}  // namespace gantry
