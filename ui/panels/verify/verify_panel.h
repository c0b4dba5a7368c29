#pragma once

#include <QWidget>
#include <memory>

namespace gantry {

class Workspace;

/// Verifies the open scan's geometry and the settings of its reconstruction by simulated test
/// pieces: truth, result and difference side by side, profiles, and the figures with their limits.
/// Tests: tests/ui/panels/verify_panel_test.cpp
class VerifyPanel : public QWidget {
    Q_OBJECT

  public:
    explicit VerifyPanel(Workspace& workspace, QWidget* parent = nullptr);
    ~VerifyPanel() override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
