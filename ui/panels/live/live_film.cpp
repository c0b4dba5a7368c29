#include "ui/panels/live/live_film.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <vector>

#include "ui/panels/live/filmstrip.h"
#include "ui/panels/live/parameter_line.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

constexpr Index kFilmAcross = 192;                                // pixels of a picture
constexpr std::array<int, 6> kFilmSteps = {1, 2, 5, 10, 20, 50};  // of the slider

}  // namespace

Plane LiveFilm::slicePlane(Vec3 throughMm) const {
    const VolumeGrid& grid = m_scan.request().job.volume;
    const Index longest = *std::max_element(grid.voxels.begin(), grid.voxels.end());
    return orthogonalPlanes(grid, throughMm, std::min(longest, kFilmAcross))[0];
}

void LiveFilm::begin(Vec3 throughMm) {
    const LiveParameter& parameter = m_parameter.parameter();
    QStringList steps;
    for (const int times : kFilmSteps)
        steps.append(parameter.amount(times * parameter.step));
    m_strip.setSteps(steps);
    pause();
    if (m_strip.isHidden() || !m_preview.isOpen() || m_scan.hasErrors()) return;
    m_job = m_scan.request().job;
    m_plane = slicePlane(throughMm);
    const double step = kFilmSteps[static_cast<std::size_t>(m_strip.step())] * parameter.step;
    std::vector<double> values;
    QStringList captions;
    for (int i = -Filmstrip::kReach; i <= Filmstrip::kReach; ++i) {
        values.push_back(m_parameter.value() + i * step);
        captions.append(m_parameter.text(values.back()));
    }
    m_strip.begin(values, captions);
}

void LiveFilm::follow(Vec3 throughMm) {
    if (m_strip.isHidden()) return;
    // Another value of the same parameter leaves all pictures right.
    const LiveParameter& parameter = m_parameter.parameter();
    const double value = parameter.get(m_job.scan.geometry);
    const JobSpec& now = m_scan.request().job;
    ScanGeometry was = m_job.scan.geometry;
    ScanGeometry is = now.scan.geometry;
    parameter.set(was, value);
    parameter.set(is, value);
    // A box that follows the geometry does not matter: the pictures stay where they are.
    const bool isSame = is == was && now.filter == m_job.filter &&
                        now.corrections == m_job.corrections && m_plane.originMm.z == throughMm.z;
    if (!isSame) begin(throughMm);
}

void LiveFilm::resume() {
    if (m_strip.isHidden()) return;
    m_number = m_strip.missing();
    if (m_number == kNone) return;
    JobSpec job = m_job;
    m_parameter.parameter().set(job.scan.geometry, m_strip.value(m_number));
    m_asked = m_preview.ask(job, {m_plane});
}

void LiveFilm::take(const LiveShown& shown, const GreyWindow& window) {
    if (m_number == kNone || shown.number != m_asked || !shown.isFinal) return;
    m_strip.setPicture(m_number, shown.images[0], window);
    resume();
}

void LiveFilm::takeRefusal() {
    if (m_number == kNone) return;
    m_strip.setPicture(m_number, {}, {});
    resume();
}

}  // namespace gantry
