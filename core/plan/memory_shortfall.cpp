#include "core/plan/memory_shortfall.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace gantry {

namespace {

// "…, and the job may use 1.00 GB."
std::string needed(const MemoryShortfall& memory) {
    const std::string what =
        memory.isResumed && memory.slices > 1
            ? fmt::format("the interrupted run's slabs of {} slices need", memory.slices)
        : memory.isResumed ? "the interrupted run's slabs need"
                           : "one slice at a time already needs";
    return fmt::format("{} {}, and the job may use {}.", what, formatBytes(memory.neededBytes),
                       formatBytes(memory.allowedBytes));
}

}  // namespace

ResourceError hostShortfall(const MemoryShortfall& memory) {
    return ResourceError(
        "The memory does not suffice: " + needed(memory),
        {.code = ErrorCode::hostMemory,
         .advice = memory.isResumed
                       ? "Run `gantry worker JOB --memory SIZE` with more, or close other programs."
                       : "Raise --memory, or ask for fewer --voxels or a smaller --batch."});
}

ResourceError deviceShortfall(int device, std::string_view name, const MemoryShortfall& memory) {
    return ResourceError(
        fmt::format("GPU {} ({}) lacks memory: {} Close other programs that use this GPU.", device,
                    name, needed(memory)),
        {.code = ErrorCode::deviceMemory,
         .advice = memory.isResumed
                       ? "Or run `gantry worker JOB --device-memory SIZE` with more, or use "
                         "--engine cpu."
                       : "Or raise --device-memory, ask for fewer --voxels or a smaller --batch, "
                         "or use --engine cpu."});
}

}  // namespace gantry
