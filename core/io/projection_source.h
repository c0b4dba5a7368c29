#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/io/pixel_type.h"

namespace gantry {

struct SourceInfo {
    Index views = 0;
    Index rows = 0;
    Index columns = 0;
    PixelType pixelType = PixelType::float32;
    std::string format;           ///< for people: "TIFF, 16-bit, deflate, tiled"
    bool readsRowsAlone = false;  ///< a row range costs only its own bytes
    Index storedBytes = 0;        ///< size of all files on disk
    /// Whether damage to a view shows only when it is read, not in its header.
    bool isCompressed = false;
    /// What the files state beside the pixels and what of it was done, each one sentence.
    std::vector<std::string> notes{};
    /// What makes it doubtful that all images are what they are taken for, each one sentence.
    std::vector<std::string> doubts{};
    /// How many projections of the same file were taken before each one of dark and flat frames;
    /// empty: not known.
    std::vector<Index> projectionsBefore{};
    /// The beam's intensity at each view, in units of its own, as a monitor in the files states it;
    /// empty: not stated.
    std::vector<double> monitor{};
};

/// Views of a scan on disk, as the scanner stored them. Opening one checks every file's header
/// (size, type, count), so that errors come before long work.
/// Tests: tests/core/io/
class ProjectionSource {
  public:
    virtual ~ProjectionSource() = default;
    [[nodiscard]] virtual const SourceInfo& info() const = 0;

    /// Reads detector rows [rows.begin, rows.end) of one view in Gantry's order (v up, u fastest),
    /// in the file's own pixel type and host byte order.
    /// pixels: rows.size() · columns · sizeBytes(pixelType) bytes.
    /// Several threads may read at once.
    /// @throws InputError naming the file when it is truncated or damaged
    virtual void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const = 0;

    /// The name of the file that holds the view, for messages.
    [[nodiscard]] virtual std::string viewName(Index view) const = 0;
};

}  // namespace gantry
