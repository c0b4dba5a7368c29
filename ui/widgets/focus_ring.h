#pragma once

class QPainter;
class QWidget;

namespace gantry {

/// The edge, in the accent's colour, of a view that draws itself and has the focus; nothing else.
/// To be painted last. Tests: tests/ui/desktop/keyboard_test.cpp
void paintFocusRing(QPainter& painter, const QWidget& view);

}  // namespace gantry
