#pragma once

#include <QWidget>
#include <memory>

namespace gantry {

class Workspace;

/// The open volume in 3D, with its settings. Ctrl+Z undoes these while the focus is in here.
/// Tests: tests/ui/panels/volume_panel_test.cpp, tests/ui/desktop/volume_undo_test.cpp
class VolumePanel : public QWidget {
    Q_OBJECT

  public:
    explicit VolumePanel(Workspace& workspace, QWidget* parent = nullptr);
    ~VolumePanel() override;
    /// Shows the volume with a quarter taken away, or whole.
    void setCutOpen(bool isCutOpen);

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    bool undoOrRedo(const QKeyEvent& key);

    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
