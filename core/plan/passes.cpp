#include "core/plan/passes.h"

#include <algorithm>
#include <utility>

#include "core/base/index_ranges.h"

namespace gantry {

namespace {

// The rows that are read for all slabs of a pass.
IndexRanges rowsOf(const PassPlan& pass, const std::vector<SlabPlan>& slabs,
                   const Acquisition& acquisition) {
    std::vector<IndexRange> rows;
    for (const Assignment& part : pass.assignments)
        for (const IndexRange& range : slabs[part.slab].rows.parts())
            rows.push_back(range);
    return acquisition.rowsInBlocks(unionOf(std::move(rows)));
}

// Whether the lower slices of one slab end where those of the next begin.
bool areNeighbours(const SlabPlan& slab, const SlabPlan& next) {
    return slab.slices.parts()[0].end == next.slices.parts()[0].begin;
}

}  // namespace

std::vector<PassPlan> passesOf(const JobPlan& plan, const Acquisition& acquisition,
                               const std::set<Index>& done) {
    const auto devices = std::ssize(plan.devices);
    std::vector<PassPlan> passes;
    Index free = 0;  // devices of the current pass without a slab; 0: none is begun
    const SlabPlan* before = nullptr;
    int rowBefore = 0;
    for (Index i = 0; i < std::ssize(plan.slabs); ++i) {
        const SlabPlan& slab = plan.slabs[i];
        const int row = plan.part ? plan.part->plan.slabs.ranks[i] : 0;
        if (done.contains(i) || (before && !areNeighbours(*before, slab)) || row != rowBefore)
            free = 0;
        before = &slab;
        rowBefore = row;
        if (done.contains(i)) continue;
        if (free == 0) {
            passes.emplace_back();
            free = devices;
        }
        passes.back().assignments.push_back(
            {plan.part ? plan.part->rank : 0, devices - free, i, plan.views});
        --free;
    }
    for (PassPlan& pass : passes)
        pass.rows = rowsOf(pass, plan.slabs, acquisition);
    return passes;
}

void leaveLargeSpare(JobPlan& plan) {
    const auto slicesOf = [&](const PassPlan& pass) {
        Index max = 0;
        for (const Assignment& part : pass.assignments)
            max = std::max(max, plan.slabs[part.slab].slices.size());
        return max;
    };
    Index slices = 0;
    Index rows = 0;
    for (const PassPlan& pass : plan.passes) {
        slices = std::max(slices, slicesOf(pass));
        rows = std::max(rows, pass.rows.size());
    }
    std::erase_if(plan.spare, [&](const PassPlan& pass) {
        return slicesOf(pass) > slices || pass.rows.size() > rows;
    });
}

std::vector<PassPlan> gatheredPasses(const JobPlan& plan, const GridPart& part,
                                     const std::set<Index>& done) {
    const std::vector<int>& rowOfSlab = part.plan.slabs.ranks;
    std::vector<PassPlan> passes;
    std::optional<Index> before;
    for (Index i = 0; i < std::ssize(plan.slabs); ++i) {
        if (done.contains(i)) continue;
        const SlabPlan& slab = plan.slabs[i];
        const auto row = static_cast<std::size_t>(rowOfSlab[i]);
        const bool isNeighbour = before && areNeighbours(plan.slabs[*before], slab);
        if (!isNeighbour || passes.back().column[row].slab) {
            passes.emplace_back();
            passes.back().column.resize(part.plan.grid.rows);
        }
        before = i;
        PassPlan& pass = passes.back();
        pass.column[row] = {i, slab.rows.hull()};
        if (static_cast<Index>(row) != part.row()) continue;
        pass.assignments.push_back({part.rank, 0, i, plan.views});
        pass.rows = slab.rows;
    }
    return passes;
}

}  // namespace gantry
