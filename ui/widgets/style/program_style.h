#pragma once

#include <QProxyStyle>

#include "ui/widgets/style/wheel_guard.h"

namespace gantry {

/// Fusion with flat check box and radio button marks in the palette's colours; style sheets could
/// show them only as files of one colour. The wheel changes only widgets that were clicked.
class ProgramStyle : public QProxyStyle {
    Q_OBJECT

  public:
    ProgramStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    using QProxyStyle::polish;
    void polish(QWidget* widget) override;

  private:
    WheelGuard m_wheelGuard;
};

}  // namespace gantry
