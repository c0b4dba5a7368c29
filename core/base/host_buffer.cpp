#include "core/base/host_buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/base/error.h"
#include "core/base/text.h"

namespace gantry::detail {

constexpr Index kAlignmentBytes = 64;
constexpr Index kHugePageBytes = Index{2} << 20;
constexpr Index kLargeBytes = 16 * kHugePageBytes;

void AlignedDeleter::operator()(void* pointer) const noexcept {
    std::free(pointer);
}

void* allocateAligned(Index count, Index elementBytes) {
    constexpr Index kMax = std::numeric_limits<Index>::max() - kAlignmentBytes;
    if (count < 0 || count > kMax / elementBytes)
        throw ResourceError(fmt::format("An array of {} elements is too large.", count),
                            {.code = ErrorCode::hostMemory});
    const Index bytes = std::max(count * elementBytes, kAlignmentBytes);  // never 0
    const bool isLarge = bytes >= kLargeBytes;
    void* pointer = nullptr;
    const int code = ::posix_memalign(
        &pointer, static_cast<std::size_t>(isLarge ? kHugePageBytes : kAlignmentBytes),
        static_cast<std::size_t>(bytes));
    if (code != 0)
        throw ResourceError(
            fmt::format("Out of memory: {} are needed in one piece. Close other programs, or ask "
                        "for fewer voxels.",
                        formatBytes(bytes)),
            {.code = ErrorCode::hostMemory, .advice = "Or lower --memory."});
    // Huge pages, where the system has them: fewer page faults and TLB misses.
    if (isLarge) (void)::madvise(pointer, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
    return pointer;
}

}  // namespace gantry::detail
