#pragma once

#include <QProxyStyle>

namespace gantry {

/// Fusion with the marks of check boxes and radio buttons drawn flat, in the palette's colours;
/// style sheets could only show them as files of one colour.
class ProgramStyle : public QProxyStyle {
    Q_OBJECT

  public:
    ProgramStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
};

}  // namespace gantry
