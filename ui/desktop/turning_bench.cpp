#include "ui/desktop/turning_bench.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <algorithm>

#include "ui/desktop/bench_wait.h"
#include "ui/desktop/stall_watch.h"
#include "ui/scene/volume/volume_rendering.h"

namespace gantry {

Turning turned(VolumeRendering& view) {
    constexpr int kMovingMs = 3000;
    constexpr int kPauseMs = 8;  // of a mouse
    int pictures = 0;
    const auto counting =
        QObject::connect(&view, &VolumeRendering::rendered, &view, [&pictures] { ++pictures; });
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
        return static_cast<double>(passed.nsecsElapsed()) / 1e6;
    };
    send(QEvent::MouseButtonPress, Qt::LeftButton, Qt::LeftButton);
    drag(kMovingMs / 4);  // until the pictures have found how coarse they have to be
    StallWatch watch;
    watch.start();
    pictures = 0;
    Turning figures;
    figures.movingMs = drag(kMovingMs) / std::max(1, pictures);
    watch.stop();
    figures.stallMs = watch.longestMs();
    send(QEvent::MouseButtonRelease, Qt::LeftButton, Qt::NoButton);
    QElapsedTimer passed;
    passed.start();
    waitUntil([&] { return view.isFinished(); }, "the fine picture");
    figures.fineMs = static_cast<double>(passed.elapsed());
    QObject::disconnect(counting);
    return figures;
}

}  // namespace gantry
