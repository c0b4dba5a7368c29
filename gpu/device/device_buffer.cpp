#include "gpu/device/device_buffer.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "core/base/error.h"
#include "core/base/text.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

namespace {

// Reports that the host is short of pinned memory; check() would blame the device.
void checkPinned(cudaError_t result, Index bytes) {
    if (result == cudaErrorMemoryAllocation) {
        forgetError();
        throw ResourceError(
            fmt::format("Out of memory: {} cannot be locked for copies to the GPU. Close other "
                        "programs.",
                        formatBytes(bytes)),
            {.code = ErrorCode::hostMemory, .advice = "Or lower --memory or --batch."});
    }
    check(result, "locking host memory");
}

// Whether the memory cannot be pinned on this system, or is pinned already.
bool isUnpinnable(cudaError_t result) {
    return result == cudaErrorNotSupported || result == cudaErrorHostMemoryAlreadyRegistered ||
           result == cudaErrorInvalidValue;
}

// Faults all pages in at once; several threads may do so side by side. CUDA would do it page by
// page, under a lock.
void bringPages([[maybe_unused]] void* data, [[maybe_unused]] Index bytes) {
#ifdef MADV_POPULATE_WRITE
    const auto pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto before = reinterpret_cast<std::uintptr_t>(data) % pageBytes;
    (void)::madvise(static_cast<std::byte*>(data) - before,
                    static_cast<std::size_t>(bytes) + before, MADV_POPULATE_WRITE);
#endif
}

}  // namespace

namespace detail {

void DeviceDeleter::operator()(void* pointer) const noexcept {
    (void)cudaFree(pointer);
    forgetError();
}

void PinnedDeleter::operator()(void* pointer) const noexcept {
    (void)cudaFreeHost(pointer);
    forgetError();
}

void* allocateDevice(Index bytes) {
    require(bytes >= 0, "a device array of negative size was asked for");
    void* pointer = nullptr;
    const cudaError_t result =
        cudaMalloc(&pointer, static_cast<std::size_t>(bytes > 0 ? bytes : 1));
    check(result, fmt::format("taking {}", formatBytes(bytes)).c_str());
    return pointer;
}

void* allocatePinned(Index bytes) {
    require(bytes >= 0, "a pinned array of negative size was asked for");
    void* pointer = nullptr;
    checkPinned(cudaHostAlloc(&pointer, static_cast<std::size_t>(bytes > 0 ? bytes : 1),
                              cudaHostAllocPortable),
                bytes);
    return pointer;
}

}  // namespace detail

PinnedRegion::PinnedRegion(void* data, Index bytes) {
    if (bytes <= 0) return;
    bringPages(data, bytes);
    const cudaError_t result =
        cudaHostRegister(data, static_cast<std::size_t>(bytes), cudaHostRegisterPortable);
    if (isUnpinnable(result)) {
        forgetError();
        return;
    }
    checkPinned(result, bytes);
    m_data = data;
}

PinnedRegion::~PinnedRegion() {
    if (m_data == nullptr) return;
    (void)cudaHostUnregister(m_data);
    forgetError();
}

bool isPinned(const void* data, Index bytes) {
    if (bytes <= 0) return false;
    const auto* first = static_cast<const std::byte*>(data);
    for (const std::byte* end : {first, first + bytes - 1}) {
        cudaPointerAttributes attributes = {};
        check(cudaPointerGetAttributes(&attributes, end), "looking at host memory");
        if (attributes.type != cudaMemoryTypeHost) return false;
    }
    return true;
}

}  // namespace gantry
