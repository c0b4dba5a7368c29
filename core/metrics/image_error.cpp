#include "core/metrics/image_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/metrics/same_shape.h"
#include "core/metrics/ssim.h"

namespace gantry {
namespace {

// Of one slice; slices are added in order, so that threads do not change the sum.
struct Sums {
    double squaredError = 0;
    double squaredTruth = 0;
    double absoluteError = 0;
    double maxError = 0;
    double smallest = std::numeric_limits<double>::infinity();
    double largest = -std::numeric_limits<double>::infinity();
    Index voxels = 0;
    Index notFinite = 0;

    void add(float image, float truth) {
        if (!std::isfinite(image) || !std::isfinite(truth)) {
            ++notFinite;
            return;
        }
        const auto t = static_cast<double>(truth);
        const double error = std::abs(static_cast<double>(image) - t);
        squaredError += error * error;
        squaredTruth += t * t;
        absoluteError += error;
        maxError = std::max(maxError, error);
        smallest = std::min(smallest, t);
        largest = std::max(largest, t);
        ++voxels;
    }

    Sums& operator+=(const Sums& other) {
        squaredError += other.squaredError;
        squaredTruth += other.squaredTruth;
        absoluteError += other.absoluteError;
        maxError = std::max(maxError, other.maxError);
        smallest = std::min(smallest, other.smallest);
        largest = std::max(largest, other.largest);
        voxels += other.voxels;
        notFinite += other.notFinite;
        return *this;
    }
};

Sums sumsOf(Span3<const float> image, Span3<const float> truth, Span3<const unsigned char> mask,
            int threads) {
    std::vector<Sums> slices(static_cast<std::size_t>(truth.size(0)));
    const Index pixels = truth.size(1) * truth.size(2);
    parallelFor(threads, truth.size(0), 1, [&](Index begin, Index end, int) {
        for (Index z = begin; z < end; ++z) {
            const unsigned char* counts = mask.data() ? mask.row(z, 0) : nullptr;
            Sums sums;
            for (Index i = 0; i < pixels; ++i)
                if (!counts || counts[i] != 0) sums.add(image.row(z, 0)[i], truth.row(z, 0)[i]);
            slices[static_cast<std::size_t>(z)] = sums;
        }
    });
    Sums total;
    for (const Sums& slice : slices)
        total += slice;
    return total;
}

// a / b where 0 / 0 is 0: no error is no relative error.
double ratio(double a, double b) {
    if (b > 0) return a / b;
    return a > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double rangeOf(const Sums& sums) {
    if (sums.largest > sums.smallest) return sums.largest - sums.smallest;
    return sums.largest != 0 ? std::abs(sums.largest) : 1;
}

}  // namespace

ImageError imageError(Span3<const float> image, Span3<const float> truth, double peak,
                      Span3<const unsigned char> mask, int threads) {
    checkSameShape("volume", shapeOf(image), "true volume", shapeOf(truth));
    if (mask.data()) checkSameShape("mask", shapeOf(mask), "true volume", shapeOf(truth));
    const Sums sums = sumsOf(image, truth, mask, threads);
    if (sums.voxels == 0)
        throw InputError(fmt::format(
            "All {} voxels to compare are NaN or infinite; at least one must be finite.",
            sums.notFinite));
    const auto n = static_cast<double>(sums.voxels);
    ImageError error;
    error.rmse = std::sqrt(sums.squaredError / n);
    error.relativeRmse = ratio(error.rmse, std::sqrt(sums.squaredTruth / n));
    error.mae = sums.absoluteError / n;
    error.maxError = sums.maxError;
    error.peak = peak > 0 ? peak : rangeOf(sums);
    error.psnrDb = 20 * std::log10(ratio(error.peak, error.rmse));
    error.ssim = meanSsim(image, truth, error.peak, threads);
    error.voxels = sums.voxels;
    error.notFinite = sums.notFinite;
    return error;
}

}  // namespace gantry
