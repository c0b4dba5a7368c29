#pragma once

#include "core/engine/plane_preview.h"
#include "core/plan/job_spec.h"
#include "ui/workspace/search/live_preview.h"

namespace gantry {

class Filmstrip;
class ParameterLine;
class ScanDocument;

/// Fills a filmstrip: asks a preview for one slice by each value of the chosen parameter, one after
/// the other, behind what is looked at. Tests: tests/ui/panels/live_panel_test.cpp
class LiveFilm {
  public:
    LiveFilm(ScanDocument& scan, LivePreview& preview, ParameterLine& parameter, Filmstrip& strip)
        : m_scan(scan), m_preview(preview), m_parameter(parameter), m_strip(strip) {}

    /// The strip anew, about the value that the scan has now, of its slice through that point.
    void begin(Vec3 throughMm);
    /// The same where more than the parameter has changed since.
    void follow(Vec3 throughMm);
    /// Another request took the preview; resume() is called when it is done.
    void pause() { m_number = kNone; }
    void resume();
    /// Pictures, maybe of another request; or that the newest request is refused.
    void take(const LiveShown& shown, const GreyWindow& window);
    void takeRefusal();

  private:
    static constexpr int kNone = -1;

    [[nodiscard]] Plane slicePlane(Vec3 throughMm) const;

    ScanDocument& m_scan;
    LivePreview& m_preview;
    ParameterLine& m_parameter;
    Filmstrip& m_strip;
    JobSpec m_job;         // that is shown, but for the parameter
    Plane m_plane;         // and its slice
    Index m_asked = 0;     // the request under way
    int m_number = kNone;  // and of which picture
};

}  // namespace gantry
