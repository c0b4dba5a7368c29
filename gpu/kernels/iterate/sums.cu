#include "gpu/kernels/iterate/sums.h"

#include "gpu/kernels/iterate/sums.cuh"

namespace gantry::gpu {

namespace {

struct Product {
    const float* a;
    const float* b;

    __device__ void operator()(std::int64_t i, double (&sums)[1]) const {
        sums[0] += static_cast<double>(a[i]) * b[i];
    }
};

struct RayProduct {
    const float* a;
    const float* b;
    const float* weights;
    OwnRows own;

    __device__ void operator()(std::int64_t i, double (&sums)[1]) const {
        if (own.contains(i)) sums[0] += static_cast<double>(a[i]) * b[i] * weights[i];
    }
};

struct Residual {
    RaysOfSum rays;
    float* r;
    bool isProjection;

    __device__ void operator()(std::int64_t i, double (&sums)[2]) const {
        if (isProjection) r[i] = rays.integrals[i] - r[i];
        if (!rays.own.contains(i)) return;
        const double value = r[i];
        const double weight = rays.weights[i];
        sums[0] += weight * value * value;
        if (!rays.counts || weight == 0) return;
        const double error = rays.modelError * rays.integrals[i];
        sums[1] += value * value / (1 / static_cast<double>(rays.counts[i]) + error * error);
    }
};

struct Largest {
    const float* values;

    __device__ void operator()(std::int64_t i, double (&sums)[1]) const {
        sums[0] = fmax(sums[0], static_cast<double>(values[i]));
    }
};

struct CountOfRay {
    UsedRays rays;
    OwnRows own;

    __device__ void operator()(std::int64_t i, double (&sums)[2]) const {
        if (!own.contains(i) || !rays.contains(i)) return;
        sums[0] += rays.counts[i];
        sums[1] += 1;
    }
};

struct Level {
    RaysOfSum rays;
    const float* chords;

    __device__ void operator()(std::int64_t i, double (&sums)[3]) const {
        if (!rays.own.contains(i)) return;
        const double weight = rays.weights[i];
        const double integral = rays.integrals[i];
        sums[0] += weight * integral * chords[i];
        sums[1] += weight * integral * integral;
        sums[2] += weight > 0 ? 1 : 0;
    }
};

}  // namespace

cudaError_t sumProducts(const float* a, const float* b, std::int64_t count, PartialSums sums,
                        cudaStream_t stream) {
    return launchSums<1, Add>(Product{a, b}, count, sums, stream);
}

cudaError_t sumRayProducts(const float* a, const float* b, const float* weights, const OwnRows& own,
                           std::int64_t count, PartialSums sums, cudaStream_t stream) {
    return launchSums<1, Add>(RayProduct{a, b, weights, own}, count, sums, stream);
}

cudaError_t sumResiduals(const RaysOfSum& rays, float* r, bool isProjection, PartialSums sums,
                         cudaStream_t stream) {
    return launchSums<2, Add>(Residual{rays, r, isProjection}, rays.count, sums, stream);
}

cudaError_t findLargest(const float* values, std::int64_t count, PartialSums largest,
                        cudaStream_t stream) {
    return launchSums<1, Larger>(Largest{values}, count, largest, stream);
}

cudaError_t sumCounts(const UsedRays& rays, const OwnRows& own, PartialSums sums,
                      cudaStream_t stream) {
    return launchSums<2, Add>(CountOfRay{rays, own}, rays.count, sums, stream);
}

cudaError_t sumLevels(const RaysOfSum& rays, const float* chords, PartialSums sums,
                      cudaStream_t stream) {
    return launchSums<3, Add>(Level{rays, chords}, rays.count, sums, stream);
}

}  // namespace gantry::gpu
