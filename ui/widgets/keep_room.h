#pragma once

#include <QWidget>

namespace gantry {

/// Keeps the widget's place while it is hidden, so that nothing moves when it comes and goes.
/// Tests: tests/ui/panels/surface_group_test.cpp, tests/ui/panels/projections_panel_test.cpp
inline void keepRoomWhenHidden(QWidget& widget) {
    QSizePolicy policy = widget.sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    widget.setSizePolicy(policy);
}

}  // namespace gantry
