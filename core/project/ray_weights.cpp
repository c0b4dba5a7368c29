#include "core/project/ray_weights.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/project/parallel_sum.h"

namespace gantry {

namespace {

constexpr Index kRayPiece = 1 << 15;     // that one thread works on at a time
constexpr double kShortestChord = 0.01;  // of the longest, that counts

struct CountSums {
    double counts = 0;
    Index rays = 0;
    CountSums& operator+=(const CountSums& other) {
        counts += other.counts;
        rays += other.rays;
        return *this;
    }
};

struct LevelSums {
    double raySums = 0;       // Σ M·b·chord
    double chordSquares = 0;  // Σ M·chord²
    double squares = 0;       // Σ M·b²
    Index rays = 0;
    LevelSums& operator+=(const LevelSums& other) {
        raySums += other.raySums;
        chordSquares += other.chordSquares;
        squares += other.squares;
        rays += other.rays;
        return *this;
    }
};

class UsedRays {
  public:
    UsedRays(const HostBuffer<float>& chords, const HostBuffer<float>& counts)
        : m_chords(chords), m_counts(counts) {
        const float* begin = chords.data();
        const float longest = *std::max_element(begin, begin + chords.count());
        m_shortest = static_cast<float>(kShortestChord * longest);
    }
    [[nodiscard]] bool contains(Index ray) const {
        return m_chords[ray] > 0 && m_chords[ray] >= m_shortest &&
               (m_counts.count() == 0 || m_counts[ray] > 0);
    }
    [[nodiscard]] double meanCount(int threads) const {
        require(m_counts.count() > 0, "weights by counts that are not known");
        const auto all = parallelSum<CountSums>(threads, m_chords.count(), kRayPiece,
                                                [&](Index begin, Index end) {
                                                    CountSums part;
                                                    for (Index i = begin; i < end; ++i)
                                                        if (contains(i)) part += {m_counts[i], 1};
                                                    return part;
                                                });
        return all.rays > 0 ? all.counts / static_cast<double>(all.rays) : 1;
    }

  private:
    const HostBuffer<float>& m_chords;
    const HostBuffer<float>& m_counts;
    float m_shortest = 0;
};

}  // namespace

HostBuffer<float> rayWeights(const HostBuffer<float>& chords, const HostBuffer<float>& counts,
                             RowWeights kind, int threads) {
    const UsedRays used(chords, counts);
    const double meanCount = kind == RowWeights::counts ? used.meanCount(threads) : 1;
    HostBuffer<float> weights(chords.count());
    parallelFor(threads, chords.count(), kRayPiece, [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i) {
            double weight = 1;
            if (kind == RowWeights::chord) weight = 1.0 / chords[i];
            if (kind == RowWeights::counts) weight = counts[i] / meanCount;
            weights[i] = used.contains(i) ? static_cast<float>(weight) : 0;
        }
    });
    return weights;
}

PreparedViews preparedViews(const HostBuffer<float>& weights, const HostBuffer<float>& integrals,
                            const HostBuffer<float>& chords, int threads) {
    const auto sums =
        parallelSum<LevelSums>(threads, weights.count(), kRayPiece, [&](Index begin, Index end) {
            LevelSums part;
            for (Index i = begin; i < end; ++i) {
                const double weight = weights[i];
                part.raySums += weight * integrals[i] * chords[i];
                part.chordSquares += weight * chords[i] * chords[i];
                part.squares += weight * integrals[i] * integrals[i];
                part.rays += weight > 0 ? 1 : 0;
            }
            return part;
        });
    return {.level = sums.chordSquares > 0 ? sums.raySums / sums.chordSquares : 0,
            .usedRays = sums.rays,
            .weightedSquares = sums.squares};
}

}  // namespace gantry
