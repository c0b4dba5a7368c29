#include "ui/panels/timeline/timeline_tip.h"

#include <QGuiApplication>
#include <QScreen>

#include "ui/widgets/style/theme.h"

namespace gantry {

TimelineTip::TimelineTip(QWidget* owner)
    : QLabel(owner, Qt::ToolTip | Qt::FramelessWindowHint | Qt::WindowTransparentForInput) {
    setObjectName("timelineTip");
    setAttribute(Qt::WA_ShowWithoutActivating);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setTextFormat(Qt::RichText);
    setFocusPolicy(Qt::NoFocus);
    setFrameStyle(QFrame::Box | QFrame::Plain);
    setMargin(kSpacing);
    setAutoFillBackground(true);
}

void TimelineTip::tell(const QString& richText, QPoint at) {
    if (richText.isEmpty()) {
        hide();
        return;
    }
    const Theme theme = themeOf(*parentWidget());
    QPalette colours = palette();
    colours.setColor(QPalette::Window, theme.panel);
    colours.setColor(QPalette::WindowText, theme.line);  // the frame
    setPalette(colours);
    setText(QString("<span style='color:%1'>%2</span>").arg(theme.text.name(), richText));
    adjustSize();
    const QRect screen = parentWidget()->screen()->availableGeometry();
    constexpr int kBeside = 2 * kSpacing;
    QPoint place = at + QPoint(kBeside, kBeside);
    if (place.x() + width() > screen.right()) place.setX(at.x() - kBeside - width());
    if (place.y() + height() > screen.bottom()) place.setY(at.y() - kBeside - height());
    move(std::max(place.x(), screen.left()), std::max(place.y(), screen.top()));
    show();
}

}  // namespace gantry
