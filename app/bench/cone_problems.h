#pragma once

#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// Published rates for a problem, or those of other programs' own kernels on an NVIDIA H200, in
/// GUPS without copies; 0 if there is none.
struct PublishedRates {
    double l1TranV100 = 0;  ///< the fastest kernel of iFDK's table 4, on a V100
    double rtk = 0;
    double rtk32 = 0;  ///< RTK with exact interpolation in fp32
    double astra = 0;
    double tigre = 0;
    double leap = 0;
};

/// A scan with a square detector and the volume to reconstruct.
struct ConeProblem {
    std::string name;   ///< "512-1kx2k", for the command line
    std::string title;  ///< "512² × 1k → 1k² × 2k"
    ScanGeometry geometry;
    VolumeGrid grid;
    PublishedRates published;
    std::vector<std::string> options{};  ///< more words for `gantry reconstruct`
};

/// The fifteen problems of iFDK's table 4, in its order: 1024 views of a full circle at 600 and
/// 1200 mm, a detector 410 mm wide and high, and a cube about the isocentre, 5/6 as wide as the
/// detector's image there; all views see it but for its corners.
[[nodiscard]] std::vector<ConeProblem> paperProblems();

/// Typical requests of users: the volume that is fitted to a scan's field of view by default, for
/// detectors of half, one and two times `columns`; for one time also the cube of 5/6, a high
/// magnification, a wide cone, a volume of half as many voxels across, a region off the axis at
/// half the pitch, a short scan and a rolled detector.
[[nodiscard]] std::vector<ConeProblem> defaultGrids(Index columns = 1024, Index views = 1024);

/// The default volume from views that are corrected: by each correction that takes more than a
/// moment, and by several together.
[[nodiscard]] std::vector<ConeProblem> correctedScans(Index columns = 1024, Index views = 1024);

/// The default volume of one of them, from views whose sources and detectors were moved by up to 2
/// % of the source's distance and rotated by up to 2°: calibrated poses.
[[nodiscard]] ConeProblem posedProblem(Index columns = 1024, Index views = 1024);

}  // namespace gantry
