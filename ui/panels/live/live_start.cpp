#include "ui/panels/live/live_start.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/panels/live/live_texts.h"
#include "ui/widgets/theme.h"

namespace gantry {

LiveStart::LiveStart(QWidget* parent) : QWidget(parent) {
    auto* about = new QLabel(texts::aboutLive(), this);
    m_needs = new QLabel(this);
    m_needs->setObjectName("liveNeeds");
    m_needs->setProperty("muted", true);
    m_complaint = new QLabel(this);
    m_complaint->setObjectName("liveComplaint");
    for (QLabel* label : {about, m_needs, m_complaint}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignCenter);
    }
    m_start = new QPushButton(texts::startLive(), this);
    m_start->setObjectName("startLive");
    m_reading = new QProgressBar(this);
    m_reading->setObjectName("liveReading");
    m_reading->setRange(0, 100);
    m_reading->setFormat(texts::readingViews() + QStringLiteral(" %p %"));
    m_reading->setFixedWidth(40 * kSpacing);
    m_reading->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4 * kSpacing, kSpacing, 4 * kSpacing, kSpacing);
    layout->setSpacing(2 * kSpacing);
    layout->addStretch(1);
    layout->addWidget(about);
    layout->addWidget(m_needs);
    layout->addWidget(m_complaint);
    layout->addWidget(m_start, 0, Qt::AlignHCenter);
    layout->addWidget(m_reading, 0, Qt::AlignHCenter);
    layout->addStretch(1);
    connect(m_start, &QPushButton::clicked, this, &LiveStart::startRequested);
}

void LiveStart::setNeeds(const QString& text, bool canStart) {
    m_needs->setText(text);
    m_start->setEnabled(canStart);
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
