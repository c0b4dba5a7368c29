#pragma once

#include <span>
#include <string>

#include "core/geometry/scan_geometry.h"
#include "core/io/projection_source.h"
#include "core/phantom/phantom.h"

namespace gantry {

/// Views of a phantom, as line integrals, computed when they are read: nothing is stored.
/// Tests: tests/core/verify/verify_run_test.cpp
class PhantomSource final : public ProjectionSource {
  public:
    /// blurPx: standard deviation of the Gaussian with which focal spot and detector blur every
    /// view, pixels; 0: none
    PhantomSource(Phantom phantom, const ScanGeometry& geometry, double blurPx);

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;
    [[nodiscard]] std::string viewName(Index view) const override;

  private:
    void readBlurred(Index view, IndexRange rows, std::span<float> out) const;

    Phantom m_phantom;
    ScanGeometry m_geometry;
    SourceInfo m_info;
    std::vector<float> m_kernel;  ///< half of it, from its middle; empty: no blur
};

}  // namespace gantry
