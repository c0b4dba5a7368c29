#include "ui/workspace/search/alignment_search.h"

#include <utility>

#include "core/base/parallel.h"
#include "core/cpu/cpu_backend.h"

namespace gantry {

AlignmentSearch::AlignmentSearch(QObject* parent) : QObject(parent) {
    connect(&m_progress, &BackgroundProgress::progressed, this, &AlignmentSearch::progressed);
}

AlignmentSearch::~AlignmentSearch() = default;

void AlignmentSearch::start(std::shared_ptr<const OpenScan> scan, CentreFinder finder) {
    m_work.start(
        [scan = std::move(scan), finder, tell = m_progress.begin()](const std::stop_token& stop) {
            AlignmentOptions options;
            options.centreFinder = finder;
            options.threads = availableThreads();
            options.stop = stop;
            options.onProgress = tell;
            const auto preview = makeCpuPlanePreview(options.threads);
            return findAlignment(*scan, *preview, options);
        },
        [this](const Alignment& found) {
            m_progress.end();
            emit finished(found);
        },
        [this](const QString& sentence) {
            m_progress.end();
            emit failed(sentence);
        });
}

void AlignmentSearch::cancel() {
    m_progress.end();
    m_work.cancel();
}

}  // namespace gantry
