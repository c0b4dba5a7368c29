#include "ui/panels/geometry/calibration_view.h"

#include <QEvent>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/scan/view_preview.h"
#include "ui/models/image/projection_images.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/new_widget.h"
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

CalibrationView::CalibrationView(QWidget* parent) : QWidget(parent) {
    m_image = named(new ImageView(this), "ballView");
    m_image->setPlaceholder(tr("The view is being read."));
    m_marks = new BallMarks(*m_image);
    m_slider = named(new QSlider(Qt::Horizontal, this), "ballViewNumber");
    m_slider->setAccessibleName(tr("View"));
    auto* column = spaced(new QVBoxLayout(this), kSpacing / 2);
    column->addWidget(m_image, 1);
    column->addWidget(m_slider);
    connect(m_slider, &QSlider::valueChanged, this, &CalibrationView::showView);
    connect(m_image, &ImageView::scrolled, this,
            [this](int steps) { m_slider->setValue(m_slider->value() + steps); });
}

void CalibrationView::setScan(std::shared_ptr<const OpenScan> scan) {
    m_scan = std::move(scan);
    const QSignalBlocker quiet(m_slider);
    const Index views = m_scan ? m_scan->source->info().views : 1;
    m_slider->setRange(0, static_cast<int>(views) - 1);
    showView();
}

void CalibrationView::setFound(std::shared_ptr<const BallCalibration> found) {
    m_found = std::move(found);
    showView();
}

void CalibrationView::showView() {
    m_marks->setBalls({}, 1);
    if (!m_scan) return;
    const Index number = m_scan->numberOf(m_slider->value());
    m_image->setCorner(tr("view %1 of 0–%2")
                           .arg(static_cast<int>(number))
                           .arg(static_cast<int>(m_scan->description.geometry.views()) - 1));
    const auto at = static_cast<std::size_t>(number);
    if (m_found && at < m_found->images.size()) {
        m_marks->setBalls(m_found->images[at], m_scan->description.geometry.detector.pitchMm[0]);
        m_image->setCaption(tr("ring: a ball that is used · cross: not used"));
    } else {
        m_image->setCaption({});
    }
    read();
}

void CalibrationView::read() {
    m_reading.start(
        [scan = m_scan, view = m_slider->value()](const std::stop_token&) {
            return viewPicture(storedView(*scan->source, view), ProjectionStep::stored,
                               scan->description);
        },
        [this](const ProjectionPicture& picture) {
            m_image->setImage(picture.image);
            m_image->setWindow(picture.automatic);
            m_marks->update();
        },
        [this](const QString& sentence) { m_image->setPlaceholder(sentence); });
}

}  // namespace gantry
