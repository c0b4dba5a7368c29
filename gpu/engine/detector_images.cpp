#include "gpu/engine/detector_images.h"

#include <limits>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

namespace {

// Whether the device needs the detector's net signal: attenuation without bad pixels does not.
bool needsNetSignal(const Acquisition& acquisition, gpu::Preparation preparation) {
    return preparation == gpu::Preparation::counts ||
           (preparation == gpu::Preparation::attenuation &&
            acquisition.calibration->bad.count() > 0);
}

// Whether the device adds an offset to the views' line integrals: the host has done so already
// where it prepares them.
bool needsOffsets(const Acquisition& acquisition, gpu::Preparation preparation) {
    return preparation != gpu::Preparation::none && !acquisition.offsets.empty();
}

std::vector<float> floatsOf(const std::vector<BeamOffset>& offsets) {
    std::vector<float> floats;
    floats.reserve(3 * offsets.size());
    for (const BeamOffset& offset : offsets)
        floats.insert(floats.end(), {offset.level, offset.alongU, offset.alongV});
    return floats;
}

// flat − dark in float, as in core/prep; 0 for bad pixels, which makes them dead.
HostBuffer<float> netSignalOf(const DetectorCalibration& calibration) {
    const Index pixels = calibration.rows * calibration.columns;
    const bool hasFields = calibration.flat.count() > 0;
    const bool isMasked = calibration.bad.count() > 0;
    HostBuffer<float> netSignal(pixels);
    for (Index i = 0; i < pixels; ++i) {
        netSignal[i] = hasFields ? calibration.flat[i] - calibration.dark[i] : 1.0F;
        if (isMasked && calibration.bad[i] != 0) netSignal[i] = 0;
    }
    return netSignal;
}

}  // namespace

gpu::Preparation preparationOf(const Acquisition& acquisition) {
    return acquisition.kind == ProjectionKind::counts ? gpu::Preparation::counts
                                                      : gpu::Preparation::attenuation;
}

gpu::StoredType storedTypeOf(PixelType type) {
    switch (type) {
        case PixelType::uint8:
            return gpu::StoredType::uint8;
        case PixelType::int8:
            return gpu::StoredType::int8;
        case PixelType::uint16:
            return gpu::StoredType::uint16;
        case PixelType::int16:
            return gpu::StoredType::int16;
        case PixelType::uint32:
            return gpu::StoredType::uint32;
        case PixelType::int32:
            return gpu::StoredType::int32;
        case PixelType::float32:
            return gpu::StoredType::float32;
        case PixelType::float64:
            return gpu::StoredType::float64;
    }
    throw InternalError("a pixel type that no kernel takes");
}

DeviceBuffer<float> upload(std::span<const float> values, const Stream& stream) {
    DeviceBuffer<float> buffer(std::ssize(values));
    check(cudaMemcpyAsync(buffer.data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice,
                          stream.get()),
          "uploading what views are prepared with");
    stream.synchronize();
    return buffer;
}

DetectorImages::DetectorImages(const Acquisition& acquisition, gpu::Preparation preparation,
                               const Stream& stream) {
    const DetectorCalibration& calibration = *acquisition.calibration;
    saturation = static_cast<float>(
        calibration.saturation.value_or(std::numeric_limits<double>::infinity()));
    if (needsOffsets(acquisition, preparation))
        offsets = upload(floatsOf(acquisition.offsets), stream);
    if (needsNetSignal(acquisition, preparation))
        netSignal = upload(netSignalOf(calibration).span(), stream);
    if (preparation == gpu::Preparation::counts) dark = upload(calibration.dark.span(), stream);
}

Index DetectorImages::bytesNeeded(const Acquisition& acquisition, gpu::Preparation preparation) {
    const DetectorCalibration& calibration = *acquisition.calibration;
    const Index images = preparation == gpu::Preparation::counts ? 2 : 1;
    Index floats = 0;
    if (needsOffsets(acquisition, preparation)) floats += 3 * std::ssize(acquisition.offsets);
    if (needsNetSignal(acquisition, preparation))
        floats += images * calibration.rows * calibration.columns;
    return floats * Index{sizeof(float)};
}

}  // namespace gantry
