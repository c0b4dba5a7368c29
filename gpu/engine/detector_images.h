#pragma once

#include <span>

#include "core/engine/acquisition.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/kernels/prepare/prepare_rows.h"

namespace gantry {

/// What a device needs of a scan to turn its stored pixels into line integrals. Buffers of what it
/// does not need are empty.
struct DetectorImages {
    DeviceBuffer<float> dark;       ///< [v][u], counts
    DeviceBuffer<float> netSignal;  ///< [v][u] flat − dark, 0 where a pixel is bad
    DeviceBuffer<float> offsets;    ///< [s][3] of the scan, added to line integrals
    float saturation = 0;           ///< counts

    DetectorImages() = default;
    /// Uploads them for views in that state; returns when the scan's memory is no longer needed.
    /// @throws ResourceError
    DetectorImages(const Acquisition& acquisition, gpu::Preparation preparation,
                   const Stream& stream);

    /// Memory that they take, bytes.
    [[nodiscard]] static Index bytesNeeded(const Acquisition& acquisition,
                                           gpu::Preparation preparation);
};

/// What turns a scan's stored pixels into line integrals.
[[nodiscard]] gpu::Preparation preparationOf(const Acquisition& acquisition);

[[nodiscard]] gpu::StoredType storedTypeOf(PixelType type);

/// Copies values to the current device; the host's memory may be freed when this returns.
/// @throws ResourceError
[[nodiscard]] DeviceBuffer<float> upload(std::span<const float> values, const Stream& stream);

}  // namespace gantry
