#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/span3.h"
#include "core/geometry/scan_geometry.h"
#include "core/io/volume/stored_volume.h"
#include "core/project/cpu_projector.h"
#include "core/project/projector.h"
#include "core/simulate/simulate_scan.h"

namespace gantry {

/// A volume's line integrals in the views of a scan.
struct VolumeProjectionSpec {
    std::filesystem::path volume;
    std::filesystem::path scan;  ///< where the geometry is from, for the record
    std::string name;            ///< of the scan that is made
    ScanGeometry geometry;
    /// Changes line integrals before they are stored, [s][v][u] of views [views.begin, views.end);
    /// empty: nothing does.
    std::function<void(IndexRange views, Span3<float> integrals)> change;
    std::string changedInto;       ///< what is then stored, for the record
    std::vector<Index> skipViews;  ///< of the scan that is made
    bool deflate = false;
    Index memoryBytes = 0;  ///< that it may take
    MakeProjector makeProjector = [](ProjectedViews views, int threads) {
        return makeCpuProjector(std::move(views), threads);
    };
    Index deviceMemoryBytes = 0;  ///< that the projector may take; 0: it takes the host's
};

struct VolumeProjectionResult {
    std::filesystem::path scanFile;
    Index bytes = 0;        ///< of all files
    Index slabSlices = 0;   ///< of the volume that were in memory together
    Index memoryBytes = 0;  ///< that it has planned with
};

/// Projects any volume that openStoredVolume() opens and writes scan.json, projection.json and a
/// TIFF file of 32-bit line integrals for each view, as simulateScan() does. A volume or views that
/// do not fit the memory are worked on in parts.
/// @param replace  a simulation in `folder`, or projections, may be replaced
/// @throws InputError   the volume or geometry cannot be used, or `folder` contains something
/// @throws ResourceError  memory or disk do not suffice
/// @throws Cancelled; nothing is left then
/// Tests: tests/cli/test_project.py
VolumeProjectionResult projectVolume(const VolumeProjectionSpec& spec,
                                     const std::filesystem::path& folder, bool replace,
                                     const SimulationContext& context);

}  // namespace gantry
