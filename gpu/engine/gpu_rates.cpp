#include "gpu/engine/gpu_rates.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>

#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/gpu_filter.h"

namespace gantry {

namespace {

// Floats made of such bytes are 0.75, an ordinary number for copies and filters.
constexpr int kFloatByte = 0x3f;

// Time of the work on the stream: the shortest of a few runs after a warm-up.
double secondsOf(const Stream& stream, const std::function<void()>& enqueue) {
    constexpr int kRuns = 4;
    double best = std::numeric_limits<double>::max();
    Event begin(Event::Timing::on);
    Event end(Event::Timing::on);
    for (int i = 0; i < kRuns; ++i) {
        begin.record(stream.get());
        enqueue();
        end.record(stream.get());
        end.synchronize();
        if (i > 0) best = std::min(best, 1e-3 * end.millisecondsSince(begin));
    }
    return std::max(best, 1e-9);
}

void measureCopies(const Stream& stream, DeviceRates& rates) {
    constexpr Index kBytes = 64'000'000;
    const PinnedBuffer<std::byte> host(kBytes);
    const DeviceBuffer<std::byte> device(kBytes);
    std::memset(host.data(), kFloatByte, kBytes);
    const auto copy = [&](void* to, const void* from, cudaMemcpyKind kind) {
        const double seconds = secondsOf(stream, [&] {
            check(cudaMemcpyAsync(to, from, kBytes, kind, stream.get()), "measuring copies");
        });
        return static_cast<double>(kBytes) / seconds;
    };
    rates.uploadBytes = copy(device.data(), host.data(), cudaMemcpyHostToDevice);
    rates.downloadBytes = copy(host.data(), device.data(), cudaMemcpyDeviceToHost);
}

// Measures how many pixels a second are filtered, on some rows of some views.
double measureFilter(const DeviceJob& job, const Stream& stream) {
    constexpr Index kViews = 8;
    constexpr Index kRows = 256;
    const AlignedViews& geometry = job.acquisition->geometry;
    DeviceJob some = job;
    some.batchViews = std::min(kViews, geometry.views);
    some.maxRows = std::min(kRows, geometry.detector.rows);
    // Prepared views are used because random stored pixels would not be valid on this detector;
    // preparing costs next to nothing beside the transforms.
    some.handedOver = ViewState::prepared;
    const Index rowBytes = geometry.detector.columns * Index{sizeof(float)};
    const DeviceBuffer<std::byte> batch(some.batchViews * some.maxRows * rowBytes);
    check(cudaMemsetAsync(batch.data(), kFloatByte, static_cast<std::size_t>(batch.sizeBytes()),
                          stream.get()),
          "filling views");
    GpuFilter filter(some);
    const double seconds = secondsOf(stream, [&] {
        (void)filter.apply(batch.data(), {0, some.batchViews}, IndexRange{0, some.maxRows}, {},
                            stream.get());
    });
    return static_cast<double>(some.batchViews * some.maxRows * geometry.detector.columns) /
           seconds;
}

}  // namespace

DeviceRates measureRates(const DeviceInfo& device, const DeviceJob& job) {
    makeCurrent(device.number);
    const Stream stream;
    DeviceRates rates;
    measureCopies(stream, rates);
    if (whyNoCufft().empty()) rates.filterPixels = measureFilter(job, stream);
    return rates;
}

}  // namespace gantry
