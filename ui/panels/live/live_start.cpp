#include "ui/panels/live/live_start.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "core/base/text.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

LiveStart::LiveStart(QWidget* parent) : QWidget(parent) {
    auto* about = named(
        new QLabel(
            tr("Four slices are reconstructed again with every change: of the geometry, the filter "
               "and the volume. After one of the views' corrections all views are read again."),
            this),
        "liveAbout");
    m_needs = named(new QLabel(this), "liveNeeds");
    m_needs->setProperty("muted", true);
    m_complaint = named(new QLabel(this), "liveComplaint");
    for (QLabel* label : {about, m_needs, m_complaint}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignCenter);
    }
    m_start = named(new QPushButton(tr("Start live slices"), this), "startLive");
    m_reading = named(new QProgressBar(this), "liveReading");
    m_reading->setRange(0, 100);
    m_reading->setFormat(tr("Reading the views") + QStringLiteral(" %p %"));
    m_reading->setFixedWidth(40 * kSpacing);
    m_reading->hide();
    auto* layout = spaced(new QVBoxLayout(this), 2 * kSpacing,
                          {4 * kSpacing, kSpacing, 4 * kSpacing, kSpacing});
    layout->addStretch(1);
    layout->addWidget(about);
    layout->addWidget(m_needs);
    layout->addWidget(m_complaint);
    layout->addWidget(m_start, 0, Qt::AlignHCenter);
    layout->addWidget(m_reading, 0, Qt::AlignHCenter);
    layout->addStretch(1);
    setFocusProxy(m_start);
    connect(m_start, &QPushButton::clicked, this, &LiveStart::startRequested);
}

void LiveStart::setNeeds(const LiveSlices::Needs& needs, bool isOnGpu) {
    const Index bytes = isOnGpu ? needs.deviceBytes : needs.hostBytes;
    const QString memory = (isOnGpu ? tr("%1 of the GPU's memory") : tr("%1 of memory"))
                               .arg(QString::fromStdString(formatBytes(bytes)));
    m_needs->setText(
        needs.binning == 1
            ? tr("The views are read once and take %1.").arg(memory)
            : tr("The views are read once and take %1: pixels are averaged %2 × %2, as "
                 "more would not fit.")
                  .arg(memory)
                  .arg(needs.binning));
    m_start->setEnabled(true);
}

void LiveStart::setProblem(const QString& sentence) {
    m_needs->setText(sentence);
    m_start->setEnabled(false);
}

void LiveStart::setReading(bool isReading) {
    m_start->setVisible(!isReading);
    m_reading->setVisible(isReading);
}

void LiveStart::setFraction(double fraction) {
    m_reading->setValue(static_cast<int>(std::lround(100 * fraction)));
}

void LiveStart::setComplaint(const QString& sentence) {
    m_complaint->setText(sentence);
}

}  // namespace gantry
