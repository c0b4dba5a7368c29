#pragma once

#include <QGridLayout>
#include <QLabel>
#include <QMargins>
#include <QSize>
#include <QString>
#include <QWidget>

namespace gantry {

/// Gives a new widget its name, by which style sheets and tests find it, and its tool tip.
template <class Widget>
Widget* named(Widget* widget, const QString& name, const QString& toolTip = {}) {
    widget->setObjectName(name);
    if (!toolTip.isEmpty()) widget->setToolTip(toolTip);
    return widget;
}

/// Sets the space between the items of a new layout and the one around them, both in logical
/// pixels, in place of the style's.
template <class Layout>
Layout* spaced(Layout* layout, int spacing, const QMargins& margins = {}) {
    layout->setContentsMargins(margins);
    layout->setSpacing(spacing);
    return layout;
}
template <class Layout>
Layout* spaced(Layout* layout, int spacing, int margin) {
    return spaced(layout, spacing, QMargins(margin, margin, margin, margin));
}
/// spacing: between the columns and between the rows
inline QGridLayout* spaced(QGridLayout* grid, QSize spacing) {
    grid->setContentsMargins({});
    grid->setHorizontalSpacing(spacing.width());
    grid->setVerticalSpacing(spacing.height());
    return grid;
}

/// Lets the text of a new label take as many lines as it needs.
inline QLabel* wrapped(QLabel* label) {
    label->setWordWrap(true);
    return label;
}
/// The same for words that a user may want to copy: they are shown as they are, and the mouse
/// selects them.
inline QLabel* copyable(QLabel* label) {
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return wrapped(label);
}

/// Keeps the widget's place while it is hidden, so that nothing moves when it comes and goes.
/// Tests: tests/ui/panels/surface_group_test.cpp, tests/ui/panels/projections_panel_test.cpp
inline void keepRoomWhenHidden(QWidget& widget) {
    QSizePolicy policy = widget.sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    widget.setSizePolicy(policy);
}

}  // namespace gantry
