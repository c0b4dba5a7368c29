#pragma once

#include <QPushButton>

namespace gantry {

class ScanDocument;
struct JobSpec;

/// A button that reconstructs with the filter that the scanner's program had, where a description
/// states it; hidden for other scans, and grey while the filter is so. Its tool tip has all that
/// the description says of it.
/// Tests: tests/ui/panels/open_questions_test.cpp, tests/ui/desktop/scanner_folder_test.cpp
class MakersPreset : public QPushButton {
    Q_OBJECT

  public:
    MakersPreset(const QString& text, ScanDocument& scan, QWidget* parent = nullptr);

  private:
    void showState();
    void take();
    void assignTo(JobSpec& job) const;

    ScanDocument& m_scan;
};

}  // namespace gantry
