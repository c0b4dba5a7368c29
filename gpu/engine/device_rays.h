#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/volume_grid.h"
#include "core/project/projector.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/device_list.h"
#include "gpu/engine/box_maps.h"
#include "gpu/kernels/project/tile_rays.h"
#include "gpu/kernels/project/tile_spread.h"

namespace gantry {

/// How boxes are copied in one launch.
struct RayBoxes {
    bool isTiled = false;  ///< false: no boxes; rays are followed one by one
    gpu::TileBox largest;
    int stages = 0;
    int viewsAtOnce = 0;  ///< of forward projection
    int shape = 0;        ///< of the adjoint's tiles
    int maxColumns = 0;   ///< of the adjoint
};

/// Slices of a slab to which rays are added by tiles of one height.
struct SpreadLayer {
    IndexRange slices;
    RayBoxes boxes;
};

/// A and Aᵀ of core/project/projector.h between a slab and rays in the memory of one device.
/// Enqueues only, on one stream. Not thread-safe. Tests: tests/gpu/engine/gpu_projector_test.cpp
class DeviceRays {
  public:
    /// Makes the device current. tiled: false takes the kernels for any position for all views
    DeviceRays(const DeviceInfo& device, ProjectedViews views, bool tiled = true);

    [[nodiscard]] const ProjectedViews& views() const { return m_views; }

    /// Where the slab is, for what follows.
    void place(const VolumeGrid& slab, cudaStream_t stream);

    /// Adds the slab's line integrals to these rays, which are in rows.values.
    void project(const gpu::RaySlab& slab, const gpu::RayRows& rows, cudaStream_t stream);
    /// Adds Aᵀ of these rays to the slab. weights: by which they are multiplied first, lying as
    /// they do; or null
    void adjoint(const gpu::RayRows& rows, const gpu::RaySlab& slab, cudaStream_t stream,
                 const float* weights = nullptr);

    /// How the views [views.begin, views.end) lie at `values`: viewFloats() each.
    [[nodiscard]] gpu::RayRows rows(IndexRange views, float* values) const;
    /// Floats of a view.
    [[nodiscard]] Index viewFloats() const { return viewFloats(m_views); }
    [[nodiscard]] static Index viewFloats(const ProjectedViews& views);

    /// Device memory that it takes, bytes.
    [[nodiscard]] static Index bytesNeeded(Index views, Index columns, Index rows);

  private:
    /// Fans in groups of neighbours, as tiles of rays take them, and how boxes are copied for them.
    struct GroupedFans {
        std::vector<gpu::RayFanOfView> fans;
        DeviceBuffer<gpu::RayFanOfView> onDevice;
        RayBoxes boxes;
    };
    /// Fans along one axis that one launch may take: at most one of each view, in order.
    struct FanList {
        int axis = 0;
        bool isUpright = false;
        std::vector<gpu::RayFanOfView> fans;
        DeviceBuffer<gpu::RayFanOfView> onDevice;
        std::map<std::pair<Index, Index>, GroupedFans> sums;                  ///< by range of fans
        std::map<std::pair<Index, Index>, std::vector<SpreadLayer>> spreads;  ///< likewise
    };

    void addFan(const gpu::RayFanOfView& fan, int axis, bool isUpright);
    [[nodiscard]] std::vector<gpu::RayFanOfView> grouped(const FanList& list,
                                                         IndexRange fans) const;
    [[nodiscard]] const GroupedFans& groupsOf(FanList& list, IndexRange range,
                                              const gpu::RaySlab& slab, const gpu::RayRows& rows,
                                              cudaStream_t stream);
    void sum(FanList& list, IndexRange views, const gpu::RaySlab& slab, const gpu::RayRows& rows,
             cudaStream_t stream);
    [[nodiscard]] const std::vector<SpreadLayer>& layersOf(FanList& list, IndexRange fans,
                                                           const gpu::RaySlab& slab);
    void spread(FanList& list, IndexRange fans, const gpu::RayRows& rows, const gpu::RaySlab& slab,
                cudaStream_t stream);

    DeviceInfo m_device;
    ProjectedViews m_views;
    std::optional<BoxMaps> m_boxMaps;  ///< none where views are not tiled
    VolumeGrid m_grid;                 ///< of the slab
    std::vector<gpu::RayView> m_rays;  ///< [s], on this grid
    DeviceBuffer<gpu::RayView> m_raysOnDevice;
    std::vector<FanList> m_lists;
    DeviceBuffer<float> m_scaled;  ///< rays of a batch
};

/// That many rows of a box or more, such that its columns begin on distant banks.
[[nodiscard]] int bankedRows(int rows);

/// Chooses boxes for the launch of these fans, in host memory, along x or y.
/// Tests: tests/gpu/engine/gpu_projector_test.cpp
[[nodiscard]] RayBoxes planSums(const gpu::RayFans& fans, const gpu::RaySlab& slab,
                                const gpu::RayRows& rows, const DeviceInfo& device);
/// The layers of slices by which a slab's tiles waste least; none where no tile fits.
[[nodiscard]] std::vector<SpreadLayer> planSpreads(const gpu::RayFans& fans,
                                                   const gpu::RaySlab& slab,
                                                   const DeviceInfo& device);

}  // namespace gantry
