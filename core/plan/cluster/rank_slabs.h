#pragma once

#include <span>
#include <vector>

#include "core/plan/slabs.h"

namespace gantry {

/// What decides a rank's part of a volume.
struct RankShare {
    double speed = 1;      ///< voxel updates a second, or any unit common to all ranks; above 0
    Index mostSlices = 1;  ///< of one slab that it makes
    Index layer = 1;       ///< slices that its kernel makes at a time, a part as slowly as all
};

/// The slabs of a job on several ranks, and whose they are.
struct RankSlabs {
    std::vector<IndexRanges> slabs;  ///< of the whole volume, lowest first
    std::vector<int> ranks;          ///< [slab]: the rank that makes it

    friend bool operator==(const RankSlabs&, const RankSlabs&) = default;
};

/// Gives every rank a range of slices in proportion to its speed, the lowest to rank 0, and cuts it
/// into nearly equal slabs of at most what it holds: whole layers of the kernels where all are
/// ready sooner so. Where there are fewer slices than ranks, the slowest ranks get none. Tests:
/// tests/core/plan/rank_slabs_test.cpp
[[nodiscard]] RankSlabs dealToRanks(Index slices, std::span<const RankShare> shares);

/// The slabs of an interrupted run, those that are left dealt anew: to each rank so many slices as
/// its speed deserves, neighbours together where that can be. Those that are done are rank 0's.
[[nodiscard]] RankSlabs dealLeftOvers(const FinishedSlabs& finished,
                                      std::span<const RankShare> shares);

/// What a rank has to plan for: all slabs but its own are finished, as far as it is concerned.
[[nodiscard]] FinishedSlabs slabsForRank(const RankSlabs& all, const std::set<Index>& done,
                                         int rank);

}  // namespace gantry
