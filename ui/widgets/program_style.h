#pragma once

#include <QProxyStyle>

#include "ui/widgets/wheel_guard.h"

namespace gantry {

/// Fusion with the marks of check boxes and radio buttons drawn flat, in the palette's colours;
/// style sheets could only show them as files of one colour. The wheel changes nothing that was not
/// clicked.
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
