#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/io/memory_source.h"
#include "core/phantom/analytic_projector.h"
#include "core/phantom/phantom.h"
#include "core/scan/open_scan.h"

namespace gantry::test {

/// An odd, off-centre detector with oblong pixels.
inline ScanGeometry smallGeometry() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 500;
    geometry.cone().sourceToDetectorMm = 800;
    geometry.cone().views = 60;
    geometry.detector = {.columns = 141, .rows = 67, .pitchMm = {1.9, 2.3}, .offsetMm = {3, 4}};
    return geometry;
}

// A scan of a few balls, off the axis and of different densities.
class LiveScan {
  public:
    explicit LiveScan(const ScanGeometry& geometry = smallGeometry()) : m_geometry(geometry) {
        const Detector& detector = geometry.detector;
        m_views = HostBuffer<float>(geometry.views() * detector.rows * detector.columns);
        const Span3<float> views = {m_views.data(), geometry.views(), detector.rows,
                                    detector.columns};
        const Phantom balls = {"balls",
                               {sphere({0, 0, 0}, 40, 0.02), sphere({15, 5, 8}, 9, 0.03),
                                sphere({-20, -9, -14}, 5, 0.05)}};
        for (Index s = 0; s < geometry.views(); ++s)
            projectPhantom(
                balls, viewPose(geometry, s), detector, {0, detector.rows},
                {views.row(s, 0), static_cast<std::size_t>(views.count() / views.size(0))});
        m_source = std::make_shared<MemorySource>(views);
        m_scan.emplace(openScan(geometry, m_source));
    }

    [[nodiscard]] const ScanGeometry& geometry() const { return m_geometry; }
    [[nodiscard]] const OpenScan& scan() const { return *m_scan; }

    [[nodiscard]] const std::shared_ptr<const ProjectionSource>& source() const { return m_source; }

  private:
    ScanGeometry m_geometry;
    HostBuffer<float> m_views;
    std::shared_ptr<const ProjectionSource> m_source;
    std::optional<OpenScan> m_scan;
};

}  // namespace gantry::test
