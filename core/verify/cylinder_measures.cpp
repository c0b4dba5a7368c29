#include "core/verify/cylinder_measures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/throw_error.h"
#include "core/verify/edge_rays.h"

namespace gantry {

namespace {

constexpr Index kMaxSlices = 15;
constexpr int kBinsAVoxel = 8;
// The reach about the rim, in voxels or radii, whichever is less.
constexpr double kReachVoxels = 16;
constexpr double kReachRadii = 0.3;

// The brightest body in the middle slice: everything above half of its brightest parts.
KnownSphere foundCylinder(const Volume& volume) {
    const VolumeGrid& grid = volume.grid;
    const Index z = grid.voxels[2] / 2;
    const float* slice = volume.span().row(z, 0);
    std::vector<float> values;
    for (Index i = 0; i < grid.voxels[0] * grid.voxels[1]; ++i)
        if (std::isfinite(slice[i])) values.push_back(slice[i]);
    if (values.empty()) throw InputError("The voxels of the volume's middle slice are no numbers.");
    const auto at = [&](double share) {
        const auto nth = values.begin() + static_cast<std::ptrdiff_t>(
                                              share * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), nth, values.end());
        return *nth;
    };
    const float level = (at(0.02) + at(0.998)) / 2;
    double sum = 0;
    double x = 0;
    double y = 0;
    for (Index iy = 0; iy < grid.voxels[1]; ++iy)
        for (Index ix = 0; ix < grid.voxels[0]; ++ix) {
            if (!(slice[iy * grid.voxels[0] + ix] > level)) continue;
            sum += 1;
            x += static_cast<double>(ix);
            y += static_cast<double>(iy);
        }
    if (!(sum > 0))
        throw InputError("The volume's middle slice is of one value: there is no cylinder in it.");
    return {grid.positionMm(x / sum, y / sum, static_cast<double>(z)),
            std::sqrt(sum * grid.pitchMm[0] * grid.pitchMm[1] / kPi)};
}

double sinc(double x) {
    return std::abs(x) < 1e-9 ? 1 : std::sin(kPi * x) / (kPi * x);
}

class CylinderProbe {
  public:
    CylinderProbe(const Volume& volume, const KnownSphere& start)
        : m_volume(volume), m_grid(volume.grid), m_start(start) {
        m_pitchMm = std::min(m_grid.pitchMm[0], m_grid.pitchMm[1]);
        if (!(start.radiusMm >= 8 * std::max(m_grid.pitchMm[0], m_grid.pitchMm[1])))
            throwError<InputError>(
                "The cylinder's radius is {:.2f} voxels; it takes at least 8 to measure its rim.",
                start.radiusMm / m_pitchMm);
        m_reachMm = std::min(kReachVoxels * m_pitchMm, kReachRadii * start.radiusMm);
        m_binMm = m_pitchMm / kBinsAVoxel;
        const auto bins = static_cast<std::size_t>(2 * std::ceil(m_reachMm / m_binMm));
        m_sums.assign(bins, 0);
        m_counts.assign(bins, 0);
    }

    CylinderMeasures measure() {
        const double z = (m_start.centerMm.z - m_grid.originMm().z) / m_grid.pitchMm[2];
        const Index middle = std::clamp<Index>(std::lround(z), 0, m_grid.voxels[2] - 1);
        const Index half = std::min(kMaxSlices / 2, m_grid.voxels[2] / 8);
        const IndexRange slices = {std::max<Index>(0, middle - half),
                                   std::min(m_grid.voxels[2], middle + half + 1)};
        for (Index s = slices.begin; s < slices.end; ++s)
            addSlice(s);
        m_found.slices = slices.size();
        const auto n = static_cast<double>(slices.size());
        m_found.centerMm = (1 / n) * m_found.centerMm;
        m_found.radiusMm /= n;
        m_found.background /= n;
        takeInside();
        takeMtf();
        takeCdf();
        return std::move(m_found);
    }

  private:
    void addSlice(Index z);
    void addRim(Index z, const FittedSphere& rim);
    void addTiles(Index z, const FittedSphere& rim);
    void takeInside();
    void takeMtf();
    void takeCdf();

    // Means of the squares of one size, over all slices.
    struct Tiles {
        Index side;
        std::vector<double> variances;  ///< variance of the means, one a slice
    };

    const Volume& m_volume;
    const VolumeGrid& m_grid;
    KnownSphere m_start;
    double m_pitchMm = 0;
    double m_reachMm = 0;
    double m_binMm = 0;
    std::vector<double> m_sums;  ///< of the rim, by the distance from it
    std::vector<double> m_counts;
    double m_insideSum = 0;
    double m_insideCount = 0;
    std::vector<Tiles> m_tiles;
    CylinderMeasures m_found;
};

void CylinderProbe::addSlice(Index z) {
    const Vec3 middle = {m_start.centerMm.x, m_start.centerMm.y,
                         m_grid.positionMm(0, 0, static_cast<double>(z)).z};
    FittedSphere rim{middle, m_start.radiusMm, 0, 0};
    double background = 0;
    for (int step = 0; step < 3; ++step) {
        double inside = 0;
        background = 0;
        int seen = 0;
        std::vector<Vec3> points;
        constexpr int kRays = 360;
        const auto direction = [](int i) {
            return Vec3{std::cos(radians(i)), std::sin(radians(i)), 0};
        };
        for (int i = 0; i < kRays; ++i) {
            const auto at = valuesAlong(
                m_volume,
                {rim.centerMm, direction(i), 0.6 * m_start.radiusMm, 1.2 * m_start.radiusMm}, 2);
            if (at.empty()) continue;
            inside += at[0];
            background += at[1];
            ++seen;
        }
        if (seen < kRays / 2)
            throw InputError("The cylinder is not in the volume with a margin round it.");
        inside /= seen;
        background /= seen;
        for (int i = 0; i < kRays; ++i) {
            const EdgeRay ray = {rim.centerMm, direction(i), 0.7 * m_start.radiusMm,
                                 1.2 * m_start.radiusMm};
            if (const auto at = crossingMm(m_volume, ray, (inside + background) / 2, rim.radiusMm))
                points.push_back(rim.centerMm + *at * ray.direction);
        }
        rim = fittedSphere(points, rim.centerMm, true);
    }
    m_found.centerMm = m_found.centerMm + rim.centerMm;
    m_found.radiusMm += rim.radiusMm;
    m_found.background += background;
    addRim(z, rim);
    addTiles(z, rim);
}

void CylinderProbe::addRim(Index z, const FittedSphere& rim) {
    for (Index y = 0; y < m_grid.voxels[1]; ++y)
        for (Index x = 0; x < m_grid.voxels[0]; ++x) {
            const Vec3 p = m_grid.positionMm(static_cast<double>(x), static_cast<double>(y), 0);
            const double from =
                std::hypot(p.x - rim.centerMm.x, p.y - rim.centerMm.y) - rim.radiusMm;
            const double value = m_volume.span()(z, y, x);
            if (from < -0.3 * rim.radiusMm) {
                m_insideSum += value;
                m_insideCount += 1;
            }
            const double bin = std::floor((from + m_reachMm) / m_binMm);
            if (!(bin >= 0 && bin < static_cast<double>(m_sums.size()))) continue;
            m_sums[static_cast<std::size_t>(bin)] += value;
            m_counts[static_cast<std::size_t>(bin)] += 1;
        }
}

// Adds squares side by side, within the square inscribed in the circle of 70 % of the radius.
void CylinderProbe::addTiles(Index z, const FittedSphere& rim) {
    const Vec3 first = m_grid.originMm();
    const double halfMm = 0.7 * rim.radiusMm / std::sqrt(2.0);
    const auto begin = [&](double centerMm, double firstMm, double pitch) {
        return std::max<Index>(0, std::lround((centerMm - halfMm - firstMm) / pitch));
    };
    const Index x0 = begin(rim.centerMm.x, first.x, m_grid.pitchMm[0]);
    const Index y0 = begin(rim.centerMm.y, first.y, m_grid.pitchMm[1]);
    const Index across = std::min(static_cast<Index>(2 * halfMm / m_grid.pitchMm[0]),
                                  static_cast<Index>(2 * halfMm / m_grid.pitchMm[1]));
    constexpr Index kMinTiles = 4;  // along a side
    std::size_t at = 0;
    for (Index side = 1; side * kMinTiles <= across; side = side < 4 ? side + 1 : side * 3 / 2) {
        std::vector<double> means;
        for (Index ty = 0; ty + side <= across; ty += side)
            for (Index tx = 0; tx + side <= across; tx += side) {
                double sum = 0;
                for (Index y = 0; y < side; ++y)
                    for (Index x = 0; x < side; ++x)
                        sum += m_volume.span()(z, y0 + ty + y, x0 + tx + x);
                means.push_back(sum / static_cast<double>(side * side));
            }
        const auto n = static_cast<double>(means.size());
        const double mean = std::accumulate(means.begin(), means.end(), 0.0) / n;
        double squares = 0;
        for (const double value : means)
            squares += (value - mean) * (value - mean);
        if (at == m_tiles.size()) m_tiles.push_back({side, {}});
        // The fitted circle may differ by a voxel from slice to slice.
        if (m_tiles[at].side == side) m_tiles[at].variances.push_back(squares / (n - 1));
        ++at;
    }
}

void CylinderProbe::takeInside() {
    m_found.attenuation = m_insideSum / m_insideCount;
    if (!(std::abs(m_found.attenuation - m_found.background) > 0))
        throw InputError("There is no cylinder: inside and outside have the same attenuation.");
}

void CylinderProbe::takeMtf() {
    std::vector<double> edge(m_sums.size());
    double last = m_found.attenuation;
    for (std::size_t i = 0; i < edge.size(); ++i) {
        // A bin without voxels takes its neighbour's.
        if (m_counts[i] > 0) last = m_sums[i] / m_counts[i];
        edge[i] = last;
    }
    const auto middle = static_cast<double>(edge.size()) / 2;
    std::vector<double> spread;
    for (std::size_t i = 0; i + 1 < edge.size(); ++i) {
        // The line spread is faded out towards the ends, over a quarter on either side.
        const double from = std::abs(static_cast<double>(i + 1) - middle) / middle;
        const double fade = from < 0.75 ? 1 : 0.5 + 0.5 * std::cos(4 * kPi * (from - 0.75));
        spread.push_back(fade * (edge[i] - edge[i + 1]));
    }
    constexpr int kPoints = 100;
    double atZero = 0;
    for (int j = 0; j <= kPoints; ++j) {
        const double f = static_cast<double>(j) / kPoints / m_pitchMm;
        double real = 0;
        double imaginary = 0;
        for (std::size_t i = 0; i < spread.size(); ++i) {
            const double phase = 2 * kPi * f * static_cast<double>(i) * m_binMm;
            real += spread[i] * std::cos(phase);
            imaginary += spread[i] * std::sin(phase);
        }
        // Averaging over a bin and taking differences each multiply a frequency by sinc.
        const double value = std::hypot(real, imaginary) / std::pow(sinc(f * m_binMm), 2);
        if (j == 0) atZero = value;
        m_found.mtf.push_back({f, value / atZero});
    }
    m_found.mtf50PerMm = frequencyAt(m_found.mtf, 0.5);
    m_found.mtf10PerMm = frequencyAt(m_found.mtf, 0.1);
}

void CylinderProbe::takeCdf() {
    for (const Tiles& tiles : m_tiles) {
        const double deviation =
            std::sqrt(std::accumulate(tiles.variances.begin(), tiles.variances.end(), 0.0) /
                      static_cast<double>(tiles.variances.size()));
        m_found.cdf.push_back({tiles.side, static_cast<double>(tiles.side) * m_pitchMm,
                               100 * deviation / std::abs(m_found.attenuation)});
        if (tiles.side == 1) m_found.noise = deviation;
    }
}

}  // namespace

CylinderMeasures measureCylinder(const Volume& volume, const std::optional<KnownSphere>& expected) {
    return CylinderProbe(volume, expected ? *expected : foundCylinder(volume)).measure();
}

double frequencyAt(const std::vector<MtfPoint>& mtf, double value) {
    for (std::size_t i = 0; i + 1 < mtf.size(); ++i) {
        const MtfPoint& a = mtf[i];
        const MtfPoint& b = mtf[i + 1];
        if (a.value >= value && b.value < value)
            return a.perMm + (b.perMm - a.perMm) * (a.value - value) / (a.value - b.value);
    }
    return 0;
}

}  // namespace gantry
