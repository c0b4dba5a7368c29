#include "core/project/ray_weights.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/project/parallel_sum.h"
#include "core/project/projection_space.h"

namespace gantry {

namespace {

constexpr Index kRayPiece = 1 << 15;  // rays that a thread works on at a time

// A few sums that threads add up side by side.
template <std::size_t kCount>
struct Sums {
    std::array<double, kCount> values{};
    Sums& operator+=(const Sums& other) {
        for (std::size_t i = 0; i < kCount; ++i)
            values[i] += other.values[i];
        return *this;
    }
};

// Sums over the rays of all parts. add(sums, ray) adds a ray's share.
template <std::size_t kCount, class Add>
std::array<double, kCount> sumOverRays(const RayData& rays, const Add& add) {
    std::array<double, kCount> sums =
        parallelSum<Sums<kCount>>(rays.threads, rays.chords.count(), kRayPiece,
                                  [&](Index begin, Index end) {
                                      Sums<kCount> part;
                                      rays.own.visit(begin, end,
                                                     [&](Index i) { add(part.values, i); });
                                      return part;
                                  })
            .values;
    rays.peers.add(sums);
    return sums;
}

class UsedRays {
  public:
    explicit UsedRays(const RayData& rays) : m_rays(rays) {
        const float* begin = rays.chords.data();
        const float longest = *std::max_element(begin, begin + rays.chords.count());
        m_shortest = static_cast<float>(kShortestChord * rays.peers.largest(longest));
    }
    [[nodiscard]] bool contains(Index ray) const {
        return m_rays.chords[ray] > 0 && m_rays.chords[ray] >= m_shortest &&
               (m_rays.counts.count() == 0 || m_rays.counts[ray] > 0);
    }
    [[nodiscard]] double meanCount() const {
        require(m_rays.counts.count() > 0, "weights by counts that are not known");
        const auto [counts, rays] = sumOverRays<2>(m_rays, [this](auto& sums, Index i) {
            if (!contains(i)) return;
            sums[0] += m_rays.counts[i];
            sums[1] += 1;
        });
        return rays > 0 ? counts / rays : 1;
    }

  private:
    const RayData& m_rays;
    float m_shortest = 0;
};

}  // namespace

HostBuffer<float> rayWeights(const RayData& rays, RowWeights kind) {
    const UsedRays used(rays);
    const double meanCount = kind == RowWeights::counts ? used.meanCount() : 1;
    HostBuffer<float> weights(rays.chords.count());
    parallelFor(rays.threads, rays.chords.count(), kRayPiece, [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i) {
            double weight = 1;
            if (kind == RowWeights::chord) weight = 1.0 / rays.chords[i];
            if (kind == RowWeights::counts) weight = rays.counts[i] / meanCount;
            weights[i] = used.contains(i) ? static_cast<float>(weight) : 0;
        }
    });
    return weights;
}

PreparedViews preparedViews(const RayData& rays, const HostBuffer<float>& weights,
                            const HostBuffer<float>& integrals) {
    // Σ M·b·chord, Σ M·b², and the rays with a weight.
    const auto sums = sumOverRays<3>(rays, [&](auto& part, Index i) {
        const double weight = weights[i];
        part[0] += weight * integrals[i] * rays.chords[i];
        part[1] += weight * integrals[i] * integrals[i];
        part[2] += weight > 0 ? 1 : 0;
    });
    return {.level = sums[0] > 0 ? sums[1] / sums[0] : 0,
            .usedRays = static_cast<Index>(sums[2]),
            .weightedSquares = sums[1]};
}

}  // namespace gantry
