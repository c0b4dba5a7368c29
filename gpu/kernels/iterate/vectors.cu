#include "gpu/kernels/iterate/vectors.h"

#include "gpu/kernels/iterate/voxels.cuh"

namespace gantry::gpu {

namespace {

constexpr int kThreads = 256;

template <class Work>
__global__ void __launch_bounds__(kThreads) floatsKernel(const Work work, std::int64_t count) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i < count) work(i);
}

template <class Work>
cudaError_t forFloats(const Work& work, std::int64_t count, cudaStream_t stream) {
    if (count <= 0) return cudaSuccess;
    const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
    floatsKernel<<<blocks, kThreads, 0, stream>>>(work, count);
    return cudaGetLastError();
}

struct Combine {
    float alpha;
    const float* x;
    float beta;
    float* y;

    __device__ void operator()(std::int64_t i) const {
        y[i] = beta == 0 ? alpha * x[i] : alpha * x[i] + beta * y[i];
    }
};

struct Constrain {
    ColumnConstraint constraint;
    float* x;

    __device__ void operator()(std::int64_t column, std::int64_t i) const {
        x[i] = constraint.applied(x[i], column, i);
    }
};

struct AddStep {
    ColumnConstraint constraint;
    float omega;
    const float* columnWeights;
    const float* gradient;
    float* x;

    __device__ void operator()(std::int64_t column, std::int64_t i) const {
        x[i] = constraint.applied(x[i] + omega * columnWeights[i] * gradient[i], column, i);
    }
};

struct MaskOut {
    ColumnConstraint constraint;
    bool isFilled;
    float* x;

    __device__ void operator()(std::int64_t column, std::int64_t i) const {
        if (!constraint.isFree(column, i))
            x[i] = 0;
        else if (isFilled)
            x[i] = 1;
    }
};

struct MakeMask {
    const float* x;
    unsigned char* mask;

    __device__ void operator()(std::int64_t i) const { mask[i] = x[i] != 0 ? 1 : 0; }
};

struct KeepLarger {
    const float* values;
    float* largest;

    __device__ void operator()(std::int64_t i) const { largest[i] = fmaxf(largest[i], values[i]); }
};

struct InvertColumn {
    ColumnConstraint constraint;
    float min;
    float* weights;

    __device__ void operator()(std::int64_t column, std::int64_t i) const {
        weights[i] = weights[i] > min && constraint.isFree(column, i) ? 1 / weights[i] : 0.0F;
    }
};

struct RayWeight {
    UsedRays rays;
    RayWeightKind kind;
    double meanCount;
    float* weights;

    __device__ void operator()(std::int64_t i) const {
        double weight = 1;
        if (kind == RayWeightKind::chord) weight = 1.0 / rays.chords[i];
        if (kind == RayWeightKind::counts) weight = rays.counts[i] / meanCount;
        weights[i] = rays.contains(i) ? static_cast<float>(weight) : 0.0F;
    }
};

// A thread has every kThreads-th float of a view.
__global__ void __launch_bounds__(kThreads)
    countInvalidKernel(const float* __restrict__ integrals, const float* __restrict__ counts,
                       const OwnRows own, std::int64_t viewFloats, unsigned* __restrict__ invalid) {
    const std::int64_t first = blockIdx.x * viewFloats;
    unsigned found = 0;
    for (std::int64_t i = first + threadIdx.x; i < first + viewFloats; i += kThreads) {
        const bool hasCount = !counts || (isfinite(counts[i]) && counts[i] >= 0);
        if (own.contains(i) && (!isfinite(integrals[i]) || !hasCount)) ++found;
    }
    if (found > 0) atomicAdd(&invalid[blockIdx.x], found);
}

}  // namespace

cudaError_t combine(float alpha, const float* x, float beta, float* y, std::int64_t count,
                    cudaStream_t stream) {
    return forFloats(Combine{alpha, x, beta, y}, count, stream);
}

cudaError_t constrain(const ColumnLayout& layout, const ColumnConstraint& constraint, float* x,
                      cudaStream_t stream) {
    return forVoxels(Constrain{constraint, x}, layout, stream);
}

cudaError_t addStep(const ColumnLayout& layout, const ColumnConstraint& constraint, float omega,
                    const float* columnWeights, const float* gradient, float* x,
                    cudaStream_t stream) {
    return forVoxels(AddStep{constraint, omega, columnWeights, gradient, x}, layout, stream);
}

cudaError_t maskOut(const ColumnLayout& layout, const ColumnConstraint& constraint, bool isFilled,
                    float* x, cudaStream_t stream) {
    return forVoxels(MaskOut{constraint, isFilled, x}, layout, stream);
}

cudaError_t makeMask(const float* x, std::int64_t count, unsigned char* mask, cudaStream_t stream) {
    return forFloats(MakeMask{x, mask}, count, stream);
}

cudaError_t keepLarger(const float* values, float* largest, std::int64_t count,
                       cudaStream_t stream) {
    return forFloats(KeepLarger{values, largest}, count, stream);
}

cudaError_t invertColumns(const ColumnLayout& layout, const ColumnConstraint& constraint, float min,
                          float* columnWeights, cudaStream_t stream) {
    return forVoxels(InvertColumn{constraint, min, columnWeights}, layout, stream);
}

cudaError_t makeRayWeights(const UsedRays& rays, RayWeightKind kind, double meanCount,
                           float* weights, cudaStream_t stream) {
    return forFloats(RayWeight{rays, kind, meanCount, weights}, rays.count, stream);
}

cudaError_t countInvalidRays(const float* integrals, const float* counts, const OwnRows& own,
                             int views, std::int64_t viewFloats, unsigned* invalid,
                             cudaStream_t stream) {
    countInvalidKernel<<<static_cast<unsigned>(views), kThreads, 0, stream>>>(
        integrals, counts, own, viewFloats, invalid);
    return cudaGetLastError();
}

}  // namespace gantry::gpu
