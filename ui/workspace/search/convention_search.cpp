#include "ui/workspace/search/convention_search.h"

#include <utility>

#include "core/base/parallel.h"
#include "core/cpu/cpu_backend.h"

namespace gantry {

ConventionSearch::ConventionSearch(QObject* parent) : QObject(parent) {
    connect(&m_progress, &BackgroundProgress::progressed, this, &ConventionSearch::progressed);
}

ConventionSearch::~ConventionSearch() = default;

void ConventionSearch::start(const ScanFile& scan, std::shared_ptr<const OpenScan> open) {
    m_work.start(
        [scan, open = std::move(open), tell = m_progress.begin()](const std::stop_token& stop) {
            DiagnosisOptions options;
            options.threads = availableThreads();
            options.stop = stop;
            options.onProgress = tell;
            const auto preview = makeCpuPlanePreview(options.threads);
            return std::make_shared<const Diagnosis>(diagnose(
                open ? *open : openForDiagnosis(scan, stop), scan.geometry, *preview, options));
        },
        [this](const std::shared_ptr<const Diagnosis>& found) {
            m_progress.end();
            emit finished(found);
        },
        [this](const QString& sentence) {
            m_progress.end();
            emit failed(sentence);
        });
}

void ConventionSearch::cancel() {
    m_progress.end();
    m_work.cancel();
}

}  // namespace gantry
