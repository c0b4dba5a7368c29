#include "ui/desktop/bench/turning_bench.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "ui/desktop/bench/stall_watch.h"
#include "ui/scene/volume/volume_rendering.h"

namespace gantry {

void waitUntil(const std::function<bool()>& condition, const std::string& what) {
    constexpr int kLimitMs = 60'000;
    QElapsedTimer passed;
    passed.start();
    while (!condition()) {
        if (passed.elapsed() > kLimitMs) throw InputError(what + " did not come within a minute");
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 5);
    }
}

namespace {

// The value below which that part of them lies; 0 if there are none.
double smallerThan(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const double last = static_cast<double>(values.size() - 1);
    return values[std::lround(share * last)];
}

double msOf(const QElapsedTimer& timer) {
    return 1e-6 * static_cast<double>(timer.nsecsElapsed());
}

}  // namespace

Turning turned(VolumeRendering& view) {
    constexpr int kMovingMs = 3000;
    constexpr int kPauseMs = 8;  // of a mouse
    std::vector<double> intervals;
    QElapsedTimer sinceLast;
    const auto counting = QObject::connect(&view, &VolumeRendering::rendered, &view, [&] {
        if (sinceLast.isValid()) intervals.push_back(msOf(sinceLast));
        sinceLast.start();
    });
    QPointF at = view.rect().center();
    const auto send = [&](QEvent::Type type, Qt::MouseButton button, Qt::MouseButtons buttons) {
        QMouseEvent event(type, at, view.mapToGlobal(at), button, buttons, {});
        QCoreApplication::sendEvent(&view, &event);
    };
    const auto drag = [&](int forMs) {
        QElapsedTimer passed;
        passed.start();
        while (passed.elapsed() < forMs) {
            at += QPointF(2, 0.25);
            send(QEvent::MouseMove, Qt::NoButton, Qt::LeftButton);
            QElapsedTimer pause;
            pause.start();
            waitUntil([&] { return pause.elapsed() >= kPauseMs; }, "the next move");
        }
        return msOf(passed);
    };
    send(QEvent::MouseButtonPress, Qt::LeftButton, Qt::LeftButton);
    drag(kMovingMs / 4);  // until the coarseness of the pictures has settled
    StallWatch watch;
    watch.start();
    intervals.clear();
    Turning figures;
    const double ms = drag(kMovingMs);
    figures.movingMs = ms / static_cast<double>(std::max<std::size_t>(1, intervals.size()));
    figures.medianMs = smallerThan(intervals, 0.5);
    figures.slowMs = smallerThan(intervals, 0.95);
    send(QEvent::MouseButtonRelease, Qt::LeftButton, Qt::NoButton);
    QElapsedTimer passed;
    passed.start();
    waitUntil([&] { return view.isFinished(); }, "the fine picture");
    figures.fineMs = msOf(passed);
    watch.stop();
    figures.stallMs = watch.longestMs();
    QObject::disconnect(counting);
    return figures;
}

}  // namespace gantry
