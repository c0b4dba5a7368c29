#pragma once

#include <QObject>
#include <functional>
#include <vector>

#include "core/base/field_table.h"
#include "core/plan/job_spec.h"
#include "ui/panels/shared/edit_gesture.h"

class QComboBox;
class QFormLayout;
class QWidget;

namespace gantry {

class ScanDocument;

/// A list of a row's choices by their labels, with the words as data and their effects as tips.
[[nodiscard]] QComboBox* choiceBox(const FileField<JobSpec>& row);

/// Controls of a form for rows of the table of options: a list, a check box or a number field, with
/// the row's label, tip, unit and range. An edit is a step to undo that the row names. A row that
/// does not apply is hidden; a number, whose problem stands below it, with its whole form (see
/// showRow()), which therefore has only numbers that apply together.
/// Tests: tests/ui/panels/option_controls_test.cpp
class OptionControls : public QObject {
    Q_OBJECT

  public:
    using Change = std::function<void(JobSpec&)>;

    explicit OptionControls(ScanDocument& scan, QObject* parent = nullptr);

    /// Adds a control to the form. name: of the widget, for those that look for it
    /// also: what an edit of this row changes besides
    QWidget* add(QFormLayout& form, const FileField<JobSpec>& row, const QString& name,
                 const Change& also = {});
    QWidget* add(QFormLayout& form, std::string_view path, const QString& name,
                 const Change& also = {});
    /// Sets the row's value as a user does. isFinal: see EditGesture
    void edit(const FileField<JobSpec>& row, const FieldValue& value, bool isFinal,
              const Change& also = {});
    /// Shows the job asked for.
    void show();

  private:
    struct Control {
        const FileField<JobSpec>* row;
        QFormLayout* form;
        QWidget* widget;
        std::function<void(const FieldValue&)> show;
    };

    Control makeChoice(const FileField<JobSpec>& row, const Change& also);
    Control makeFlag(const FileField<JobSpec>& row, const Change& also);
    Control makeNumber(const FileField<JobSpec>& row, const Change& also);

    ScanDocument& m_scan;
    EditGesture m_gesture;
    std::vector<Control> m_controls;
};

}  // namespace gantry
