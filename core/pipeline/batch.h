#pragma once

#include <cstddef>
#include <memory>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/base/types.h"

namespace gantry {

/// A slot of views on their walk through the stages: its memory is allocated once and reused.
struct Batch {
    Index pass = 0;         ///< which reading of the views
    Index number = 0;       ///< within the pass
    IndexRange views;       ///< of the scan
    IndexRange rows;        ///< detector rows that the pass needs (of the aligned detector)
    IndexRange storedRows;  ///< rows that they are made from (of the real detector)
    Index countFrom = 0;    ///< of these, invalid pixels of rows from here on are counted
    bool lastOfPass = false;

    HostBuffer<std::byte> stored;  ///< pixels as the file has them; [s][v][u], storedRows
    HostBuffer<float> values;      ///< line integrals, then filtered; [s][v][u], rows
    std::shared_ptr<void> pinned;  ///< pins what devices copy; released before the memory

    [[nodiscard]] Span3<float> valueSpan(Index columns) {
        return {values.data(), views.size(), rows.size(), columns};
    }
};

}  // namespace gantry
