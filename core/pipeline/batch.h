#pragma once

#include <cstddef>
#include <memory>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/base/types.h"

namespace gantry {

/// Rows of a view that lie in blocks before that of range `part`.
[[nodiscard]] inline Index rowsBefore(const IndexRanges& rows, std::size_t part) {
    return part == 0 ? 0 : rows.parts()[0].size();
}

/// A slot of views on their way through the stages; its memory is allocated once and reused. Each
/// range of rows is a block of its own, [s][v][u] of all the views; the lower one comes first.
struct Batch {
    Index pass = 0;    ///< which reading of the views it belongs to
    Index number = 0;  ///< within the pass
    IndexRange views;  ///< of the scan
    IndexRanges rows;  ///< detector rows that the pass needs (of the aligned detector)
    IndexRanges
        storedRows;      ///< rows of the real detector that `rows` are made from, as many ranges
    IndexRange counted;  ///< stored rows whose invalid pixels are counted
    bool lastOfPass = false;

    HostBuffer<std::byte> stored;  ///< pixels as the file has them; blocks of storedRows
    HostBuffer<float> values;      ///< line integrals, later filtered; blocks of rows
    /// These pin memory that devices copy, and are released before it.
    std::shared_ptr<void> storedPinned;
    std::shared_ptr<void> pinned;  ///< of the values

    /// The values' block of range `part` of the rows.
    [[nodiscard]] Span3<float> valueBlock(std::size_t part, Index columns) {
        return {values.data() + views.size() * rowsBefore(rows, part) * columns, views.size(),
                rows.parts()[part].size(), columns};
    }
    /// The stored block of that range; [s][v][byte]
    [[nodiscard]] Span3<std::byte> storedBlock(std::size_t part, Index rowBytes) {
        return {stored.data() + views.size() * rowsBefore(storedRows, part) * rowBytes,
                views.size(), storedRows.parts()[part].size(), rowBytes};
    }
};

}  // namespace gantry
