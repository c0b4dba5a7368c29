#pragma once

#include <stop_token>

#include "core/work/grid_planning.h"

namespace gantry {

/// The plan of an iterative method on ranks: each has nearly the same number of slices, with the
/// rows that spaceParts() gives it. All ranks call it.
/// purpose: run measures nothing
/// @throws InputError as requireSharable(); ResourceError  a rank's part needs more memory than it
///         may use
/// Tests: tests/cli/test_iterative_ranks.py
[[nodiscard]] PlannedRank planIterationsTogether(const RankRequest& request,
                                                 const PlanningCommunicator& communicator,
                                                 int ranks, Purpose purpose,
                                                 const std::stop_token& stop);

/// @throws InputError  an iterative method is not shared by so many ranks: it has fewer slices, or
///         makes a region; a volume that is not known yet, of no slices, passes
void requireSharable(const JobSpec& spec, int ranks);

}  // namespace gantry
