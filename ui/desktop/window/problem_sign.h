#pragma once

#include <QPushButton>

namespace gantry {

class Workspace;

/// "1 error, 2 warnings" of the open scan, in the menu bar, where it is seen whatever is folded or
/// hidden. Its tool tip lists them; a click leads to them. Hidden if there are none.
/// Tests: tests/ui/desktop/viewing_layout_test.cpp
class ProblemSign : public QPushButton {
    Q_OBJECT

  public:
    explicit ProblemSign(Workspace& workspace, QWidget* parent = nullptr);

  private:
    void count();

    Workspace& m_workspace;
};

}  // namespace gantry
