#include "core/project/flatten_volume.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/project/parallel_sum.h"

namespace gantry {

namespace {

class Flattening {
  public:
    Flattening(const FlattenTask& task, const VoxelConstraint& constraint, SpacePeers& peers)
        : m_task(task),
          m_constraint(constraint),
          m_peers(peers),
          m_nX(task.volume.size(2)),
          m_nY(task.volume.size(1)),
          m_nZ(task.volume.size(0)),
          m_zeros(static_cast<std::size_t>(m_nX)),
          m_below(peers.hasBelow() ? sliceVoxels() : 0),
          m_above(peers.hasAbove() ? sliceVoxels() : 0) {}

    double run(const std::stop_token& stop) {
        const Span3<float> spare(m_task.spare, m_nZ, m_nY, m_nX);
        for (Index step = 0; step < m_task.steps; ++step) {
            takeBelow();
            forEachRow([&](Index z, Index y) { primalRow(z, y, spare.row(z, y)); }, stop);
            takeAbove(spare);
            forEachRow([&](Index z, Index y) { dualRow(spare, z, y); }, stop);
        }
        takeBelow();
        forEachRow([&](Index z, Index y) { primalRow(z, y, m_task.volume.row(z, y)); }, stop);
        takeAbove(m_task.volume);
        double sum = parallelSum<double>(
            m_task.threads, m_nZ, 1,
            [&](Index z, Index) {
                double ofSlice = 0;
                for (Index y = 0; y < m_nY; ++y)
                    ofSlice += variation(z, y);
                return ofSlice;
            },
            stop);
        m_peers.add({&sum, 1});
        return sum;
    }

  private:
    template <class Work>
    void forEachRow(const Work& work, const std::stop_token& stop) const {
        constexpr Index kRowsAtOnce = 16;
        parallelFor(
            m_task.threads, m_nZ * m_nY, kRowsAtOnce,
            [&](Index begin, Index end, int) {
                for (Index row = begin; row < end; ++row)
                    work(row / m_nY, row % m_nY);
            },
            stop);
    }

    [[nodiscard]] Index sliceVoxels() const { return m_nX * m_nY; }
    // The part below gives the dual field along z of its last slice.
    void takeBelow() {
        const float* last = dualAt(2, m_nZ - 1, 0);
        m_peers.pass(SpacePeers::Towards::above, {last, static_cast<std::size_t>(sliceVoxels())},
                     m_below.span());
    }
    // The part above gives the values of its first slice.
    void takeAbove(Span3<const float> values) {
        m_peers.pass(SpacePeers::Towards::below,
                     {values.data(), static_cast<std::size_t>(sliceVoxels())}, m_above.span());
    }

    // The dual field along an axis; zeros in front of the volume's first row.
    [[nodiscard]] const float* dualAt(int axis, Index z, Index y) const {
        if (z < 0 && m_below.count() > 0) return m_below.data() + y * m_nX;
        if (z < 0 || y < 0) return m_zeros.data();
        return m_task.dual + ((z * 3 + axis) * m_nY + y) * m_nX;
    }
    // The next row of values; behind the last one the same again, for a difference of 0.
    [[nodiscard]] const float* nextY(Span3<const float> values, Index z, Index y) const {
        return values.row(z, std::min(y + 1, m_nY - 1));
    }
    [[nodiscard]] const float* nextZ(Span3<const float> values, Index z, Index y) const {
        if (z + 1 == m_nZ && m_above.count() > 0) return m_above.data() + y * m_nX;
        return values.row(std::min(z + 1, m_nZ - 1), y);
    }

    // P(v + weight·div p); out may be v.
    void primalRow(Index z, Index y, float* out) const {
        const float* v = m_task.volume.row(z, y);
        const float* alongX = dualAt(0, z, y);
        const float* alongY = dualAt(1, z, y);
        const float* beforeY = dualAt(1, z, y - 1);
        const float* alongZ = dualAt(2, z, y);
        const float* beforeZ = dualAt(2, z - 1, y);
        const auto weight = static_cast<float>(m_task.weight);
        const float x = m_task.scale[0] * weight;
        const float yScale = m_task.scale[1] * weight;
        const float zScale = m_task.scale[2] * weight;
        for (Index i = 0; i < m_nX; ++i)
            out[i] = v[i] + x * alongX[i] + yScale * (alongY[i] - beforeY[i]) +
                     zScale * (alongZ[i] - beforeZ[i]);
        for (Index i = 1; i < m_nX; ++i)
            out[i] -= x * alongX[i - 1];
        m_constraint.apply(z, y * m_nX, m_nX, out);
    }

    // p ← Q[p + ∇u/(weight·L)]
    void dualRow(Span3<const float> u, Index z, Index y) const {
        const auto& [x, yScale, zScale] = m_task.scale;
        const double norm = 4 * (double{x} * x + double{yScale} * yScale + double{zScale} * zScale);
        const auto step = static_cast<float>(1 / (m_task.weight * norm));
        const float* here = u.row(z, y);
        const float* aboveY = nextY(u, z, y);
        const float* aboveZ = nextZ(u, z, y);
        float* p = m_task.dual + (z * 3 * m_nY + y) * m_nX;
        float* q = p + m_nY * m_nX;
        float* r = q + m_nY * m_nX;
        const auto update = [&](Index i, float differenceX) {
            const float a = p[i] + step * m_task.scale[0] * differenceX;
            const float b = q[i] + step * m_task.scale[1] * (aboveY[i] - here[i]);
            const float c = r[i] + step * m_task.scale[2] * (aboveZ[i] - here[i]);
            const float shorter = 1 / std::max(1.0F, std::sqrt(a * a + b * b + c * c));
            p[i] = a * shorter;
            q[i] = b * shorter;
            r[i] = c * shorter;
        };
        for (Index i = 0; i + 1 < m_nX; ++i)
            update(i, here[i + 1] - here[i]);
        update(m_nX - 1, 0);
    }

    [[nodiscard]] double variation(Index z, Index y) const {
        const Span3<const float> volume = m_task.volume;
        const float* here = volume.row(z, y);
        const float* aboveY = nextY(volume, z, y);
        const float* aboveZ = nextZ(volume, z, y);
        double sum = 0;
        for (Index i = 0; i < m_nX; ++i) {
            const float next = i + 1 < m_nX ? here[i + 1] : here[i];
            const float a = m_task.scale[0] * (next - here[i]);
            const float b = m_task.scale[1] * (aboveY[i] - here[i]);
            const float c = m_task.scale[2] * (aboveZ[i] - here[i]);
            sum += std::sqrt(a * a + b * b + c * c);
        }
        return sum;
    }

    const FlattenTask& m_task;
    const VoxelConstraint& m_constraint;
    SpacePeers& m_peers;
    Index m_nX;
    Index m_nY;
    Index m_nZ;
    std::vector<float> m_zeros;  // a row
    HostBuffer<float> m_below;   // a slice of the part below, if there is one
    HostBuffer<float> m_above;
};

}  // namespace

double flattenVolume(const FlattenTask& task, const VoxelConstraint& constraint, SpacePeers& peers,
                     const std::stop_token& stop) {
    return Flattening(task, constraint, peers).run(stop);
}

}  // namespace gantry
