#pragma once

#include <filesystem>

#include "core/scan/open_scan.h"
#include "core/simulate/simulate_scan.h"

namespace gantry::test {

inline constexpr int kThreads = 2;

/// A small scan of the usual shape: 600 mm to the axis, 1200 mm to the detector, a full circle.
inline SimulationSpec smallScan(Index views, Index columns, Index rows, double detectorWidthMm) {
    SimulationSpec spec;
    spec.geometry.cone().sourceToIsocenterMm = 600;
    spec.geometry.cone().sourceToDetectorMm = 1200;
    spec.geometry.cone().views = views;
    spec.geometry.detector.columns = columns;
    spec.geometry.detector.rows = rows;
    const double pitch = detectorWidthMm / static_cast<double>(columns);
    spec.geometry.detector.pitchMm = {pitch, pitch};
    return spec;
}

/// All of a source's views, [s][v][u].
inline HostBuffer<float> readAll(const ProjectionSource& source) {
    const SourceInfo& info = source.info();
    const auto pixels = static_cast<std::size_t>(info.rows * info.columns);
    HostBuffer<float> views(info.views * info.rows * info.columns);
    for (Index s = 0; s < info.views; ++s)
        readView(source, s, views.span().subspan(static_cast<std::size_t>(s) * pixels, pixels));
    return views;
}

inline ScanFile simulated(const SimulationSpec& spec, const std::filesystem::path& folder) {
    SimulationContext context;
    context.threads = kThreads;
    return readScanFile(simulateScan(spec, folder, false, context).scanFile);
}

}  // namespace gantry::test
