#pragma once

#include <QList>

class QAction;
class QMainWindow;

namespace gantry {

/// An action for each visible field in the forms of a window's docks, named by its own label:
/// "Geometry: Roll". It shows the dock, scrolls to the field and gives it the focus. The actions
/// have no parent and are valid only for the moment.
/// Tests: tests/ui/desktop/command_palette_test.cpp
[[nodiscard]] QList<QAction*> fieldActions(const QMainWindow& window);

}  // namespace gantry
