#include "ui/workspace/search/scan_search.h"

#include <mutex>

#include "core/base/parallel.h"
#include "core/calibrate/balls/ball_file.h"
#include "core/cpu/cpu_backend.h"

namespace gantry {

namespace {

template <class Options>
Options optionsFor(const SearchControl& control) {
    Options options;
    options.threads = availableThreads();
    options.stop = control.stop;
    options.onProgress = control.tell;
    return options;
}

}  // namespace

Alignment searchAlignment(const OpenScan& scan, CentreFinder finder, const SearchControl& control) {
    auto options = optionsFor<AlignmentOptions>(control);
    options.centreFinder = finder;
    return findAlignment(scan, *makeCpuPlanePreview(options.threads), options);
}

BallCalibration searchBalls(const OpenScan& scan, const BallQuestion& question,
                            const SearchControl& control) {
    auto options = optionsFor<CalibrationOptions>(control);
    if (!question.balls.empty()) {
        options.knownBallsMm = readBallFile(question.balls);
        options.knownBallsName = question.balls.string();
    }
    options.length = question.length;
    options.posePerView = question.posePerView;
    return calibrate(scan, options);
}

Diagnosis searchConventions(const ScanFile& scan, const OpenScan* open,
                            const SearchControl& control) {
    const auto options = optionsFor<DiagnosisOptions>(control);
    const auto preview = makeCpuPlanePreview(options.threads);
    return diagnose(open ? *open : openForDiagnosis(scan, control.stop), scan.geometry, *preview,
                    options);
}

struct ScanSearch::Newest {
    std::mutex mutex;
    std::string what;
    double fraction = 0;
    bool isNew = false;  // since it was last reported
};

ScanSearch::ScanSearch(QObject* parent) : QObject(parent) {
    constexpr int kEveryMs = 100;
    m_reporting.setInterval(kEveryMs);
    connect(&m_reporting, &QTimer::timeout, this, &ScanSearch::report);
}

// Only the search that was begun last is reported.
std::function<void(const std::string&, double)> ScanSearch::begin() {
    m_newest = std::make_shared<Newest>();
    m_reporting.start();
    return [newest = m_newest](const std::string& what, double fraction) {
        const std::scoped_lock lock(newest->mutex);
        newest->what = what;
        newest->fraction = fraction;
        newest->isNew = true;
    };
}

void ScanSearch::cancel() {
    m_reporting.stop();
    m_work.cancel();
}

void ScanSearch::report() {
    QString what;
    double fraction = 0;
    {
        const std::scoped_lock lock(m_newest->mutex);
        if (!std::exchange(m_newest->isNew, false)) return;
        what = QString::fromStdString(m_newest->what);
        fraction = m_newest->fraction;
    }
    emit progressed(what, fraction);
}

}  // namespace gantry
