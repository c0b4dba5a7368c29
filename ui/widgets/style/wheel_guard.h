#pragma once

#include <QObject>
#include <QPointer>
#include <QWidget>

namespace gantry {

/// Lets the wheel change a number or a choice only if the pointer has clicked into the field since
/// it came in; otherwise the wheel scrolls the form around it. The program's style installs it on
/// every spin box, combo box and slider; number fields query it.
/// Tests: tests/ui/widgets/wheel_guard_test.cpp
class WheelGuard : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;
    /// Watches a spin box, a combo box or a slider; does nothing for other widgets. It gets the
    /// focus by click and key, no longer by the wheel.
    void watch(QWidget& widget);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QPointer<QWidget> m_clicked;  // one suffices, because there is one pointer
};

}  // namespace gantry
