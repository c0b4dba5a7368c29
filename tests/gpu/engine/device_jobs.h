#pragma once

#include <memory>
#include <string>

#include "core/recon/device_engine.h"
#include "core/recon/open_scan.h"

namespace gantry::test {

/// A source that has a size and a type, but no pixels.
class EmptySource final : public ProjectionSource {
  public:
    explicit EmptySource(const SourceInfo& info) : m_info(info) {}
    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index, IndexRange, std::span<std::byte>) const override {}
    [[nodiscard]] std::string viewName(Index) const override { return "a view"; }

  private:
    SourceInfo m_info;
};

/// An aligned, centred scan of a full circle; the detector is 400 mm wide.
inline OpenScan scanInMemory(Index views, Index columns, Index rows) {
    ScanGeometry geometry;
    geometry.sourceToIsocenterMm = 600;
    geometry.sourceToDetectorMm = 1200;
    geometry.views = views;
    geometry.detector.columns = columns;
    geometry.detector.rows = rows;
    geometry.detector.pitchMm = {400.0 / static_cast<double>(columns),
                                 400.0 / static_cast<double>(columns)};
    SourceInfo info;
    info.views = views;
    info.rows = rows;
    info.columns = columns;
    info.pixelType = PixelType::uint16;
    ScanFile description;
    description.geometry = geometry;
    description.projections.kind = ProjectionKind::attenuation;
    auto calibration = std::make_shared<DetectorCalibration>();
    calibration->rows = rows;
    calibration->columns = columns;
    return {description,
            std::make_shared<EmptySource>(info),
            calibration,
            Rectifier(geometry),
            planRedundancy(geometry),
            {},
            geometry};
}

/// A job on all of a scan, in one slab, for filtered views; the kernel is still to be chosen.
inline DeviceJob jobOn(const OpenScan& scan, Index voxelsAlongX) {
    DeviceJob job;
    job.scan = &scan;
    job.volume = fitGrid(scan.geometry, voxelsAlongX);
    job.batchViews = 32;
    job.mostRows = scan.geometry.detector.rows;
    job.mostSlices = job.volume.voxels[2];
    job.chunkSlices = 16;
    return job;
}

}  // namespace gantry::test
