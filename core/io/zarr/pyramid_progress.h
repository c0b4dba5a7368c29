#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// One layer of chunks: `side` slices of a level.
struct ChunkLayer {
    Index level = 0;
    Index layer = 0;
};

/// How much of a pyramid is on disk, for every level: slices in the scratch of their layer, and
/// layers whose chunks are written ("sealed"). Thread-safe.
/// Tests: tests/core/io/zarr_resume_test.cpp
class PyramidProgress {
  public:
    /// slices: of each level, finest first; side: of a chunk
    PyramidProgress(const std::vector<Index>& slices, Index side);

    /// The slices of the layer.
    [[nodiscard]] IndexRange slicesOf(ChunkLayer which) const;
    /// Those slices of the range, which lies in one layer, that are not there yet.
    [[nodiscard]] std::vector<IndexRange> missing(Index level, IndexRange slices) const;

    /// States that these slices are in the scratch. @returns whether that completes their layer
    [[nodiscard]] bool add(Index level, IndexRange slices);

    struct Sealed {
        bool completesNext = false;  ///< the layer above now has all its slices
        bool scratchMayGo = false;   ///< no record relies on it
    };
    /// States that the layer's chunks are written, and its part of the next level is in the
    /// scratch.
    [[nodiscard]] Sealed seal(ChunkLayer which);

    /// Layers that have all their slices and are not sealed, finest first.
    [[nodiscard]] std::vector<ChunkLayer> unsealed() const;
    /// Marks every layer as sealed, for a pyramid that was complete.
    void sealAll();
    /// Whether every layer is sealed.
    [[nodiscard]] bool isComplete() const;

    /// A state that a later process may resume from, once everything it lists is safely on disk.
    struct Record {
        std::string text;                  ///< JSON
        std::vector<ChunkLayer> sealed;    ///< layers sealed since the record before
        std::vector<ChunkLayer> scratch;   ///< layers whose scratch the record relies on
        std::vector<ChunkLayer> released;  ///< layers whose scratch no record relies on any more
    };
    /// The current state. From here on the scratch that it lists must not be removed before a later
    /// record is on disk.
    [[nodiscard]] Record record();
    /// Restores the state from a record's text. @returns whether it belongs to a pyramid like this
    [[nodiscard]] bool restore(std::string_view text);

  private:
    struct Layer {
        std::vector<bool> present;
        Index count = 0;
        bool isSealed = false;
        bool isRecorded = false;  ///< as sealed, or with slices in the scratch
        bool isSealRecorded = false;
    };
    [[nodiscard]] const Layer& at(ChunkLayer which) const;
    [[nodiscard]] Layer& at(ChunkLayer which);
    bool addLocked(Index level, IndexRange slices);
    [[nodiscard]] bool restoreLevel(Index level, const std::vector<IndexRange>& sealed,
                                    const std::vector<IndexRange>& slices);

    Index m_side;
    std::vector<Index> m_slices;
    mutable std::mutex m_mutex;
    std::vector<std::vector<Layer>> m_layers;  // [level][layer]
};

}  // namespace gantry
