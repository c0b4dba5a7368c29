#pragma once

#include <functional>
#include <memory>

#include "core/pipeline/runner.h"
#include "core/project/projector.h"

namespace gantry {

/// A projector whose work is measured: each call is a span of `lane`, and its voxel updates are
/// reported. lane: outlives it, used by the same thread
/// Tests: tests/core/recon/iterative_run_test.cpp
[[nodiscard]] std::unique_ptr<Projector> watched(std::unique_ptr<Projector> projector, Lane& lane,
                                                 std::function<void(double updates)> onWork);

}  // namespace gantry
