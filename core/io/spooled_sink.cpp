#include "core/io/spooled_sink.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/io/volume_description.h"

namespace gantry {

namespace {

constexpr Index kPieceBytes = Index{16} << 20;
constexpr Index kVoxelsAtOnce = 256 * 1024;

// Smallest and largest of the finite values; crossed where there are none.
std::pair<float, float> finiteRange(const float* begin, const float* end) {
    float least = std::numeric_limits<float>::infinity();
    float most = -least;
    for (const float* value = begin; value != end; ++value) {
        if (!std::isfinite(*value)) continue;
        least = std::min(least, *value);
        most = std::max(most, *value);
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

SpooledSink::SpooledSink(const std::filesystem::path& path, const VolumeGrid& grid, bool resume,
                         OpenOutput openOutput)
    : m_grid(grid),
      m_spool(spoolLayout(path, grid), grid, {}, resume),
      m_openOutput(std::move(openOutput)) {}

void SpooledSink::forEachPiece(const Visit& visit) const {
    const auto [nX, nY, nZ] = m_grid.voxels;
    const Index sliceBytes = nX * nY * static_cast<Index>(sizeof(float));
    const Index slices = std::clamp<Index>(kPieceBytes / sliceBytes, 1, nZ);
    HostBuffer<float> buffer(slices * nX * nY);
    for (Index z = 0; z < nZ; z += slices) {
        const Span3<float> piece(buffer.data(), std::min(slices, nZ - z), nY, nX);
        m_spool.read(z, piece);
        visit(z, piece);
    }
}

void SpooledSink::complete(int threads) {
    m_spool.requireComplete();
    m_spool.flush();
    float least = std::numeric_limits<float>::infinity();
    float most = -least;
    std::mutex mutex;
    forEachPiece([&](Index, Span3<const float> piece) {
        parallelFor(threads, piece.count(), kVoxelsAtOnce, [&](Index begin, Index end, int) {
            const auto [low, high] = finiteRange(piece.data() + begin, piece.data() + end);
            const std::scoped_lock lock(mutex);
            least = std::min(least, low);
            most = std::max(most, high);
        });
    });
    if (least > most) least = most = 0;
    const std::unique_ptr<VolumeSink> output =
        m_openOutput({static_cast<double>(least), static_cast<double>(most)});
    try {
        forEachPiece([&](Index z, Span3<const float> piece) { output->write(z, piece, threads); });
        output->finish(threads);
    } catch (...) {
        output->discard();
        throw;
    }
    m_spool.discard();
}

}  // namespace gantry
