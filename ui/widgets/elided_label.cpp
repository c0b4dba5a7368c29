#include "ui/widgets/elided_label.h"

#include <QResizeEvent>

namespace gantry {

ElidedLabel::ElidedLabel(Qt::TextElideMode mode, QWidget* parent) : QLabel(parent), m_mode(mode) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setWholeText(const QString& text) {
    const bool hasOwnToolTip = !toolTip().isEmpty() && toolTip() != m_whole;
    m_whole = text;
    if (!hasOwnToolTip) setToolTip(text);
    elide();
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::elide() {
    setText(fontMetrics().elidedText(m_whole, m_mode, contentsRect().width()));
}

}  // namespace gantry
