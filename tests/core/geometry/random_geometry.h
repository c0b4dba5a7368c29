#pragma once

#include <random>
#include <utility>
#include <vector>

#include "core/geometry/scan_geometry.h"

namespace gantry::test {

/// Draws numbers and whole scans; the same ones in every run.
class RandomGeometry {
  public:
    explicit RandomGeometry(unsigned seed) : m_engine(seed) {}

    double between(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(m_engine);
    }
    Index whole(Index low, Index high) {
        return std::uniform_int_distribution<Index>(low, high)(m_engine);
    }

    /// Odd sizes, anisotropic pixels, offsets of source and detector, either direction, full and
    /// partial arcs.
    ScanGeometry aligned() {
        ScanGeometry geometry;
        geometry.cone().sourceToIsocenterMm = between(200, 900);
        geometry.cone().sourceToDetectorMm =
            geometry.cone().sourceToIsocenterMm * between(1.1, 2.5);
        geometry.cone().sourceOffsetMm = {between(-10, 10), between(-10, 10)};
        geometry.cone().startDeg = between(-400, 400);
        geometry.cone().arcDeg = whole(0, 1) == 1 ? 360 : between(180, 300);
        if (whole(0, 1) == 1) geometry.cone().arcDeg = -geometry.cone().arcDeg;
        geometry.cone().views = whole(3, 40);
        Detector& detector = geometry.detector;
        detector.columns = whole(20, 301);
        detector.rows = whole(20, 301);
        detector.pitchMm = {between(0.1, 1), between(0.1, 1)};
        detector.offsetMm = {between(-8, 8), between(-8, 8)};
        return geometry;
    }

    ScanGeometry tilted() {
        ScanGeometry geometry = aligned();
        geometry.detector.rollDeg = between(-40, 40);
        geometry.detector.tiltDeg = between(-30, 30);
        geometry.detector.slantDeg = between(-30, 30);
        return geometry;
    }

    /// The same with one listed angle a view, in no order.
    ScanGeometry listed() {
        ScanGeometry geometry = tilted();
        for (Index s = 0; s < geometry.views(); ++s)
            geometry.cone().anglesDeg.push_back(between(-180, 180));
        return geometry;
    }

    /// A pose whose source and detector are moved by up to so much along every axis, and whose
    /// detector is turned by up to so much about each of its axes.
    ViewPose jittered(ViewPose pose, double mm, double deg) {
        const auto moved = [&](Vec3 a) {
            return a + Vec3{between(-mm, mm), between(-mm, mm), between(-mm, mm)};
        };
        pose.sourceMm = moved(pose.sourceMm);
        pose.detectorCenterMm = moved(pose.detectorCenterMm);
        Detector turned;
        turned.rollDeg = between(-deg, deg);
        turned.tiltDeg = between(-deg, deg);
        turned.slantDeg = between(-deg, deg);
        return corrected(pose, turned);
    }

    /// Every view of a scan so.
    ScanGeometry jittered(const ScanGeometry& scan, double mm, double deg) {
        std::vector<ViewPose> poses;
        for (Index s = 0; s < scan.views(); ++s)
            poses.push_back(jittered(viewPose(scan, s), mm, deg));
        return geometryOfPoses(std::move(poses), scan.detector.columns, scan.detector.rows);
    }

  private:
    std::mt19937 m_engine;
};

}  // namespace gantry::test
