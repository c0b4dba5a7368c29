#include "ui/panels/shared/option_controls.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <cmath>

#include "ui/models/job/option_text.h"
#include "ui/models/text.h"
#include "ui/panels/shared/form_row.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

QString plain(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

NumberField::Style styleOf(const FileField<JobSpec>& row) {
    const FieldOption& option = row.option;
    NumberField::Style style;
    style.unit = optionText(option.unit.empty() ? row.shape.unit : option.unit);
    style.step = option.step;
    style.whole = row.kind() == FieldKind::whole;
    if (style.whole && row.shape.max > row.shape.min)
        style.range = NumberField::Range{static_cast<double>(row.shape.min),
                                         static_cast<double>(row.shape.max)};
    if (option.high > option.low) style.range = NumberField::Range{option.low, option.high};
    return style;
}

}  // namespace

QComboBox* choiceBox(const FileField<JobSpec>& row) {
    auto* box = new QComboBox;
    for (const FieldWord& word : row.words()) {
        if (word.label.empty()) continue;
        box->addItem(optionText(word.label), plain(word.word));
        if (!word.help.empty())
            box->setItemData(box->count() - 1, optionText(word.help), Qt::ToolTipRole);
    }
    box->setToolTip(optionHelp(row.shape, row.option));
    return box;
}

OptionControls::OptionControls(ScanDocument& scan, QObject* parent)
    : QObject(parent), m_scan(scan) {
    connect(&m_scan, &ScanDocument::requestChanged, this, &OptionControls::show);
    connect(&m_scan, &ScanDocument::stateChanged, this, &OptionControls::show);
}

QWidget* OptionControls::add(QFormLayout& form, std::string_view path, const QString& name,
                             const Change& also) {
    return add(form, jobOption(path), name, also);
}

QWidget* OptionControls::add(QFormLayout& form, const FileField<JobSpec>& row, const QString& name,
                             const Change& also) {
    Control control = row.kind() == FieldKind::choice ? makeChoice(row, also)
                      : row.kind() == FieldKind::flag ? makeFlag(row, also)
                                                      : makeNumber(row, also);
    control.form = &form;
    control.widget->setObjectName(name);
    control.widget->setToolTip(optionHelp(row.shape, row.option));
    if (row.kind() == FieldKind::flag) {
        form.addRow(control.widget);
    } else {
        auto* label = new QLabel(optionText(row.option.label));
        label->setBuddy(control.widget);
        form.addRow(label, control.widget);
        if (auto* number = qobject_cast<NumberField*>(control.widget)) number->attachLabel(label);
    }
    m_controls.push_back(control);
    show();
    return control.widget;
}

OptionControls::Control OptionControls::makeChoice(const FileField<JobSpec>& row,
                                                   const Change& also) {
    QComboBox* box = choiceBox(row);
    connect(box, &QComboBox::currentIndexChanged, this, [this, box, &row, also] {
        edit(row, box->currentData().toString().toStdString(), true, also);
    });
    return {&row, nullptr, box, [box](const FieldValue& value) {
                const QSignalBlocker quiet(box);
                box->setCurrentIndex(box->findData(plain(std::get<std::string>(value))));
            }};
}

OptionControls::Control OptionControls::makeFlag(const FileField<JobSpec>& row,
                                                 const Change& also) {
    auto* box = new QCheckBox(optionText(row.option.label));
    connect(box, &QCheckBox::clicked, this,
            [this, &row, also](bool isOn) { edit(row, isOn, true, also); });
    return {&row, nullptr, box,
            [box](const FieldValue& value) { box->setChecked(std::get<bool>(value)); }};
}

OptionControls::Control OptionControls::makeNumber(const FileField<JobSpec>& row,
                                                   const Change& also) {
    auto* number = new NumberField(styleOf(row));
    const bool isWhole = row.kind() == FieldKind::whole;
    connect(number, &NumberField::valueEdited, this,
            [this, &row, also, isWhole](double value, bool isFinal) {
                edit(row, isWhole ? FieldValue(Index{std::llround(value)}) : FieldValue(value),
                     isFinal, also);
            });
    return {&row, nullptr, number, [number, isWhole](const FieldValue& value) {
                number->setValue(isWhole ? static_cast<double>(std::get<Index>(value))
                                         : std::get<double>(value));
            }};
}

void OptionControls::edit(const FileField<JobSpec>& row, const FieldValue& value, bool isFinal,
                          const Change& also) {
    // A choice or a tick is a step of its own.
    const bool isNumber = row.kind() == FieldKind::number || row.kind() == FieldKind::whole;
    const QString key = QString::fromStdString(row.shape.path());
    m_scan.editJob(
        [&](JobSpec& job) {
            row.assign(job, value);
            if (also) also(job);
        },
        optionText(row.option.edit), isNumber ? m_gesture.key(key, isFinal) : QString());
    // What was set may have become another value.
    show();
}

void OptionControls::show() {
    const JobSpec& job = m_scan.request().job;
    for (const Control& control : m_controls) {
        control.show(control.row->value(job));
        if (!control.row->applies) continue;
        const bool applies = control.row->applies(job);
        if (qobject_cast<NumberField*>(control.widget))
            control.form->parentWidget()->setVisible(applies);
        else
            showRow(*control.form, *control.widget, applies);
    }
}

}  // namespace gantry
