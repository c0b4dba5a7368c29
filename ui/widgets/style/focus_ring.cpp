#include "ui/widgets/style/focus_ring.h"

#include <QPainter>
#include <QWidget>

#include "ui/widgets/style/theme.h"

namespace gantry {

void paintFocusRing(QPainter& painter, const QWidget& view) {
    if (!view.hasFocus()) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(themeOf(view).accent);
    painter.drawRect(view.rect().adjusted(0, 0, -1, -1));
    painter.restore();
}

}  // namespace gantry
