#pragma once

#include <QWidget>
#include <memory>

namespace gantry {

class Workspace;

/// What to make and how: volume, region of interest, filter, engine, precision, output; the
/// forecast; and the button that starts it.
/// Tests: tests/ui/panels/reconstruction_panel_test.cpp
class ReconstructionPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ReconstructionPanel(Workspace& workspace, QWidget* parent = nullptr);
    ~ReconstructionPanel() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
