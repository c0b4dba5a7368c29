#pragma once

#include <QList>
#include <functional>

class QAction;
class QTabWidget;

namespace gantry {

/// An action for each button and field in the tabs, named by its own label: "Slices: Distance". It
/// shows the tab, unfolds what hides the button and presses it; fields get the focus. What the tab
/// does not show yet, for example without a volume, is disabled. The actions have no parent and are
/// valid only for the moment.
/// showTab: brings a tab to the front
/// Tests: tests/ui/desktop/command_palette_test.cpp
[[nodiscard]] QList<QAction*> toolActions(const QTabWidget& tabs,
                                          const std::function<void(int)>& showTab);

/// The property of a widget that hides parts of a panel: the checkable button that shows it.
inline constexpr const char* kOpenerProperty = "opener";

}  // namespace gantry
