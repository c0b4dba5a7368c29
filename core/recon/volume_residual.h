#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>

#include "core/io/volume/stored_volume.h"
#include "core/project/projection_plan.h"
#include "core/project/projector.h"
#include "core/scan/open_scan.h"
#include "core/scan/view_preview.h"

namespace gantry {

/// The measured line integrals of a view minus those of a volume: what the volume does not explain.
struct ViewResidual {
    FloatImage image;        ///< no unit; on the detector as it is, also where it is tilted
    double measuredRms = 0;  ///< root mean square of what is measured
    double residualRms = 0;
};

/// Residuals of single views, by the projector of the CPU. A volume that fits the memory is read
/// once and kept; else it is read in parts for each view. One thread at a time.
/// Tests: tests/core/recon/volume_residual_test.cpp
class VolumeResidual {
  public:
    /// scan: corrected(); the residual is that of its line integrals, without those corrections
    /// that need every view. volume: any that openStoredVolume() opens
    /// @throws InputError  the volume cannot be used; ResourceError  a slice needs more memory
    VolumeResidual(std::shared_ptr<const OpenScan> scan, const std::filesystem::path& volume,
                   int threads, Index memoryBytes);

    /// view: of the scan's source @throws Cancelled, InputError
    [[nodiscard]] ViewResidual of(Index view, const std::stop_token& stop);

  private:
    void load(IndexRange slab, const std::stop_token& stop);

    std::shared_ptr<const OpenScan> m_scan;
    StoredVolume m_volume;
    int m_threads;
    std::unique_ptr<Projector> m_projector;
    ProjectionPlan m_plan;
    IndexRange m_loaded;
};

}  // namespace gantry
