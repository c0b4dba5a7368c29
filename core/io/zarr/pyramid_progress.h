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

/// What of a pyramid is on disk, for every level: slices that lie in the scratch of their layer,
/// and layers whose chunks are written ("sealed"). Thread-safe. Tests:
/// tests/core/io/zarr_resume_test.cpp
class PyramidProgress {
  public:
    /// slices: of each level, finest first; side: of a chunk
    PyramidProgress(const std::vector<Index>& slices, Index side);

    /// The slices of the layer.
    [[nodiscard]] IndexRange slicesOf(ChunkLayer which) const;
    /// Those slices of the range, which lies in one layer, that are not there yet.
    [[nodiscard]] std::vector<IndexRange> missing(Index level, IndexRange slices) const;

    /// These slices are in the scratch now. @returns whether that completes their layer
    [[nodiscard]] bool add(Index level, IndexRange slices);

    struct Sealed {
        bool completesNext = false;  ///< the layer above has all its slices now
        bool scratchMayGo = false;   ///< no record counts on it
    };
    /// The layer's chunks are written, and what it makes of the next level is in the scratch.
    [[nodiscard]] Sealed seal(ChunkLayer which);

    /// Layers that have all their slices and are not sealed, finest first.
    [[nodiscard]] std::vector<ChunkLayer> unsealed() const;
    /// Every layer is sealed: a pyramid that was complete.
    void sealAll();
    /// Whether every layer is sealed.
    [[nodiscard]] bool isComplete() const;

    /// A state that a later process may resume from, once what it names is safely on disk.
    struct Record {
        std::string text;                  ///< JSON
        std::vector<ChunkLayer> sealed;    ///< layers that the record before did not have sealed
        std::vector<ChunkLayer> scratch;   ///< whose scratch the record counts on
        std::vector<ChunkLayer> released;  ///< whose scratch no record counts on any more
    };
    /// The state of now. From here on the scratch that it names is not to be removed before a later
    /// record is on disk.
    [[nodiscard]] Record record();
    /// The state of such a text. @returns whether it is of a pyramid like this
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
