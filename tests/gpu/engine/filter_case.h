#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/engine/device_engine.h"
#include "tests/core/geometry/random_geometry.h"

namespace gantry::test {

/// A scan with random fields, some of whose pixels are bad, and views of it.
struct ScanCase {
    std::string name;
    PixelType type = PixelType::uint16;
    ProjectionKind kind = ProjectionKind::counts;
    ViewState handedOver = ViewState::stored;
    double arcDeg = 360;
    double offsetMm = 1.3;
    double poseDeg = 0;                  ///< 0: a circle; else poses so far off it, and as many mm
    bool isTilted = false;               ///< one detector for all views, which is not upright
    FilterRows along = FilterRows::own;  ///< of poses and tilted detectors
    double badShare = 0.01;
    double oddShare = 0.01;    ///< of pixels with counts that no scan should have
    bool hasDarkRows = false;  ///< some see nothing at all
    bool doesBeamDrift = false;
    FilterSpec filter = {};
    // Either side rounds its logarithms to 2 and its transforms to some 3 units of 2^-24.
    double tolerance = 1e-6;
    Index columns = 77;
    Index rows = 41;
    Index views = 7;
    RowExtension extension = {};
};

inline DetectorCalibration randomCalibration(const ScanCase& scan, double full,
                                             std::mt19937& random) {
    std::uniform_real_distribution<float> uniform(0, 1);
    DetectorCalibration calibration;
    calibration.rows = scan.rows;
    calibration.columns = scan.columns;
    const Index pixels = scan.rows * scan.columns;
    if (scan.kind == ProjectionKind::counts) {
        calibration.dark = HostBuffer<float>(pixels);
        calibration.flat = HostBuffer<float>(pixels);
        for (Index i = 0; i < pixels; ++i) {
            calibration.dark[i] = static_cast<float>(full) * (0.02F + 0.01F * uniform(random));
            calibration.flat[i] = static_cast<float>(full) * (0.8F + 0.1F * uniform(random));
        }
        calibration.saturation = 0.95 * full;
        markDeadPixels(calibration);
    }
    std::vector<unsigned char> listed(static_cast<std::size_t>(pixels));
    for (unsigned char& pixel : listed)
        pixel = static_cast<double>(uniform(random)) < scan.badShare;
    // One row is dead all along.
    if (scan.badShare > 0) std::fill_n(listed.begin() + 3 * scan.columns, scan.columns, 1);
    if (scan.badShare > 0) mergeBadPixels(calibration, listed);
    return calibration;
}

inline ScanGeometry geometryOf(const ScanCase& scan) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 460;
    geometry.cone().sourceOffsetMm = {1, -5};
    geometry.cone().arcDeg = scan.arcDeg;
    geometry.cone().views = scan.views;
    geometry.detector = {.columns = scan.columns,
                         .rows = scan.rows,
                         .pitchMm = {100.0 / static_cast<double>(scan.columns), 0.9},
                         .offsetMm = {scan.offsetMm, 11}};
    if (scan.isTilted) {
        geometry.detector.rollDeg = 4;
        geometry.detector.tiltDeg = -9;
        geometry.detector.slantDeg = 7;
    }
    return scan.poseDeg > 0 ? RandomGeometry(2).jittered(geometry, scan.poseDeg, scan.poseDeg)
                            : geometry;
}

inline Acquisition acquisitionOf(const ScanCase& scan, double full, std::mt19937& random) {
    const ScanGeometry geometry = geometryOf(scan);
    SourceInfo info;
    info.views = scan.views;
    info.rows = scan.rows;
    info.columns = scan.columns;
    info.pixelType = scan.type;
    const RedundancyPlan plan = planRedundancy(geometry, {}, scan.extension);
    AlignOptions options;
    options.padBefore = plan.padBefore;
    options.padAfter = plan.padAfter;
    options.rows = scan.along;
    Acquisition acquisition = {
        info,
        scan.kind,
        std::make_shared<DetectorCalibration>(randomCalibration(scan, full, random)),
        Rectifier(geometry, scan.along),
        plan,
        alignedViews(geometry, options)};
    for (Index s = 0; s < scan.views && scan.doesBeamDrift; ++s)
        acquisition.offsets.push_back({-0.7F + 0.02F * static_cast<float>(s), 1e-3F, -2e-3F});
    return acquisition;
}

template <class Pixel>
std::vector<std::byte> stored(const std::vector<double>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(Pixel));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto pixel = static_cast<Pixel>(values[i]);
        std::memcpy(bytes.data() + i * sizeof(Pixel), &pixel, sizeof(Pixel));
    }
    return bytes;
}

inline std::vector<std::byte> storedAs(PixelType type, const std::vector<double>& values) {
    switch (type) {
        case PixelType::uint8:
            return stored<std::uint8_t>(values);
        case PixelType::int8:
            return stored<std::int8_t>(values);
        case PixelType::uint16:
            return stored<std::uint16_t>(values);
        case PixelType::int16:
            return stored<std::int16_t>(values);
        case PixelType::uint32:
            return stored<std::uint32_t>(values);
        case PixelType::int32:
            return stored<std::int32_t>(values);
        case PixelType::float32:
            return stored<float>(values);
        default:
            return stored<double>(values);
    }
}

inline double largest(PixelType type) {
    if (type == PixelType::uint8) return 255;
    if (type == PixelType::int8) return 127;
    if (type == PixelType::int16) return 32767;
    if (type == PixelType::uint16) return 65535;
    return 3e6;
}

inline std::vector<double> randomPixels(const ScanCase& scan, Index count, double full,
                                        std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<double> values;
    for (Index i = 0; i < count; ++i) {
        double value = uniform(random);
        const bool isOdd = uniform(random) < scan.oddShare;
        if (scan.kind == ProjectionKind::counts) {
            value = full * (0.1 + 0.8 * value);
            if (isOdd) value = full * (uniform(random) < 0.5 ? 0.0 : 1.0);
            // What 0.02·full is rounded to may equal the dark value: nothing or less than nothing.
            if (isOdd && uniform(random) < 0.5) value = 0.02 * full;
            if (scan.hasDarkRows && i / scan.columns % 7 == 0) value = 0;
        }
        if (isOdd && !isInteger(scan.type) && uniform(random) < 0.5)
            value = std::numeric_limits<double>::quiet_NaN();
        values.push_back(value);
    }
    return values;
}
}  // namespace gantry::test
