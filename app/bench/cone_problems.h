#pragma once

#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// Published figures of a problem, or those of other programs' own kernels on an NVIDIA H200, in
/// GUPS without copies; 0 where there is none.
struct PublishedRates {
    double l1TranV100 = 0;  ///< the fastest kernel of iFDK's table 4, on a V100
    double rtk = 0;
    double rtk32 = 0;  ///< RTK with exact interpolation in fp32
    double astra = 0;
    double tigre = 0;
    double leap = 0;
};

/// A problem of iFDK's table 4: nU² pixels × 1024 views → nX² × nZ voxels.
struct ConeProblem {
    Index nU = 0;
    Index nX = 0;
    Index nZ = 0;
    PublishedRates published;

    /// A full circle at 600 and 1200 mm, whose detector is 410 mm wide and high.
    [[nodiscard]] ScanGeometry geometry() const;
    /// A cube about the isocentre, 5/6 as wide as the detector's image there; all views see it but
    /// for its corners.
    [[nodiscard]] VolumeGrid grid() const;
    [[nodiscard]] std::string name() const;   ///< "512-1kx2k", to be typed
    [[nodiscard]] std::string title() const;  ///< "512² × 1k → 1k² × 2k"
};

/// All fifteen, in the table's order.
[[nodiscard]] const std::vector<ConeProblem>& coneProblems();

}  // namespace gantry
