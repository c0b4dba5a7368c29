#pragma once

#include <QPointer>
#include <QWidget>

namespace gantry {

/// The middle of the window while a view of a dock is maximised. Afterwards the view returns to its
/// place; its settings and its owner do not change.
/// Tests: tests/ui/desktop/maximise_test.cpp
class MaximisedView : public QWidget {
    Q_OBJECT

  public:
    explicit MaximisedView(QWidget* parent = nullptr);

    /// Takes the view out of its layout, and leaves a sentence in its place.
    void take(QWidget& view);
    void giveBack();
    [[nodiscard]] bool isEmpty() const { return !m_view; }

  private:
    QPointer<QWidget> m_view;
    QPointer<QWidget> m_standIn;
};

}  // namespace gantry
