#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/geometry/scan_geometry.h"

namespace gantry::test {

/// The poses of all views.
inline std::vector<ViewPose> posesOf(const ScanGeometry& scan) {
    std::vector<ViewPose> poses;
    for (Index s = 0; s < scan.views(); ++s)
        poses.push_back(viewPose(scan, s));
    return poses;
}

/// Farthest that the source or a corner of the detector lies apart in one view of two scans, mm.
inline double poseDistanceMm(const ViewPose& a, const ViewPose& b, const Detector& detector) {
    double farthest = length(a.sourceMm - b.sourceMm);
    for (const double u : {-0.5, 0.5})
        for (const double v : {-0.5, 0.5})
            farthest = std::max(
                farthest,
                length(a.detectorCenterMm - b.detectorCenterMm +
                       u * static_cast<double>(detector.columns) * (a.uStepMm - b.uStepMm) +
                       v * static_cast<double>(detector.rows) * (a.vStepMm - b.vStepMm)));
    return farthest;
}

inline double poseDistanceMm(const ScanGeometry& a, const ScanGeometry& b) {
    double farthest = 0;
    for (Index s = 0; s < std::min(a.views(), b.views()); ++s)
        farthest = std::max(farthest, poseDistanceMm(viewPose(a, s), viewPose(b, s), a.detector));
    return farthest;
}

/// The same scan, whatever the words that describe it: exchange promises 1e-9 mm.
inline void expectSamePoses(const ScanGeometry& found, const ScanGeometry& expected) {
    ASSERT_EQ(found.views(), expected.views());
    EXPECT_EQ(found.detector.columns, expected.detector.columns);
    EXPECT_EQ(found.detector.rows, expected.detector.rows);
    EXPECT_LT(poseDistanceMm(found, expected), 1e-9);
}

}  // namespace gantry::test
