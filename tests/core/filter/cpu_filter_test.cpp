#include "core/filter/cpu_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/filter/ramp_kernel.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

ScanGeometry oddGeometry() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 460;
    geometry.cone().sourceOffsetMm = {7, -5};
    geometry.cone().arcDeg = 360;
    geometry.cone().views = 5;
    geometry.detector = {.columns = 77, .rows = 41, .pitchMm = {1.3, 0.9}, .offsetMm = {-2.5, 11}};
    return geometry;
}

std::vector<float> randomViews(const ScanGeometry& geometry, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<float> views(static_cast<std::size_t>(geometry.views() * geometry.detector.rows *
                                                      geometry.detector.columns));
    for (float& value : views)
        value = uniform(random);
    return views;
}

Span3<float> spanOf(std::vector<float>& views, const ScanGeometry& geometry) {
    return {views.data(), geometry.views(), geometry.detector.rows, geometry.detector.columns};
}

// Weights and convolution written out from the mathematics of resources/help/architecture.md, in
// double. The weight of a shifted source is taken as the derivative of the ray's distance from the
// axis, by differences.
std::vector<double> filteredDirectly(const ScanGeometry& geometry, const FilterSpec& spec,
                                     const std::vector<float>& views) {
    const Detector& detector = geometry.detector;
    const double sod = geometry.cone().sourceToIsocenterMm;
    const double sdd = geometry.cone().sourceToDetectorMm;
    const auto nU = static_cast<std::size_t>(detector.columns);
    const double pitch = detector.pitchMm[0] * sod / sdd;
    const auto distance = [&](double s) {
        return sod * (s + geometry.cone().sourceOffsetMm[0]) / std::hypot(sod, s);
    };
    const auto response = rampResponse(paddedLength(detector.columns), pitch, spec);
    const auto length = static_cast<double>(response.size());
    std::vector<double> kernel(nU);
    for (std::size_t n = 0; n < nU; ++n)
        for (std::size_t k = 0; k < response.size(); ++k)
            kernel[n] +=
                response[k] / length * std::cos(2 * kPi * static_cast<double>(k * n) / length);

    const RayCover cover(geometry);
    const AlignedDetector aligned = alignedDetector(geometry);
    std::vector<double> result(views.size());
    for (std::size_t row = 0; row < views.size() / nU; ++row) {
        const auto v = static_cast<double>(row % static_cast<std::size_t>(detector.rows));
        const double vMm =
            (v - (static_cast<double>(detector.rows) - 1) / 2) * detector.pitchMm[1] +
            detector.offsetMm[1] - geometry.cone().sourceOffsetMm[1];
        std::vector<double> weighted(nU);
        for (std::size_t u = 0; u < nU; ++u) {
            const double uMm =
                (static_cast<double>(u) - (static_cast<double>(nU) - 1) / 2) * detector.pitchMm[0] +
                detector.offsetMm[0] - geometry.cone().sourceOffsetMm[0];
            const double s = uMm * sod / sdd;
            // In the plane of the orbit (D²+s²)/D² · dt/ds; out of it, the ray is longer.
            const double slope = (distance(s + 1e-3) - distance(s - 1e-3)) / 2e-3;
            const double inPlane = slope * (sod * sod + s * s) / (sod * sod);
            const double tilt = std::hypot(sdd, uMm) / std::hypot(sdd, uMm, vMm);
            const double step = 2 * kPi / static_cast<double>(geometry.views());
            const double redundancy = cover.weightAt(0, rayAcross(aligned, static_cast<double>(u)));
            weighted[u] = static_cast<double>(views[row * nU + u]) * inPlane * tilt * step *
                          redundancy * sod * sod;
        }
        for (std::size_t u = 0; u < nU; ++u)
            for (std::size_t j = 0; j < nU; ++j)
                result[row * nU + u] += weighted[j] * kernel[u > j ? u - j : j - u];
    }
    return result;
}

TEST(CpuFilter, MatchesTheFormulasInDouble) {
    const std::vector<FilterSpec> specs = {{FilterWindow::ramLak, 1},
                                           {FilterWindow::sheppLogan, 1},
                                           {FilterWindow::cosine, 0.75},
                                           {FilterWindow::hamming, 0.5},
                                           {FilterWindow::hann, 1}};
    const ScanGeometry geometry = oddGeometry();
    for (const FilterSpec& spec : specs) {
        std::vector<float> views = randomViews(geometry, 11);
        const std::vector<double> expected = filteredDirectly(geometry, spec, views);
        CpuFilter filter(alignedViews(geometry), spec, planRedundancy(geometry), 2);
        filter.apply(spanOf(views, geometry), 0, 0, {});
        double error = 0;
        double norm = 0;
        for (std::size_t i = 0; i < views.size(); ++i) {
            error += std::pow(static_cast<double>(views[i]) - expected[i], 2);
            norm += expected[i] * expected[i];
        }
        // Rounding of a float transform; a narrow window keeps less of the signal, not of the
        // rounding.
        EXPECT_LT(std::sqrt(error / norm), 1e-6) << name(spec.window);
    }
}

TEST(CpuFilter, SameBitsForAnyThreadsAndAnyCutOfTheWork) {
    ScanGeometry geometry = oddGeometry();
    geometry.cone().arcDeg = 300;
    const RedundancyPlan plan = planRedundancy(geometry);
    const std::vector<float> input = randomViews(geometry, 3);
    std::vector<float> whole = input;
    CpuFilter(alignedViews(geometry), {}, plan, 1).apply(spanOf(whole, geometry), 0, 0, {});

    const Index nU = geometry.detector.columns;
    const Index nV = geometry.detector.rows;
    for (const int threads : {1, 3, 8}) {
        std::vector<float> views = input;
        CpuFilter(alignedViews(geometry), {}, plan, threads)
            .apply(spanOf(views, geometry), 0, 0, {});
        EXPECT_EQ(views, whole) << threads << " threads";

        CpuFilter filter(alignedViews(geometry), {}, plan, threads);
        for (Index s = 0; s < geometry.views(); ++s) {
            for (Index v = 0; v < nV; v += 7) {
                const Index rows = std::min<Index>(7, nV - v);
                const float* from = input.data() + (s * nV + v) * nU;
                std::vector<float> part(from, from + rows * nU);
                filter.apply({part.data(), 1, rows, nU}, s, v, {});
                EXPECT_TRUE(
                    std::equal(part.begin(), part.end(), whole.data() + (from - input.data())))
                    << "view " << s << ", rows from " << v;
            }
        }
    }
}

TEST(CpuFilter, RefusesRowsAndViewsThatAreNotTheScans) {
    const ScanGeometry geometry = oddGeometry();
    CpuFilter filter(alignedViews(geometry), {}, planRedundancy(geometry), 1);
    std::vector<float> views = randomViews(geometry, 1);
    EXPECT_ERROR(filter.apply({views.data(), 1, 1, 76}, 0, 0, {}), InternalError, "another length");
    EXPECT_ERROR(filter.apply(spanOf(views, geometry), 1, 0, {}), InternalError, "beyond the scan");
}

}  // namespace
}  // namespace gantry
