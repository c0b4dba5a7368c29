#include "ui/panels/projections/projections_scrubber.h"

#include <QComboBox>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>

#include "ui/models/image/projection_images.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

ProjectionsScrubber::ProjectionsScrubber(QWidget* parent) : QWidget(parent) {
    m_play = named(new QToolButton(this), "play");
    m_play->setCheckable(true);
    m_slider = named(new QSlider(Qt::Horizontal, this), "viewSlider",
                     tr("The view shown; the wheel over an image does the same."));
    m_slider->setAccessibleName(tr("View"));
    m_number = named(new QSpinBox(this), "viewNumber");
    m_number->setAccessibleName(tr("View number"));
    m_number->setAlignment(Qt::AlignRight);
    m_number->setKeyboardTracking(false);
    m_angle = named(new QLabel(this), "viewAngle");
    m_angle->setFont(tabular(m_angle->font()));
    m_speed = named(new QComboBox(this), "speed",
                    tr("Playback speed; slower where reading a view takes longer."));
    for (const int speed : {2, 5, 10, 20, 50})
        m_speed->addItem(tr("%1 views/s").arg(speed), speed);
    m_speed->setCurrentIndex(2);

    auto* layout = spaced(new QHBoxLayout(this), kSpacing);
    layout->addWidget(m_play);
    layout->addWidget(m_slider, 1);
    auto* label = new QLabel(tr("View"), this);
    label->setBuddy(m_number);
    layout->addWidget(label);
    layout->addWidget(m_number);
    layout->addWidget(m_angle);
    layout->addWidget(m_speed);

    connect(m_play, &QToolButton::toggled, this, &ProjectionsScrubber::setPlaying);
    connect(m_slider, &QSlider::valueChanged, this, [this](int view) { emit viewChosen(view); });
    connect(m_number, &QSpinBox::valueChanged, this,
            [this](int number) { emit viewChosen(number); });
    connect(m_speed, &QComboBox::currentIndexChanged, this, [this] { setPlaying(isPlaying()); });
    connect(&m_timer, &QTimer::timeout, this, &ProjectionsScrubber::playOn);
    setPlaying(false);
    setScan({});
}

void ProjectionsScrubber::setScan(const ScanGeometry& geometry) {
    m_geometry = geometry;
    const int views = static_cast<int>(std::max<Index>(geometry.views(), 1));
    const QSignalBlocker quietSlider(m_slider);
    const QSignalBlocker quietNumber(m_number);
    m_slider->setRange(0, views - 1);
    m_slider->setPageStep(std::max(1, views / 36));
    m_number->setRange(0, views - 1);
    m_play->setEnabled(views > 1);
    setView(std::min<Index>(m_view, views - 1));
}

void ProjectionsScrubber::setView(Index view) {
    m_view = view;
    const QSignalBlocker quietSlider(m_slider);
    const QSignalBlocker quietNumber(m_number);
    m_slider->setValue(static_cast<int>(view));
    m_number->setValue(static_cast<int>(view));
    showAngle();
}

void ProjectionsScrubber::showAngle() {
    if (m_geometry.views() <= 0) {
        m_angle->clear();
        return;
    }
    // The number itself is in the field before this.
    m_angle->setText(afterViewText(m_geometry, std::min(m_view, m_geometry.views() - 1)));
    // Nothing may move while it plays: as wide as the widest angle.
    const QString widest = tr("of 0–%1, −000.0°").arg(m_geometry.views() - 1);
    m_angle->setMinimumWidth(m_angle->fontMetrics().horizontalAdvance(widest));
}

void ProjectionsScrubber::setPlaying(bool isPlaying) {
    if (isPlaying)
        m_timer.start(1000 / m_speed->currentData().toInt());
    else
        m_timer.stop();
    const QSignalBlocker quiet(m_play);
    m_play->setChecked(isPlaying);
    m_play->setIcon(icon(isPlaying ? "pause" : "play"));
    m_play->setToolTip(isPlaying ? tr("Stop playing (Space over an image)")
                                 : tr("Play the views in turn (Space over an image)"));
    m_play->setAccessibleName(isPlaying ? tr("Stop playing") : tr("Play"));
}

// In another tab nobody sees it play, and each view would be read for nothing.
void ProjectionsScrubber::hideEvent(QHideEvent* event) {
    if (!event->spontaneous()) setPlaying(false);
    QWidget::hideEvent(event);
}

void ProjectionsScrubber::step(int views) {
    const Index last = std::max<Index>(m_geometry.views(), 1) - 1;
    const Index view = std::clamp<Index>(m_view + views, 0, last);
    if (view != m_view) emit viewChosen(view);
}

void ProjectionsScrubber::playOn() {
    if (m_geometry.views() < 2 || (m_isReady && !m_isReady())) return;
    emit viewChosen((m_view + 1) % m_geometry.views());
}

}  // namespace gantry
