#include "ui/workspace/search/montage_run.h"

#include <utility>

#include "core/live/montage.h"

namespace gantry {

MontageRun::MontageRun(QString program, QObject* parent)
    : QObject(parent), m_preview(std::move(program)) {
    connect(&m_preview, &LivePreview::loading, this, &MontageRun::tellProgress);
    connect(&m_preview, &LivePreview::shown, this, &MontageRun::take);
    connect(&m_preview, &LivePreview::refused, this, &MontageRun::fail);
    connect(&m_preview, &LivePreview::failed, this, &MontageRun::fail);
}

void MontageRun::start(std::vector<JobSpec> jobs, const Plane& plane, const LivePlace& place) {
    cancel();
    m_jobs = std::move(jobs);
    m_plane = plane;
    m_place = place;
    m_number = 0;
    makeNext();
}

void MontageRun::cancel() {
    m_number = -1;
    m_readFor = -1;
    m_preview.close();
}

void MontageRun::makeNext() {
    const auto at = static_cast<std::size_t>(m_number);
    if (at == m_jobs.size()) {
        cancel();
        emit finished();
        return;
    }
    const bool isRead =
        m_readFor >= 0 && haveSameViews(m_jobs[static_cast<std::size_t>(m_readFor)], m_jobs[at]);
    if (!isRead) {
        m_preview.open(m_jobs[at], m_place);
        m_readFor = m_number;
    }
    m_asked = m_preview.ask(m_jobs[at], {m_plane});
    tellProgress(0);
}

void MontageRun::take(const LiveShown& shown) {
    if (!isBusy() || shown.number != m_asked || !shown.isFinal) return;
    const GreyImage& image = shown.images.front();
    const int number = m_number;
    emit made(number, image, shown.binning,
              sliceSharpness(m_jobs[static_cast<std::size_t>(number)].scan.geometry,
                             {image.pixels.data(), 1, image.rows, image.columns}));
    if (m_number != number) return;  // whoever got it has cancelled
    ++m_number;
    makeNext();
}

// loaded: the part of the views of the picture under way that has been read
void MontageRun::tellProgress(double loaded) {
    if (isBusy())
        emit progressed((m_number + kReadingShare * loaded) / static_cast<double>(m_jobs.size()));
}

void MontageRun::fail(const QString& sentence) {
    if (!isBusy()) return;
    const int number = m_number;
    cancel();
    emit failed(number, sentence);
}

}  // namespace gantry
