#pragma once

#include <memory>
#include <string>

#include "core/engine/device_engine.h"

namespace gantry::test {

/// An aligned, centred scan of a full circle; the detector is 400 mm wide.
inline ScanGeometry circularScanOf(Index views, Index columns, Index rows) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().views = views;
    geometry.detector.columns = columns;
    geometry.detector.rows = rows;
    geometry.detector.pitchMm = {400.0 / static_cast<double>(columns),
                                 400.0 / static_cast<double>(columns)};
    return geometry;
}

inline Acquisition acquisitionOf(Index views, Index columns, Index rows) {
    const ScanGeometry geometry = circularScanOf(views, columns, rows);
    SourceInfo info;
    info.views = views;
    info.rows = rows;
    info.columns = columns;
    info.pixelType = PixelType::uint16;
    auto calibration = std::make_shared<DetectorCalibration>();
    calibration->rows = rows;
    calibration->columns = columns;
    return {info,
            ProjectionKind::attenuation,
            calibration,
            Rectifier(geometry),
            planRedundancy(geometry),
            alignedViews(geometry)};
}

/// The grid of so many voxels across that fits what the aligned detector sees.
inline VolumeGrid gridOf(const AlignedViews& views, Index voxelsAlongX) {
    const AlignedDetector& detector = views.detector;
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = detector.axisDistanceMm;
    geometry.cone().sourceToDetectorMm = detector.distanceMm;
    geometry.cone().views = views.views;
    geometry.detector = {.columns = detector.columns,
                         .rows = detector.rows,
                         .pitchMm = detector.pitchMm,
                         .offsetMm = detector.centerMm};
    return fitGrid(geometry, voxelsAlongX);
}

/// A job on all of a scan, in one slab, for filtered views; the kernel is still to be chosen.
inline DeviceJob jobOn(const Acquisition& acquisition, Index voxelsAlongX) {
    DeviceJob job;
    job.acquisition = &acquisition;
    job.volume = gridOf(acquisition.geometry, voxelsAlongX);
    job.batchViews = 32;
    job.maxRows = acquisition.geometry.detector.rows;
    job.maxSlices = job.volume.voxels[2];
    job.chunkSlices = 16;
    return job;
}

}  // namespace gantry::test
