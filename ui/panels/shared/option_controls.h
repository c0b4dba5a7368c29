#pragma once

#include <QObject>
#include <functional>
#include <span>
#include <vector>

#include "core/base/field_table.h"
#include "core/plan/job_spec.h"
#include "ui/panels/shared/edit_gesture.h"
#include "ui/widgets/fields/number_field.h"

class QComboBox;
class QFormLayout;
class QVBoxLayout;
class QWidget;

namespace gantry {

class ScanDocument;

/// A row of a table as a widget: a list of labels, a check box, a number, some whole numbers or a
/// line of text, with the row's tip, unit and range.
struct FieldControl {
    QWidget* widget = nullptr;
    std::function<void(const FieldValue&)> show;  ///< without a signal
};
/// Gets what the user sets. isFinal: see EditGesture
using TakeValue = std::function<void(const FieldValue& value, bool isFinal)>;

[[nodiscard]] FieldControl makeControl(const FieldShape& shape, const FieldOption& option,
                                       FieldKind kind, std::span<const FieldWord> words,
                                       const TakeValue& take);
template <class Owner>
[[nodiscard]] FieldControl makeControl(const FileField<Owner>& row, const TakeValue& take) {
    return makeControl(row.shape, row.option, row.kind(), row.words(), take);
}

/// Unit, step and range of a row's number.
[[nodiscard]] NumberField::Style numberStyle(const FieldShape& shape, const FieldOption& option,
                                             FieldKind kind);
/// A list of a row's choices by their labels, with the words as data and their effects as tips.
[[nodiscard]] QComboBox* choiceBox(std::span<const FieldWord> words, const QString& toolTip);

/// Rows of a table of options, in its order.
using OptionRows = std::vector<const FileField<JobSpec>*>;
/// Those of a section that have a label for a control.
[[nodiscard]] OptionRows rowsOf(std::span<const FileField<JobSpec>> table,
                                std::string_view section);

/// Controls of a form for rows of the table of options, with the row's label. An edit is a step to
/// undo that the row names. A row that does not apply is hidden; a number, whose problem stands
/// below it, with its whole form (see showRow()), which therefore has only numbers that apply
/// together. A widget is named by its row's path: "prep.crop".
/// Tests: tests/ui/panels/option_controls_test.cpp
class OptionControls : public QObject {
    Q_OBJECT

  public:
    explicit OptionControls(ScanDocument& scan, QObject* parent = nullptr);

    /// Adds a control to the form.
    QWidget* add(QFormLayout& form, const FileField<JobSpec>& row);
    /// Adds a form to the column for each run of rows that apply together, and hides it where they
    /// do not. indent: of the forms, pixels
    void addForms(QVBoxLayout& column, const OptionRows& rows, int indent = 0);
    /// Sets the row's value as a user does. isFinal: see EditGesture
    void edit(const FileField<JobSpec>& row, const FieldValue& value, bool isFinal);
    /// Shows the job asked for.
    void show();

  private:
    struct Control : FieldControl {
        const FileField<JobSpec>* row;
        QFormLayout* form;
        bool isWholeForm;  ///< which is hidden with it
    };
    QWidget* add(QFormLayout& form, const FileField<JobSpec>& row, bool isWholeForm);

    ScanDocument& m_scan;
    EditGesture m_gesture;
    std::vector<Control> m_controls;
};

}  // namespace gantry
