#include "gpu/engine/gpu_rings.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/geometry/vec3.h"
#include "core/prep/wavelet_scales.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

namespace {

template <class T>
DeviceBuffer<T> copied(const std::vector<T>& values) {
    DeviceBuffer<T> buffer(std::ssize(values));
    check(cudaMemcpy(buffer.data(), values.data(), static_cast<std::size_t>(buffer.sizeBytes()),
                     cudaMemcpyHostToDevice),
          "uploading what rings are removed with");
    return buffer;
}

}  // namespace

GpuRings::GpuRings(const RingSpec& spec, Index views, Index columns, Index rows) : m_spec(spec) {
    require(takes(spec, views), "rings of too many views came to the device");
    switch (spec.method) {
        case RingMethod::none:
            break;
        case RingMethod::sorting:
            m_sorted = DeviceBuffer<std::uint32_t>(views * rows * columns);
            m_order = DeviceBuffer<std::uint16_t>(views * rows * columns);
            break;
        case RingMethod::wavelets:
            makeScales(views, columns, rows);
            break;
        case RingMethod::smoothedMean:
            m_mean = DeviceBuffer<double>(rows * columns);
            break;
    }
}

bool GpuRings::takes(const RingSpec& spec, Index views) {
    return spec.method != RingMethod::sorting || views <= gpu::kMaxSortedViews;
}

Index GpuRings::bytesOfRow(const RingSpec& spec, Index views, Index columns) {
    switch (spec.method) {
        case RingMethod::none:
            return 0;
        case RingMethod::sorting:
            return views * columns * Index{sizeof(std::uint32_t) + sizeof(std::uint16_t)};
        case RingMethod::smoothedMean:
            return columns * Index{sizeof(double)};
        case RingMethod::wavelets:
            break;
    }
    Index floats = waveletHalf(views) * columns;
    const Index levels = waveletLevels(views, columns, spec.levels);
    for (Index level = 0; level < levels; ++level) {
        views = waveletHalf(views);
        columns = waveletHalf(columns);
        const auto count = std::ssize(slowGains(views, spec.dampCycles));
        floats += 2 * (views + (level == 0 ? count : 0)) * columns;
    }
    return floats * Index{sizeof(float)};
}

void GpuRings::makeScales(Index views, Index columns, Index rows) {
    for (std::size_t j = 0; j < kWaveletTaps; ++j)
        m_taps.low[j] = static_cast<float>(kWaveletLow[j]);
    const Index levels = waveletLevels(views, columns, m_spec.levels);
    m_lines = DeviceBuffer<float>(waveletHalf(views) * rows * columns);
    for (Index level = 0; level < levels; ++level) {
        views = waveletHalf(views);
        columns = waveletHalf(columns);
        std::vector<float> gains;
        for (const double gain : slowGains(views, m_spec.dampCycles))
            gains.push_back(static_cast<float>(gain));
        std::vector<float2> circle;
        circle.reserve(views);
        for (Index m = 0; m < views; ++m) {
            const double angle = 2 * kPi * static_cast<double>(m) / static_cast<double>(views);
            circle.push_back(
                {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
        }
        if (level == 0) m_sums = DeviceBuffer<float2>(std::ssize(gains) * rows * columns);
        m_scales.push_back({DeviceBuffer<float>(views * rows * columns),
                            DeviceBuffer<float>(views * rows * columns), copied(circle),
                            copied(gains), views, columns, static_cast<int>(gains.size())});
    }
}

gpu::WaveletScale GpuRings::Scale::of(int rows) const {
    const auto band = [&](const DeviceBuffer<float>& buffer) {
        return gpu::Sinograms{buffer.data(), static_cast<int>(views), rows,
                              static_cast<int>(columns), rows * columns};
    };
    return {band(smooth), band(stripes)};
}

void GpuRings::removeByWavelets(const gpu::Sinograms& sinograms, cudaStream_t stream) {
    const auto below = [&](std::size_t i) {
        return i == 0 ? sinograms : m_scales[i - 1].of(sinograms.rows).smooth;
    };
    for (std::size_t i = 0; i < m_scales.size(); ++i) {
        const Scale& scale = m_scales[i];
        const gpu::WaveletScale to = scale.of(sinograms.rows);
        gpu::analyse(m_taps, below(i), to, m_lines.data(), stream);
        gpu::keepSlow(to.stripes, scale.count, scale.circle.data(), scale.gains.data(),
                      m_sums.data(), stream);
    }
    for (std::size_t i = m_scales.size(); i-- > 0;)
        gpu::synthesise(m_taps, m_scales[i].of(sinograms.rows), i + 1 == m_scales.size(), below(i),
                        i == 0, m_lines.data(), stream);
}

void GpuRings::apply(const gpu::Sinograms& sinograms, cudaStream_t stream) {
    const auto width = static_cast<int>(m_spec.widthPx);
    switch (m_spec.method) {
        case RingMethod::none:
            return;
        case RingMethod::sorting:
            gpu::removeRingsBySorting(sinograms, width, m_sorted.data(), m_order.data(), stream);
            break;
        case RingMethod::wavelets:
            removeByWavelets(sinograms, stream);
            break;
        case RingMethod::smoothedMean:
            gpu::removeSmoothedMean(sinograms, width, m_mean.data(), stream);
            break;
    }
    checkLaunch("removing rings");
}

}  // namespace gantry
