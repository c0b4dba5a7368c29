#include "ui/workspace/background/background_progress.h"

#include <mutex>
#include <utility>

namespace gantry {

struct BackgroundProgress::Newest {
    std::mutex mutex;
    std::string what;
    double fraction = 0;
    bool isNew = false;  // since it was last reported
};

BackgroundProgress::BackgroundProgress(QObject* parent) : QObject(parent) {
    constexpr int kEveryMs = 100;
    m_looking.setInterval(kEveryMs);
    connect(&m_looking, &QTimer::timeout, this, &BackgroundProgress::tell);
}

BackgroundProgress::~BackgroundProgress() = default;

BackgroundProgress::Teller BackgroundProgress::begin() {
    m_newest = std::make_shared<Newest>();
    m_looking.start();
    return [newest = m_newest](const std::string& what, double fraction) {
        const std::scoped_lock lock(newest->mutex);
        newest->what = what;
        newest->fraction = fraction;
        newest->isNew = true;
    };
}

void BackgroundProgress::end() {
    m_looking.stop();
}

void BackgroundProgress::tell() {
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
