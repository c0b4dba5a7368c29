#include "ui/workspace/search/calibration_search.h"

#include <utility>

#include "core/base/parallel.h"
#include "core/calibrate/balls/ball_file.h"

namespace gantry {

CalibrationSearch::CalibrationSearch(QObject* parent) : QObject(parent) {
    connect(&m_progress, &BackgroundProgress::progressed, this, &CalibrationSearch::progressed);
}

CalibrationSearch::~CalibrationSearch() = default;

void CalibrationSearch::start(std::shared_ptr<const OpenScan> scan, const BallQuestion& question) {
    m_work.start(
        [scan = std::move(scan), question, tell = m_progress.begin()](const std::stop_token& stop) {
            CalibrationOptions options;
            if (!question.balls.empty()) {
                options.knownBallsMm = readBallFile(question.balls);
                options.knownBallsName = question.balls.string();
            }
            options.length = question.length;
            options.posePerView = question.posePerView;
            options.threads = availableThreads();
            options.stop = stop;
            options.onProgress = tell;
            return std::make_shared<const BallCalibration>(calibrate(*scan, options));
        },
        [this](const std::shared_ptr<const BallCalibration>& found) {
            m_progress.end();
            emit finished(found);
        },
        [this](const QString& sentence) {
            m_progress.end();
            emit failed(sentence);
        });
}

void CalibrationSearch::cancel() {
    m_progress.end();
    m_work.cancel();
}

}  // namespace gantry
