#include "ui/panels/geometry/ball_marks.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "ui/widgets/image/image_view.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

BallMarks::BallMarks(ImageView& view) : QWidget(&view), m_view(view) {
    setObjectName("ballMarks");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    resize(view.size());
    view.installEventFilter(this);
    connect(&view, &ImageView::viewportChanged, this, [this] { update(); });
}

void BallMarks::setBalls(std::vector<CalibratedImage> balls, double columnMm) {
    m_balls = std::move(balls);
    m_columnMm = columnMm;
    update();
}

bool BallMarks::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &m_view && event->type() == QEvent::Resize) resize(m_view.size());
    return QWidget::eventFilter(watched, event);
}

void BallMarks::paintEvent(QPaintEvent*) {
    constexpr double kAir = 1.5;      // of a ring about its ball, as a factor of the radius
    constexpr double kMinPixels = 4;  // of the screen
    constexpr double kCross = 4;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = themeFor(ThemeKind::dark);  // images are dark in every theme
    for (const CalibratedImage& ball : m_balls) {
        const QPointF at = m_view.viewAt({ball.image.u, ball.image.v});
        painter.setPen(QPen(ball.isUsed ? theme.accent : theme.warning, 1.5));
        if (!ball.isUsed) {
            painter.drawLine(at - QPointF(kCross, kCross), at + QPointF(kCross, kCross));
            painter.drawLine(at - QPointF(kCross, -kCross), at + QPointF(kCross, -kCross));
            continue;
        }
        const double radius = std::max(
            kMinPixels, kAir * ball.image.radiusMm / m_columnMm * m_view.screenPixelsPerColumn());
        painter.drawEllipse(at, radius, radius);
        if (ball.ball)
            painter.drawText(at + QPointF(radius, -radius),
                             QString::number(static_cast<qulonglong>(*ball.ball) + 1));
    }
}

}  // namespace gantry
