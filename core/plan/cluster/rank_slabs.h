#pragma once

#include <span>
#include <vector>

#include "core/plan/slabs.h"

namespace gantry {

/// What decides how much of a volume a rank gets.
struct RankShare {
    double speed = 1;     ///< voxel updates a second, or any unit common to all ranks; above 0
    Index maxSlices = 1;  ///< max slices of one slab
    Index layer = 1;      ///< slices that its kernel makes at a time; fewer take as long
};

/// The slabs of a job on several ranks, and which rank makes each.
struct RankSlabs {
    std::vector<IndexRanges> slabs;  ///< of the whole volume, lowest first
    std::vector<int> ranks;          ///< [slab]: the rank that makes it

    friend bool operator==(const RankSlabs&, const RankSlabs&) = default;
};

/// Gives every rank a range of slices in proportion to its speed, the lowest to rank 0, and cuts it
/// into nearly equal slabs of at most what the rank holds: into whole layers of the kernels if all
/// finish sooner that way. If there are fewer slices than ranks, the slowest ranks get none. Tests:
/// tests/core/plan/rank_slabs_test.cpp
[[nodiscard]] RankSlabs assignToRanks(Index slices, std::span<const RankShare> shares);

/// Distributes the remaining slabs of an interrupted run: each rank gets slices in proportion to
/// its speed, neighbours together where possible. Finished slabs belong to rank 0.
[[nodiscard]] RankSlabs assignLeftOvers(const FinishedSlabs& finished,
                                        std::span<const RankShare> shares);

/// The plan input of one rank: all slabs of other ranks count as finished.
[[nodiscard]] FinishedSlabs slabsForRank(const RankSlabs& all, const std::set<Index>& done,
                                         int rank);

}  // namespace gantry
