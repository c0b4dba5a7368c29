#pragma once

#include "ui/panels/shared/scan_field_editor.h"
#include "ui/workspace/background/background.h"

class QPushButton;

namespace gantry {

/// Says which angles are listed; loads a list from a text file, or goes back to even steps.
/// Tests: tests/ui/panels/geometry_panel_test.cpp
class ScanAnglesEditor : public ScanFieldEditor {
    Q_OBJECT

  public:
    explicit ScanAnglesEditor(QWidget* parent);
    void showScan(const ScanFile& scan) override;

  private:
    void ask();
    void load(const QString& path);

    QLabel* m_text = nullptr;
    QPushButton* m_load = nullptr;
    QPushButton* m_makeRegular = nullptr;
    QString m_folder;
    Background m_loading;
};

}  // namespace gantry
