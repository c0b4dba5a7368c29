#pragma once

#include <QLabel>

namespace gantry {

/// What is under the pointer, at once and beside it; takes no mouse events.
class TimelineTip : public QLabel {
    Q_OBJECT

  public:
    explicit TimelineTip(QWidget* owner);

    /// richText: empty hides it. at: the pointer, on the screen
    void tell(const QString& richText, QPoint at);
};

}  // namespace gantry
