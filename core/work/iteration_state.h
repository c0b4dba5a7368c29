#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/iterate/iteration.h"
#include "core/job/job_directory.h"
#include "core/prep/line_integrals.h"

namespace gantry {

class IterativeRun;

/// What the state of an interrupted job's iterations says of itself, and where its vectors are.
struct IterationState {
    Index iteration = 0;      ///< the last one in it
    Index slabSlices = 0;     ///< of the projector, whose sums other slabs would change
    std::string inputs;       ///< inputState() of the scan's files
    InvalidPixels invalid{};  ///< in the views of the start
    StateNumbers numbers{};   ///< of Iteration
    File file{};
    Index vectorsAt = 0;  ///< place of the first vector's first float
};

/// The state in the job's folder; none: it has not got so far.
/// @throws InputError  the file is damaged
/// Tests: tests/core/work/iteration_state_test.cpp
[[nodiscard]] std::optional<IterationState> readIterationState(const JobDirectory& job);

/// Writes it in place of the one before, which stays until this one is on disk. All ranks call it:
/// each writes its part of the file, and the first the rest.
/// @returns why it could not be written, as that the disk is full; on other ranks than the one that
///          failed that another one did. Empty: it is written
/// @throws Cancelled
[[nodiscard]] std::string writeIterationState(const JobDirectory& job, const IterationState& about,
                                              IterativeRun& run);

}  // namespace gantry
