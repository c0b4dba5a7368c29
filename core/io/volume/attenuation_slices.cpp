#include "core/io/volume/attenuation_slices.h"

#include <algorithm>
#include <span>

#include "core/base/error.h"
#include "core/base/host_buffer.h"

namespace gantry {

void readAttenuation(const StoredVolume& volume, IndexRange slices, Index atOnce,
                     const std::stop_token& stop,
                     const std::function<void(IndexRange, Span3<const float>)>& take) {
    const auto& [nX, nY, nZ] = volume.grid.voxels;
    HostBuffer<float> voxels(std::min(slices.size(), atOnce) * nX * nY);
    for (Index z = slices.begin; z < slices.end; z += atOnce) {
        if (stop.stop_requested()) throw Cancelled();
        const IndexRange step = {z, std::min(z + atOnce, slices.end)};
        const Span3<float> part(voxels.data(), step.size(), nY, nX);
        volume.read(z, part);
        toAttenuation(volume.encoding.scale, {part.data(), static_cast<std::size_t>(part.count())});
        take(step, part);
    }
}

}  // namespace gantry
