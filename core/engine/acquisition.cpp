#include "core/engine/acquisition.h"

#include <utility>

#include "core/base/index_ranges.h"

namespace gantry {

IndexRanges Acquisition::storedRows(const IndexRanges& rows) const {
    if (rows.empty() || areRowsAlone()) return rows;
    std::vector<IndexRange> real;
    for (const IndexRange& part : rows.parts())
        real.push_back(withRepairRows(rectifier.sourceRows(part)));
    return unionOf(std::move(real));
}

IndexRanges Acquisition::rowsInBlocks(const IndexRanges& rows) const {
    return storedRows(rows).parts().size() == rows.parts().size() ? rows : rows.hull();
}

IndexRange Acquisition::withRepairRows(IndexRange rows) const {
    return repair && !rows.empty() ? repair->rowsFor(rows) : rows;
}

Index Acquisition::storedRowBytes() const {
    return stored.columns * sizeBytes(stored.pixelType);
}

Index Acquisition::readingBytes() const {
    const Acquisition& inFiles = beforeSelection ? *beforeSelection : *this;
    const Index decoded = inFiles.stored.rows * inFiles.storedRowBytes();
    return beforeSelection && !stored.readsRowsAlone ? 2 * decoded : decoded;
}

}  // namespace gantry
