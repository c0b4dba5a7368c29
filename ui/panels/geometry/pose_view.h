#pragma once

#include <QWidget>
#include <memory>

namespace gantry {

class ScanDocument;

/// Calibrated poses of a scan: the mean circle with what is left, each parameter over the views,
/// and a table of all numbers, whose edits are the document's. Nothing of a scan with another
/// trajectory. Tests: tests/ui/panels/pose_view_test.cpp
class PoseView : public QWidget {
    Q_OBJECT

  public:
    explicit PoseView(ScanDocument& document, QWidget* parent = nullptr);
    ~PoseView() override;

  private:
    void refresh();
    void plot();

    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
