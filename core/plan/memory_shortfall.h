#pragma once

#include <string_view>

#include "core/base/error.h"
#include "core/base/types.h"

namespace gantry {

/// The memory that a plan needs, where it is more than the job may use.
struct MemoryShortfall {
    Index neededBytes = 0;
    Index allowedBytes = 0;
    bool isResumed = false;  ///< an interrupted run's slabs cannot be made thinner
    Index slices = 1;        ///< of a slab; 1 unless resumed
};

/// An error with ErrorCode::hostMemory that states what was needed, what is allowed and what helps.
/// Tests: tests/core/plan/device_plan_test.cpp, tests/core/plan/slabs_test.cpp
[[nodiscard]] ResourceError hostShortfall(const MemoryShortfall& memory);
/// The same for one GPU, with ErrorCode::deviceMemory.
[[nodiscard]] ResourceError deviceShortfall(int device, std::string_view name,
                                            const MemoryShortfall& memory);

}  // namespace gantry
