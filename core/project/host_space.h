#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/geometry/volume_grid.h"
#include "core/iterate/iteration_space.h"
#include "core/iterate/subsets.h"
#include "core/project/own_rays.h"
#include "core/project/projection_space.h"
#include "core/project/projector.h"
#include "core/project/space_peers.h"
#include "core/project/voxel_constraint.h"

namespace gantry {

struct HostSpaceOptions {
    int threads = 1;
    Index slabSlices = 0;    ///< of the volume that the projector holds at a time; 0: all
    bool hasCounts = false;  ///< setViews() gets counts
    /// The spaces that have the other parts of the problem; null: this space has all of it. It
    /// outlives the space.
    SpacePeers* peers = nullptr;
};

/// A method's vectors in host memory, and a projector for A and Aᵀ. With peers it has one part of
/// the problem: its shape() is that of the part, but the slices of vectors are numbered through the
/// whole volume. Then all parts call the same functions in the same order; read() of slices gives
/// all of them to each, and write() takes those of its part.
/// Tests: tests/core/project/host_space_test.cpp, tests/core/recon/rank_peers_test.cpp
class HostSpace final : public ProjectionSpace {
  public:
    /// views: of the scan, in its order; stored as the subsets have them
    /// views, grid: of the whole problem
    HostSpace(const ProjectedViews& views, const VolumeGrid& grid, const Subsets& subsets,
              const HostSpaceOptions& options, const MakeProjector& makeProjector);

    void setViews(IndexRange views, Span3<const float> integrals,
                  Span3<const float> counts = {}) override;
    void setMask(Span3<const unsigned char> mask) override;

    [[nodiscard]] std::unique_ptr<IterationVector> make(VectorKind kind, Index views) override;
    void write(IterationVector& vector, Index first, std::span<const float> values) override;
    void read(const IterationVector& vector, Index first, std::span<float> out) override;
    void readHeld(const IterationVector& vector, Index first, std::span<float> out) override;
    void combine(double alpha, const IterationVector& x, double beta, IterationVector& y) override;
    [[nodiscard]] double dot(const IterationVector& a, const IterationVector& b) override;
    [[nodiscard]] ResidualSums sumsOf(const IterationVector& r) override;
    void constrain(IterationVector& x) override;
    [[nodiscard]] InvalidRays findInvalidRays() override;
    PreparedViews prepare(const Preparation& preparation, const std::stop_token& stop) override;
    ResidualSums residual(const IterationVector& x, IndexRange views, IterationVector& r,
                          const std::stop_token& stop) override;
    void update(IterationVector& x, double omega, const IterationVector& r, IndexRange views,
                const std::stop_token& stop) override;
    void project(const IterationVector& p, IterationVector& q,
                 const std::stop_token& stop) override;
    void adjoint(const IterationVector& r, IterationVector& s,
                 const std::stop_token& stop) override;
    double flatten(IterationVector& x, IterationVector& dual, double weight, Index steps,
                   const std::stop_token& stop) override;

    /// Host memory that a method takes at its peak, bytes, with the views and all vectors.
    /// shape: of the part that a space has; allSlices: of the whole volume
    [[nodiscard]] static Index bytesNeeded(const SpaceShape& shape, const IterativeMethod& method,
                                           Index projectorBytes, Index allSlices);

  private:
    static constexpr Index kViewsAtOnce = 32;  // that are weighted for the adjoint

    template <class Work>
    void forEachSlab(const Work& work) const;
    template <class Load>
    void sumRays(IndexRange views, const Load& load, float* out, const std::stop_token& stop);
    template <class Load, class Take>
    void spreadRays(IndexRange views, const Load& load, const Take& take,
                    const std::stop_token& stop);
    void setSlab(IndexRange slab, const float* volume);
    void setMaskSlab(IndexRange slab);
    void makeColumnWeights(const HostBuffer<float>& chords, const std::stop_token& stop);
    [[nodiscard]] auto weightedRays(const IterationVector& r, IndexRange views) const;
    [[nodiscard]] ResidualSums sumsOf(const float* rays, IndexRange views);

    NoPeers m_none;
    SpacePeers& m_peers;
    VolumeGrid m_grid;  // of the part
    OwnRays m_ownRays;
    Subsets m_subsets;
    std::vector<Index> m_order;  // the scan's view at each place
    HostSpaceOptions m_options;
    std::unique_ptr<Projector> m_projector;
    VoxelConstraint m_constraint;
    Preparation m_preparation;
    HostBuffer<float> m_integrals;      // b, stored as the subsets have them
    HostBuffer<float> m_counts;         // n, likewise; or empty
    HostBuffer<float> m_weights;        // M
    HostBuffer<float> m_columnWeights;  // C
    HostBuffer<float> m_slices;         // some slices, on their way to or from the projector
    HostBuffer<float> m_rays;           // some views, likewise
    HostBuffer<float> m_spare;          // a volume, for flatten()
};

/// The voxels of a slice that lie within the field of view, [y][x]: 1, else 0.
/// Tests: tests/core/project/host_space_test.cpp
[[nodiscard]] std::vector<unsigned char> fieldOfViewMask(const VolumeGrid& grid,
                                                         const FieldOfView& field);

}  // namespace gantry
