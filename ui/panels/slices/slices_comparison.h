#pragma once

#include <QWidget>
#include <memory>

namespace gantry {

class Workspace;

/// The open volume (A) and the one it is compared with (B): three slices of both, side by side,
/// blended or as their difference, with the figures. Cross-hair and grey window are the window's.
/// Tests: tests/ui/panels/slices_comparison_test.cpp
class SlicesComparison : public QWidget {
    Q_OBJECT

  public:
    explicit SlicesComparison(Workspace& workspace, QWidget* parent = nullptr);
    ~SlicesComparison() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
