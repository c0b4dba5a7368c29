#pragma once

#include <QWidget>
#include <memory>

namespace gantry {

class Workspace;

/// What is open: name, format, size, statistics, suspect frames, problems; and, of bare images,
/// the one form that asks for what is missing, its guesses marked as guesses.
/// Tests: tests/ui/panels/scan_panel_test.cpp
class ScanPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ScanPanel(Workspace& workspace, QWidget* parent = nullptr);
    ~ScanPanel() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
