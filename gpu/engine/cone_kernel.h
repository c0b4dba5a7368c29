#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/types.h"
#include "core/engine/kernel.h"
#include "gpu/device/device_list.h"
#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/prepare/filtered_views.h"

namespace gantry {

/// One way to add a batch of filtered views to a slab on a device: it repacks the views as it
/// reads them best, then adds them. Everything is enqueued on the caller's stream; what it keeps in
/// device memory belongs to the device that was current when it was made.
///
///     reserve(...) → for each batch: repack(...), add(...)
///
/// SlabAdder (device_slab.h) does so, and gives kernels that like many views several batches for an
/// add(): repack(...), repackMore(...) …, add(...).
///
/// Not thread-safe. Tests: tests/gpu/engine/cone_kernel_test.cpp
class ConeKernel {
  public:
    virtual ~ConeKernel() = default;

    /// Whether slabs are [y][x][z], z fastest, rather than [z][y][x].
    [[nodiscard]] virtual bool isZFastest() const = 0;
    /// Whether it takes a slab of two ranges in one call because they are each other's mirror
    /// image; otherwise it is called for one range after the other.
    [[nodiscard]] virtual bool takesPair(const gpu::FilteredViews& /*views*/,
                                         const gpu::ConeBatch& /*batch*/,
                                         const gpu::ConeSlab& /*slab*/) const {
        return false;
    }
    /// Device memory that it needs for batches of that size, bytes. Touches no device.
    [[nodiscard]] virtual Index viewBytes(Index nS, Index nV, Index nU) const = 0;
    /// Makes room for batches of up to that size. @throws ResourceError
    virtual void reserve(Index nS, Index nV, Index nU) = 0;
    /// Views that it adds fastest at once, a multiple of kMaxViews.
    [[nodiscard]] virtual Index preferredViews() const { return gpu::kMaxViews; }
    /// How many views it takes at once on such a slab: at most those that there is room for.
    [[nodiscard]] virtual Index viewsAtOnce(const gpu::ConeSlab& /*slab*/) const {
        return gpu::kMaxViews;
    }
    /// Brings the views into this kernel's own layout for this batch and slab.
    virtual void repack(const gpu::FilteredViews& views, const gpu::ConeBatch& batch,
                        const gpu::ConeSlab& slab, cudaStream_t stream) = 0;
    /// Whether these views can be added together with those repacked last.
    [[nodiscard]] virtual bool takesMore(const gpu::ConeBatch& /*batch*/,
                                         const gpu::ConeSlab& /*slab*/) const {
        return true;
    }
    /// Repacks more views for the same add(). Each call before brought kMaxViews views, and all
    /// together are at most viewsAtOnce(). The views of calls before may have been overwritten.
    virtual void repackMore(const gpu::FilteredViews& /*views*/, const gpu::ConeBatch& /*batch*/,
                            const gpu::ConeSlab& /*slab*/, cudaStream_t /*stream*/) {
        throw InternalError("a kernel was given more views than it takes at once");
    }
    /// Adds the views repacked last: I += (1/z)²·interp2(Q, u, v); pixels outside count as 0.
    virtual void add(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab,
                     cudaStream_t stream) = 0;
};

/// A kernel of the GPU engine: `--kernel` selects it by name and `gantry bench kernels` measures
/// it.
struct ConeKernelInfo {
    Kernel kernel;
    std::string_view description;  ///< half a sentence for help and tables
    std::unique_ptr<ConeKernel> (*make)(const DeviceInfo& device);
};

/// standard, tile-poses, bp-tex, tex-tran, bp-l1, l1-tran, mirror-texture, parallel-stack,
/// parallel-half, tile; in this order. A kernel is added by its file and a line there.
[[nodiscard]] const std::vector<ConeKernelInfo>& coneKernels();
/// The kernel of that name, or the one that has a shape of that name. @throws InputError listing
/// the names
[[nodiscard]] const ConeKernelInfo& coneKernel(std::string_view name);

/// Makes a kernel for the device that is current when it is used; making one touches no device.
/// name: one above, a shape of tile or a kernel for parallel beams; see tileShapeNames() and
/// parallelKernelNames()
/// @throws InputError as coneKernel()
[[nodiscard]] std::unique_ptr<ConeKernel> makeConeKernel(std::string_view name,
                                                         const DeviceInfo& device);

}  // namespace gantry
