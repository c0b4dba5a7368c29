#pragma once

#include <QWidget>

class QToolButton;

namespace gantry {

/// A heading that shows and hides its content, by a click or the space bar.
/// Tests: tests/ui/widgets/folding_group_test.cpp
class FoldingGroup : public QWidget {
    Q_OBJECT

  public:
    /// Takes the content, which is hidden until unfolded.
    FoldingGroup(const QString& title, QWidget* content, QWidget* parent = nullptr);
    [[nodiscard]] bool isUnfolded() const;
    void unfold(bool isUnfolded);

  private:
    QToolButton* m_heading = nullptr;
    QWidget* m_content = nullptr;
};

}  // namespace gantry
