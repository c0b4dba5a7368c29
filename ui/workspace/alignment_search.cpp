#include "ui/workspace/alignment_search.h"

#include <mutex>
#include <string>
#include <utility>

#include "core/base/parallel.h"
#include "core/cpu/cpu_plane_preview.h"

namespace gantry {

struct AlignmentSearch::Progress {
    std::mutex mutex;
    std::string what;
    double fraction = 0;
    bool isNew = false;  // since it was told
};

AlignmentSearch::AlignmentSearch(QObject* parent) : QObject(parent) {
    constexpr int kEveryMs = 100;
    m_looking.setInterval(kEveryMs);
    connect(&m_looking, &QTimer::timeout, this, &AlignmentSearch::tellProgress);
}

AlignmentSearch::~AlignmentSearch() = default;

void AlignmentSearch::start(std::shared_ptr<const OpenScan> scan) {
    m_progress = std::make_shared<Progress>();
    m_looking.start();
    m_work.start(
        [scan = std::move(scan), progress = m_progress](const std::stop_token& stop) {
            AlignmentOptions options;
            options.threads = availableThreads();
            options.stop = stop;
            options.onProgress = [progress](const std::string& what, double fraction) {
                const std::scoped_lock lock(progress->mutex);
                progress->what = what;
                progress->fraction = fraction;
                progress->isNew = true;
            };
            const auto preview = makeCpuPlanePreview(options.threads);
            return findAlignment(*scan, *preview, options);
        },
        [this](const Alignment& found) {
            m_looking.stop();
            emit finished(found);
        },
        [this](const QString& sentence) {
            m_looking.stop();
            emit failed(sentence);
        });
}

void AlignmentSearch::cancel() {
    m_looking.stop();
    m_work.cancel();
}

void AlignmentSearch::tellProgress() {
    QString what;
    double fraction = 0;
    {
        const std::scoped_lock lock(m_progress->mutex);
        if (!std::exchange(m_progress->isNew, false)) return;
        what = QString::fromStdString(m_progress->what);
        fraction = m_progress->fraction;
    }
    emit progressed(what, fraction);
}

}  // namespace gantry
