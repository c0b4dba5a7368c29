#pragma once

#include <QWidget>
#include <functional>
#include <initializer_list>
#include <utility>

#include "core/plan/job_spec.h"

class QCheckBox;
class QVBoxLayout;

namespace gantry {

class OptionControls;
class ScanDocument;

/// What the next reconstruction does to the views before it filters them: beam flux, objects that
/// are cut off, rings, zingers, phase, lag.
/// Fields of what is not done are hidden; what the scan's trajectory has no means for is grey and
/// says why.
/// Tests: tests/ui/panels/reconstruction_panel_test.cpp
class CorrectionsEditor : public QWidget {
    Q_OBJECT

  public:
    explicit CorrectionsEditor(ScanDocument& scan, QWidget* parent = nullptr);

  signals:
    void comparisonWanted();  ///< of slices with several values of an option

  private:
    // A field's place in job.json and its widget's name.
    using Names = std::pair<std::string_view, const char*>;

    // spec: of the correction that the box switches on and off
    template <class Spec>
    QCheckBox* addSwitch(const QString& text, const char* name, std::string_view row,
                         Spec Corrections::*spec);
    void addNumbers(std::initializer_list<Names> fields,
                    const std::function<void(JobSpec&)>& also = {});
    void show();

    ScanDocument& m_scan;
    OptionControls* m_controls = nullptr;
    QVBoxLayout* m_column = nullptr;
    QCheckBox* m_zingers = nullptr;
    QCheckBox* m_phase = nullptr;
    QCheckBox* m_lag = nullptr;
    Corrections m_last;  ///< what comes back when a correction is switched on again
};

}  // namespace gantry
