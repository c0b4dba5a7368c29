#pragma once

#include <QWidget>
#include <span>
#include <vector>

#include "core/job/job_fields.h"

class QCheckBox;
class QVBoxLayout;

namespace gantry {

class OptionControls;
class ScanDocument;

/// What the next reconstruction does to the views before it filters them: the rows of the section
/// "prep", choices first, then numbers, below check boxes that switch them on and off.
/// Fields of what is not done are hidden; what the scan's trajectory has no means for is grey and
/// says why.
/// Tests: tests/ui/panels/reconstruction_panel_test.cpp, tests/ui/panels/one_more_option_test.cpp
class CorrectionsEditor : public QWidget {
    Q_OBJECT

  public:
    /// table: live as long as the editor
    explicit CorrectionsEditor(ScanDocument& scan, QWidget* parent = nullptr,
                               std::span<const FileField<JobSpec>> table = jobFields());

  signals:
    void comparisonWanted();  ///< of slices with several values of an option

  private:
    using Row = FileField<JobSpec>;
    // A check box, and the rows that it switches, of which the first one knows whether it is on.
    struct Switch {
        QCheckBox* box = nullptr;
        std::vector<const Row*> rows;
    };

    void addRows();
    void addSwitch(const Row& row);
    void addComparison();
    void show();

    ScanDocument& m_scan;
    std::span<const Row> m_table;
    OptionControls* m_controls = nullptr;
    QVBoxLayout* m_column = nullptr;
    std::vector<Switch> m_switches;
    JobSpec m_last;  ///< what comes back when a correction is switched on again
};

}  // namespace gantry
