#pragma once

#include <QObject>

namespace gantry {

class VolumeDocument;
class VolumePanel;

/// Shows the volume of the guided example so that its content is visible: a window in which the
/// tissues of the head differ, and the head cut open in 3D. Other volumes are shown as usual. GUI
/// thread only. Tests: tests/ui/desktop/example_test.cpp
class ExampleLook : public QObject {
    Q_OBJECT

  public:
    ExampleLook(VolumeDocument& document, VolumePanel& panel, QObject* parent = nullptr);

  private:
    void take();

    VolumeDocument& m_document;
    VolumePanel& m_panel;
    bool m_isExample = false;
};

}  // namespace gantry
