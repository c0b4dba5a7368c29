#include "core/io/volume/spooled_sink.h"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/io/volume/volume_description.h"

namespace gantry {

namespace {

constexpr Index kVoxelsAtOnce = 256 * 1024;           // by one thread
constexpr Index kVoxelsOfThread = 8 * kVoxelsAtOnce;  // converted between two waits
constexpr Index kMinConverted = Index{8} << 20;

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
      m_openOutput(std::move(openOutput)),
      m_isSeen(static_cast<std::size_t>(grid.voxels[2])) {}

SpooledSink::Range SpooledSink::finiteRange(std::span<const float> values) {
    constexpr float kLargest = std::numeric_limits<float>::max();
    constexpr std::size_t kLanes = 16;  // independent of each other, so that the compiler uses SIMD
    std::array<float, kLanes> min;
    std::array<float, kLanes> max;
    min.fill(Range().min);
    max.fill(Range().max);
    const auto take = [&](std::size_t lane, float value) {
        // The comparisons are false for NaN.
        min[lane] = value < min[lane] && value >= -kLargest ? value : min[lane];
        max[lane] = value > max[lane] && value <= kLargest ? value : max[lane];
    };
    const std::size_t whole = values.size() / kLanes * kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            take(lane, values[i + lane]);
    for (std::size_t i = whole; i < values.size(); ++i)
        take(0, values[i]);
    return {*std::min_element(min.begin(), min.end()), *std::max_element(max.begin(), max.end())};
}

void SpooledSink::put(Index zBegin, Span3<const float> voxels, int threads) {
    m_spool.write(zBegin, voxels, threads);
    const std::span all(voxels.data(), static_cast<std::size_t>(voxels.count()));
    parallelFor(threads, voxels.count(), kVoxelsAtOnce, [&](Index begin, Index end, int) {
        const Range range = finiteRange(
            all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
        const std::scoped_lock lock(m_mutex);
        m_seen.add(range);
    });
    const std::scoped_lock lock(m_mutex);
    std::fill_n(m_isSeen.begin() + zBegin, voxels.size(0), true);
}

SpooledSink::Range SpooledSink::rangeOfUnseen(int threads, const std::stop_token& stop) const {
    std::vector<Index> slices;
    for (Index z = 0; z < m_grid.voxels[2]; ++z)
        if (!m_isSeen[static_cast<std::size_t>(z)]) slices.push_back(z);
    const Index sliceVoxels = m_grid.voxels[0] * m_grid.voxels[1];
    const Index pieces = (sliceVoxels + kVoxelsAtOnce - 1) / kVoxelsAtOnce;
    Range range;
    std::mutex mutex;
    parallelFor(
        threads, std::ssize(slices) * pieces, 1,
        [&](Index i, Index, int) {
            const Index begin = i % pieces * kVoxelsAtOnce;
            HostBuffer<float> part(std::min(kVoxelsAtOnce, sliceVoxels - begin));
            m_spool.read(slices[static_cast<std::size_t>(i / pieces)] * sliceVoxels + begin,
                         part.span());
            const Range found = finiteRange(part.span());
            const std::scoped_lock lock(mutex);
            range.add(found);
        },
        stop);
    return range;
}

void SpooledSink::convert(VolumeSink& output, int threads, const std::stop_token& stop) const {
    const auto [nX, nY, nZ] = m_grid.voxels;
    const Index sliceVoxels = nX * nY;
    const Index voxels = std::max(kMinConverted, threads * kVoxelsOfThread);
    const Index slices = std::clamp<Index>(voxels / sliceVoxels, 1, nZ);
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
    Range range = rangeOfUnseen(threads, stop);
    range.add(m_seen);
    if (range.min > range.max) range = {0, 0};
    const std::unique_ptr<VolumeSink> output =
        m_openOutput({static_cast<double>(range.min), static_cast<double>(range.max)});
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
