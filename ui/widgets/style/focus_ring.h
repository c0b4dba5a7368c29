#pragma once

class QPainter;
class QWidget;

namespace gantry {

/// Paints the edge, in the accent's colour, of a view that paints itself and has the focus;
/// otherwise nothing. Must be called last.
/// Tests: tests/ui/desktop/keyboard_test.cpp
void paintFocusRing(QPainter& painter, const QWidget& view);

}  // namespace gantry
