#pragma once

#include <QWidget>
#include <memory>

namespace gantry {

class Workspace;

/// Three slices of the open volume through a common cross-hair, with window/level, histogram, and
/// the region of interest of the next reconstruction, dragged.
/// Tests: tests/ui/panels/slices_panel_test.cpp
class SlicesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit SlicesPanel(Workspace& workspace, QWidget* parent = nullptr);
    ~SlicesPanel() override;

  signals:
    void compareRequested();        ///< another volume is to be chosen
    void compareFolderRequested();  ///< one that is a folder

  protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
