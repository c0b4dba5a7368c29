#include "core/engine/view_steps.h"

#include <algorithm>

namespace gantry {

namespace {

IndexRange rowsToRead(const Acquisition& corrected, IndexRange rows) {
    const Acquisition& stored = corrected.asStored();
    const Corrections& corrections = corrected.corrections;
    const IndexRange all = {0, stored.stored.rows};
    if (corrections.needsWholeViews()) return all;
    const Index margin = corrections.marginRows();
    return stored.withRepairRows(
        {std::max(all.begin, rows.begin - margin), std::min(all.end, rows.end + margin)});
}

}  // namespace

std::vector<StepRows> stepRows(const Acquisition& corrected, const IndexRanges& rows) {
    if (corrected.corrections.needsWholeViews())
        return {{rowsToRead(corrected, rows.hull()), rows}};
    std::vector<StepRows> blocks;
    for (const IndexRange& part : rows.parts())
        blocks.push_back({rowsToRead(corrected, part), part});
    return blocks;
}

RowCounts countedOnce(Index detectorRows, IndexRange counted) {
    RowCounts counts(static_cast<std::size_t>(detectorRows), kNotCounted);
    for (Index row = counted.begin; row < std::min(counted.end, detectorRows); ++row)
        counts[static_cast<std::size_t>(row)] = 0;
    return counts;
}

bool needsHostIntegrals(const Acquisition& stored) {
    return stored.repair != nullptr || !stored.areFieldsConstant();
}

}  // namespace gantry
