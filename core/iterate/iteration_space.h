#pragma once

#include <array>
#include <memory>
#include <span>
#include <stop_token>

#include "core/base/types.h"
#include "core/iterate/method.h"
#include "core/iterate/subsets.h"

namespace gantry {

/// The sizes of a problem A x ≈ b.
struct SpaceShape {
    std::array<Index, 3> voxels{};  ///< Nx, Ny, Nz
    Index views = 0;
    Index rows = 0;
    Index columns = 0;
    bool hasCounts = false;  ///< whether counts of the rays are known

    [[nodiscard]] Index sliceVoxels() const { return voxels[0] * voxels[1]; }
    [[nodiscard]] Index viewRays() const { return rows * columns; }
};

enum class VectorKind {
    volume,    ///< [z][y][x]; parts are slices
    gradient,  ///< [z][axis][y][x], axes x, y, z; parts are slices
    views,     ///< [s][v][u] of stored views; parts are views
};

/// An array of floats that lives where its space works: on a GPU, several, in host memory, by
/// ranks. Only the space that made it knows its type.
class IterationVector {
  public:
    IterationVector(VectorKind kind, Index parts, Index partCount)
        : m_kind(kind), m_parts(parts), m_partCount(partCount) {}
    virtual ~IterationVector() = default;
    IterationVector(const IterationVector&) = delete;
    IterationVector& operator=(const IterationVector&) = delete;

    [[nodiscard]] VectorKind kind() const { return m_kind; }
    [[nodiscard]] Index parts() const { return m_parts; }          ///< slices or views
    [[nodiscard]] Index partCount() const { return m_partCount; }  ///< floats of each

  private:
    VectorKind m_kind;
    Index m_parts;
    Index m_partCount;
};

/// The diagonal matrix M by which residuals are weighted. A ray whose chord (its sum in A of ones
/// in the mask) is under 1 % of the longest gets 0, and so does one whose count is 0, whatever the
/// weights are.
enum class RowWeights {
    one,     ///< 1, for CGLS
    chord,   ///< 1 over the chord, 1/mm, for SIRT and its like
    counts,  ///< the counts over the mean count of the used rays
};

/// What a method tells the space once, before anything else.
struct Preparation {
    RowWeights weights = RowWeights::one;
    Index subsets = 1;  ///< as the views are stored
    bool hasColumnWeights = false;
    VoxelBounds bounds = {};  ///< infinite for CGLS
    double modelError = 0;    ///< see StopRules
};

/// What the space has found out by preparing.
struct PreparedViews {
    /// Mean attenuation along the rays that pass the object, 1/mm: Σ M·b² / Σ M·b·chord. Rays count
    /// by their line integrals, so that it does not depend on how much of the volume is empty.
    double level = 0;
    Index usedRays = 0;          ///< whose weight is not 0
    double weightedSquares = 0;  ///< Σ M b²
};

/// Rays with which nothing can be computed.
struct InvalidRays {
    Index count = 0;      ///< whose b is not finite, or whose count is not finite or negative
    Index firstView = 0;  ///< of the scan, not as stored
};

/// What residuals r say of some rays.
struct ResidualSums {
    double weightedSquares = 0;  ///< Σ M r²
    /// Σ r² / (1/n + (modelError·b)²) over rays of weight; 0 where counts are not known
    double chiSquares = 0;

    ResidualSums& operator+=(const ResidualSums& other) {
        weightedSquares += other.weightedSquares;
        chiSquares += other.chiSquares;
        return *this;
    }
};

/// Where a method's vectors live, with the operator A, the views b, their counts n and the mask,
/// which whoever makes the space gives to it: the only thing that a method knows of geometry,
/// devices and ranks. Every operation is one kernel on a GPU or a few, and can be done slab by slab
/// or batch by batch where memory is short.
///
/// A is only applied to volumes that are 0 outside the mask. Sums are in double and do not depend
/// on the number of threads; the same operations on the same space give the same bits. A space is
/// used by one thread at a time. Operations with a stop token throw Cancelled and leave what they
/// write unusable; all may throw ResourceError.
/// Tests: tests/core/iterate/, tests/core/project/host_space_test.cpp
class IterationSpace {
  public:
    explicit IterationSpace(const SpaceShape& shape) : m_shape(shape) {}
    virtual ~IterationSpace() = default;
    IterationSpace(const IterationSpace&) = delete;
    IterationSpace& operator=(const IterationSpace&) = delete;

    [[nodiscard]] const SpaceShape& shape() const { return m_shape; }

    /// A vector of zeros. views: how many stored views it has; of other kinds ignored
    [[nodiscard]] virtual std::unique_ptr<IterationVector> make(VectorKind kind,
                                                                Index views = 0) = 0;
    /// Replaces, or copies, the parts from `first` on: as many as the values fill.
    virtual void write(IterationVector& vector, Index first, std::span<const float> values) = 0;
    virtual void read(const IterationVector& vector, Index first, std::span<float> out) = 0;

    /// y ← α·x + β·y, of one kind; for β = 0 whatever y held.
    virtual void combine(double alpha, const IterationVector& x, double beta,
                         IterationVector& y) = 0;
    /// Σ a·b of volumes, Σ M·a·b of all views.
    [[nodiscard]] virtual double dot(const IterationVector& a, const IterationVector& b) = 0;
    /// The sums of r of all views, as residual() gives them.
    [[nodiscard]] virtual ResidualSums sumsOf(const IterationVector& r) = 0;
    /// x ← P x: 0 outside the mask, clamped to the bounds.
    virtual void constrain(IterationVector& x) = 0;

    /// Looks at b and n.
    [[nodiscard]] virtual InvalidRays findInvalidRays() = 0;
    /// Makes M, and C = 1/max over subsets m of A_mᵀ (M A 1), 0 outside the mask and where that sum
    /// is under 1e-6 of the largest. One C for all subsets takes one volume, and is no larger than
    /// any subset allows; with a single subset it is SIRT's. May be called again.
    virtual PreparedViews prepare(const Preparation& preparation, const std::stop_token& stop) = 0;

    /// r ← b − A x in stored views [views.begin, views.end); r has that many at least, from its
    /// first on.
    virtual ResidualSums residual(const IterationVector& x, IndexRange views, IterationVector& r,
                                  const std::stop_token& stop) = 0;
    /// x ← P[x + ω·C·Aᵀ M r] with r of stored views [views.begin, views.end), as residual() leaves
    /// it.
    virtual void update(IterationVector& x, double omega, const IterationVector& r,
                        IndexRange views, const std::stop_token& stop) = 0;
    /// q ← A p in all views. p is 0 outside the mask.
    virtual void project(const IterationVector& p, IterationVector& q,
                         const std::stop_token& stop) = 0;
    /// s ← Aᵀ M r of all views, 0 outside the mask.
    virtual void adjoint(const IterationVector& r, IterationVector& s,
                         const std::stop_token& stop) = 0;

    /// Takes x from v to about the minimum of ½|x − v|² + weight·Σ|∇x| within P, by so many steps
    /// of p ← Q[p + ∇P(v + weight·div p)/(weight·L)] from the given dual field on, and then x ← P(v
    /// + weight·div p). ∇ along an axis is (next voxel − voxel)·g, 0 at the last voxel, where g is
    /// the smallest pitch over the axis's; div is −∇ᵀ; L = 4·Σg²; Q shortens each voxel's vector to
    /// length 1. dual: a gradient; weight above 0, 1/mm
    /// @returns Σ|∇x| of the result
    virtual double flatten(IterationVector& x, IterationVector& dual, double weight, Index steps,
                           const std::stop_token& stop) = 0;

  private:
    SpaceShape m_shape;
};

}  // namespace gantry
