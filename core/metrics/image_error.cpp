#include "core/metrics/image_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/metrics/plane_samples.h"
#include "core/metrics/ssim.h"

namespace gantry {
namespace {

// Sums of one slice; slices are added in order, so that threads do not change the result.
struct Sums {
    double squaredError = 0;
    double squaredTruth = 0;
    double absoluteError = 0;
    double maxError = 0;
    double smallest = std::numeric_limits<double>::infinity();
    double largest = -std::numeric_limits<double>::infinity();
    Index maxErrorAt = 0;  // [z][y][x], as one number
    Index voxels = 0;
    Index notFinite = 0;

    void add(float image, float truth, Index at) {
        if (!std::isfinite(image) || !std::isfinite(truth)) {
            ++notFinite;
            return;
        }
        const auto t = static_cast<double>(truth);
        const double error = std::abs(static_cast<double>(image) - t);
        squaredError += error * error;
        squaredTruth += t * t;
        absoluteError += error;
        if (error > maxError) {
            maxError = error;
            maxErrorAt = at;
        }
        smallest = std::min(smallest, t);
        largest = std::max(largest, t);
        ++voxels;
    }

    Sums& operator+=(const Sums& other) {
        squaredError += other.squaredError;
        squaredTruth += other.squaredTruth;
        absoluteError += other.absoluteError;
        if (other.maxError > maxError) {
            maxError = other.maxError;
            maxErrorAt = other.maxErrorAt;
        }
        smallest = std::min(smallest, other.smallest);
        largest = std::max(largest, other.largest);
        voxels += other.voxels;
        notFinite += other.notFinite;
        return *this;
    }
};

// sliceOf: the sums of slice z
template <class SliceOf>
Sums sumsOf(Index slices, int threads, const std::stop_token& stop, SliceOf sliceOf) {
    std::vector<Sums> sums(slices);
    const auto addSlices = [&](Index begin, Index end, int) {
        for (Index z = begin; z < end; ++z)
            sums[z] = sliceOf(z);
    };
    parallelFor(threads, slices, 1, addSlices, stop);
    Sums total;
    for (const Sums& slice : sums)
        total += slice;
    return total;
}

// a / b, but 0 / 0 is 0: no error is no relative error.
double ratio(double a, double b) {
    if (b > 0) return a / b;
    return a > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double rangeOf(const Sums& sums) {
    if (sums.largest > sums.smallest) return sums.largest - sums.smallest;
    return sums.largest != 0 ? std::abs(sums.largest) : 1;
}

// Computes everything except SSIM. shape: voxels along x, y, z
ImageError errorOf(const Sums& sums, const std::array<Index, 3>& shape, double peak) {
    if (sums.voxels == 0)
        throwError<InputError>(
            "All {} voxels to compare are NaN or infinite; at least one must be finite.",
            sums.notFinite);
    const auto n = static_cast<double>(sums.voxels);
    ImageError error;
    error.rmse = std::sqrt(sums.squaredError / n);
    error.relativeRmse = ratio(error.rmse, std::sqrt(sums.squaredTruth / n));
    error.mae = sums.absoluteError / n;
    error.maxError = sums.maxError;
    error.maxErrorAt = {sums.maxErrorAt % shape[0], sums.maxErrorAt / shape[0] % shape[1],
                        sums.maxErrorAt / (shape[0] * shape[1])};
    error.peak = peak > 0 ? peak : rangeOf(sums);
    error.psnrDb = 20 * std::log10(ratio(error.peak, error.rmse));
    error.ssim = std::numeric_limits<double>::quiet_NaN();
    error.voxels = sums.voxels;
    error.notFinite = sums.notFinite;
    return error;
}

}  // namespace

ImageError imageError(Span3<const float> image, Span3<const float> truth, double peak,
                      Span3<const unsigned char> mask, int threads, const std::stop_token& stop) {
    checkSameShape("volume", shapeOf(image), "true volume", shapeOf(truth));
    if (mask.data()) checkSameShape("mask", shapeOf(mask), "true volume", shapeOf(truth));
    const Index pixels = truth.size(1) * truth.size(2);
    const Sums sums = sumsOf(truth.size(0), threads, stop, [&](Index z) {
        const unsigned char* counts = mask.data() ? mask.row(z, 0) : nullptr;
        Sums slice;
        for (Index i = 0; i < pixels; ++i)
            if (!counts || counts[i] != 0)
                slice.add(image.row(z, 0)[i], truth.row(z, 0)[i], z * pixels + i);
        return slice;
    });
    ImageError error = errorOf(sums, shapeOf(image), peak);
    error.ssim = meanSsim(image, truth, error.peak, threads, stop);
    return error;
}

ImageError resampledError(Span3<const float> image, const VolumeGrid& imageGrid,
                          Span3<const float> truth, const VolumeGrid& truthGrid, int threads,
                          const std::stop_token& stop) {
    const Index pixels = image.size(1) * image.size(2);
    const Vec3 columnStep = {imageGrid.pitchMm[0], 0, 0};
    const Vec3 rowStep = {0, imageGrid.pitchMm[1], 0};
    const Sums sums = sumsOf(image.size(0), threads, stop, [&](Index z) {
        const PixelPlane slicePlane = planeIn(
            truthGrid, imageGrid.positionMm(0, 0, static_cast<double>(z)), columnStep, rowStep);
        std::vector<float> there(pixels);
        samplePlane(truth, slicePlane, image.size(2), image.size(1), there.data(), 1, stop);
        Sums slice;
        for (Index i = 0; i < pixels; ++i) {
            const float value = there[i];
            if (!std::isnan(value)) slice.add(image.row(z, 0)[i], value, z * pixels + i);
        }
        return slice;
    });
    if (sums.voxels + sums.notFinite == 0) throw InputError("The volumes have no place in common.");
    return errorOf(sums, shapeOf(image), 0);
}

}  // namespace gantry
