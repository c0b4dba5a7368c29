#include "core/base/host_buffer.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "core/base/error.h"
#include "core/base/text.h"

namespace gantry::detail {

constexpr Index kAlignmentBytes = 64;

void AlignedDeleter::operator()(void* pointer) const noexcept {
    std::free(pointer);
}

void* allocateAligned(Index count, Index elementBytes) {
    constexpr Index kMost = std::numeric_limits<Index>::max() - kAlignmentBytes;
    if (count < 0 || count > kMost / elementBytes)
        throw ResourceError(fmt::format("an array of {} elements is too large", count));
    // aligned_alloc wants a multiple of the alignment, and never nothing.
    const Index bytes =
        (count * elementBytes + kAlignmentBytes) / kAlignmentBytes * kAlignmentBytes;
    void* pointer = std::aligned_alloc(kAlignmentBytes, static_cast<std::size_t>(bytes));
    if (!pointer)
        throw ResourceError(fmt::format(
            "out of memory: {} were needed in one piece; reduce the volume or lower --memory",
            formatBytes(bytes)));
    return pointer;
}

}  // namespace gantry::detail
