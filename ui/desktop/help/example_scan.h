#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <mutex>

#include "ui/models/message.h"
#include "ui/workspace/background/background.h"

namespace gantry {

class VolumeDocument;
class VolumePanel;

/// Makes the scan of the guided example, a Shepp-Logan head in the form in which a scanner would
/// store it, in the user's data folder; it is made once and kept. GUI thread only.
/// Tests: tests/ui/desktop/example_test.cpp
class ExampleScan : public QObject {
    Q_OBJECT

  public:
    explicit ExampleScan(QObject* parent = nullptr);
    void make();
    void cancel();
    /// Whether a file lies in the example's folder, as its scan and its volumes do.
    [[nodiscard]] static bool isOfExample(const QString& path);

  signals:
    void progressed(double fraction);  ///< negative: not running
    void made(const QString& scanFile);
    void messageRaised(const gantry::Message& message);

  private:
    std::shared_ptr<std::mutex> m_turn = std::make_shared<std::mutex>();
    Background m_making;
};

/// Shows the volume of the guided example so that its content is visible: a window in which the
/// tissues of the head differ, and the head cut open in 3D. Other volumes are shown as usual. GUI
/// thread only. Tests: tests/ui/desktop/example_test.cpp
class ExampleLook : public QObject {
  public:
    ExampleLook(VolumeDocument& document, VolumePanel& panel, QObject* parent = nullptr);

  private:
    void take();

    VolumeDocument& m_document;
    VolumePanel& m_panel;
    bool m_isExample = false;
};

}  // namespace gantry
