#include "core/io/volume/spooled_sink.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>
#include <utility>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/io/volume/volume_description.h"

namespace gantry {

namespace {

constexpr Index kConvertedVoxels = Index{8} << 20;  // written at a time
constexpr Index kVoxelsAtOnce = 256 * 1024;         // by one thread

// Smallest and largest of the finite values; crossed where there are none.
std::pair<float, float> rangeOf(std::span<const float> values) {
    float least = std::numeric_limits<float>::infinity();
    float most = -least;
    for (const float value : values) {
        if (!std::isfinite(value)) continue;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    return {least, most};
}

FlatLayout spoolLayout(std::filesystem::path path, const VolumeGrid& grid) {
    FlatLayout layout;
    layout.path = std::move(path);
    layout.path += ".spool";
    layout.before = toJson({grid, {}});
    // Keeps the voxels aligned in the file.
    layout.before.resize((layout.before.size() + 63) / 64 * 64, ' ');
    return layout;
}

}  // namespace

SpooledSink::SpooledSink(const std::filesystem::path& path, const VolumeGrid& grid, SinkStart start,
                         OpenOutput openOutput)
    : m_grid(grid),
      m_spool(spoolLayout(path, grid), grid, {}, start),
      m_openOutput(std::move(openOutput)) {}

std::array<double, 2> SpooledSink::finiteRange(int threads, const std::stop_token& stop) const {
    float least = std::numeric_limits<float>::infinity();
    float most = -least;
    std::mutex mutex;
    parallelFor(
        threads, m_grid.count(), kVoxelsAtOnce,
        [&](Index begin, Index end, int) {
            HostBuffer<float> part(end - begin);
            m_spool.read(begin, part.span());
            const auto [low, high] = rangeOf(part.span());
            const std::scoped_lock lock(mutex);
            least = std::min(least, low);
            most = std::max(most, high);
        },
        stop);
    if (least > most) least = most = 0;
    return {static_cast<double>(least), static_cast<double>(most)};
}

void SpooledSink::convert(VolumeSink& output, int threads, const std::stop_token& stop) const {
    const auto [nX, nY, nZ] = m_grid.voxels;
    const Index sliceVoxels = nX * nY;
    const Index slices = std::clamp<Index>(kConvertedVoxels / sliceVoxels, 1, nZ);
    HostBuffer<float> buffer(slices * sliceVoxels);
    for (Index z = 0; z < nZ; z += slices) {
        const Span3<float> piece(buffer.data(), std::min(slices, nZ - z), nY, nX);
        parallelFor(
            threads, piece.count(), kVoxelsAtOnce,
            [&](Index begin, Index end, int) {
                m_spool.read(z * sliceVoxels + begin,
                             buffer.span().subspan(static_cast<std::size_t>(begin),
                                                   static_cast<std::size_t>(end - begin)));
            },
            stop);
        output.write(z, piece, threads);
    }
}

void SpooledSink::complete(int threads, const std::stop_token& stop) {
    m_spool.requireComplete();
    m_spool.flush();
    const std::unique_ptr<VolumeSink> output = m_openOutput(finiteRange(threads, stop));
    try {
        convert(*output, threads, stop);
        output->finish(threads, stop);
    } catch (...) {
        output->discard();
        throw;
    }
    m_spool.discard();
}

}  // namespace gantry
