#include "ui/panels/shared/option_controls.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QRegularExpressionValidator>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>

#include "ui/models/job/option_text.h"
#include "ui/panels/shared/form_row.h"
#include "ui/widgets/fields/text_field.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

QString plain(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

FieldControl choiceControl(std::span<const FieldWord> words, const TakeValue& take) {
    QComboBox* box = choiceBox(words, {});
    QObject::connect(box, &QComboBox::currentIndexChanged, box,
                     [box, take] { take(box->currentData().toString().toStdString(), true); });
    return {box, [box](const FieldValue& value) {
                const QSignalBlocker quiet(box);
                box->setCurrentIndex(box->findData(plain(std::get<std::string>(value))));
            }};
}

FieldControl flagControl(const QString& label, const TakeValue& take) {
    auto* box = new QCheckBox(label);
    QObject::connect(box, &QCheckBox::clicked, box, [take](bool isOn) { take(isOn, true); });
    return {box, [box](const FieldValue& value) { box->setChecked(std::get<bool>(value)); }};
}

FieldControl textControl(const TakeValue& take) {
    auto* line = new TextField;
    QObject::connect(line, &QLineEdit::textEdited, line,
                     [take](const QString& typed) { take(typed.trimmed().toStdString(), false); });
    QObject::connect(line, &QLineEdit::editingFinished, line, [line, take] {
        if (!line->isModified()) return;
        line->setModified(false);
        take(line->text().trimmed().toStdString(), true);
    });
    return {line, [line](const FieldValue& value) {
                const QString held = plain(std::get<std::string>(value));
                if (line->text().trimmed() != held) line->setText(held);
            }};
}

// A text is a line.
FieldControl linesControl(const TakeValue& take) {
    auto* box = new QPlainTextEdit;
    constexpr int kLines = 3;
    box->setFixedHeight(kLines * box->fontMetrics().height() + 2 * kSpacing);
    box->setTabChangesFocus(true);
    box->setLineWrapMode(QPlainTextEdit::NoWrap);
    const auto typed = [box] {
        std::vector<std::string> lines;
        for (const QString& line : box->toPlainText().split('\n'))
            if (!line.trimmed().isEmpty()) lines.push_back(line.trimmed().toStdString());
        return lines;
    };
    QObject::connect(box, &QPlainTextEdit::textChanged, box,
                     [take, typed] { take(typed(), false); });
    return {box, [box, typed](const FieldValue& value) {
                const auto& lines = std::get<std::vector<std::string>>(value);
                if (typed() == lines) return;
                const QSignalBlocker quiet(box);
                QStringList texts;
                for (const std::string& line : lines)
                    texts << plain(line);
                box->setPlainText(texts.join('\n'));
            }};
}

// Whole numbers in a line, as on the command line: "0, 200, 1024, 300".
FieldControl wholesControl(const FieldOption& option, const TakeValue& take) {
    auto* line = new TextField;
    line->setPlaceholderText(optionText(option.absent));
    line->setMinimumWidth(0);
    static const QRegularExpression kTyped(QStringLiteral("[0-9, ]*"));
    line->setValidator(new QRegularExpressionValidator(kTyped, line));
    const auto typed = [line] {
        static const QRegularExpression kBetween(QStringLiteral("[, ]+"));
        std::vector<Index> numbers;
        for (const QString& number : line->text().split(kBetween, Qt::SkipEmptyParts))
            numbers.push_back(number.toLongLong());
        return numbers;
    };
    QObject::connect(line, &QLineEdit::editingFinished, line, [line, take, typed] {
        if (!line->isModified()) return;
        line->setModified(false);
        take(typed(), true);
    });
    return {line, [line, typed](const FieldValue& value) {
                if (line->isModified()) return;
                const auto* held = std::get_if<std::vector<Index>>(&value);
                const std::vector<Index> numbers = held ? *held : std::vector<Index>();
                if (typed() == numbers) return;
                QStringList texts;
                for (const Index number : numbers)
                    texts << QString::number(number);
                line->setText(texts.join(QStringLiteral(", ")));
            }};
}

FieldControl numberControl(const NumberField::Style& style, const TakeValue& take) {
    auto* field = new NumberField(style);
    QObject::connect(field, &NumberField::valueEdited, field,
                     [take, isWhole = style.whole](double value, bool isFinal) {
                         take(isWhole ? FieldValue(Index{std::llround(value)}) : FieldValue(value),
                              isFinal);
                     });
    return {field, [field, isWhole = style.whole](const FieldValue& value) {
                field->setValue(isWhole ? static_cast<double>(std::get<Index>(value))
                                        : std::get<double>(value));
            }};
}

}  // namespace

NumberField::Style numberStyle(const FieldShape& shape, const FieldOption& option, FieldKind kind) {
    NumberField::Style style;
    style.unit = optionText(option.unit.empty() ? shape.unit : option.unit);
    style.step = option.step;
    style.whole = kind == FieldKind::whole || kind == FieldKind::wholeTriple;
    if (style.whole) style.digits = 8;  // a limit of a million has all of its zeros
    if (style.whole && shape.max > shape.min)
        style.range =
            NumberField::Range{static_cast<double>(shape.min), static_cast<double>(shape.max)};
    if (option.high > option.low) style.range = NumberField::Range{option.low, option.high};
    if (kind == FieldKind::number || kind == FieldKind::whole)
        style.zero = optionText(option.absent);
    return style;
}

QComboBox* choiceBox(std::span<const FieldWord> words, const QString& toolTip) {
    auto* box = new QComboBox;
    for (const FieldWord& word : words) {
        if (word.label.empty()) continue;
        box->addItem(optionText(word.label), plain(word.word));
        if (!word.help.empty())
            box->setItemData(box->count() - 1, optionText(word.help), Qt::ToolTipRole);
    }
    box->setToolTip(toolTip);
    return box;
}

FieldControl makeControl(const FieldShape& shape, const FieldOption& option, FieldKind kind,
                         std::span<const FieldWord> words, const TakeValue& take) {
    FieldControl control = kind == FieldKind::choice  ? choiceControl(words, take)
                           : kind == FieldKind::flag  ? flagControl(optionText(option.label), take)
                           : kind == FieldKind::text  ? textControl(take)
                           : kind == FieldKind::texts ? linesControl(take)
                           : kind == FieldKind::wholes
                               ? wholesControl(option, take)
                               : numberControl(numberStyle(shape, option, kind), take);
    control.widget->setToolTip(optionHelp(shape, option));
    return control;
}

OptionRows rowsOf(std::span<const FileField<JobSpec>> table, std::string_view section) {
    OptionRows rows;
    for (const FileField<JobSpec>& row : table)
        if (row.shape.section == section && !row.option.label.empty()) rows.push_back(&row);
    return rows;
}

OptionControls::OptionControls(ScanDocument& scan, QObject* parent)
    : QObject(parent), m_scan(scan) {
    connect(&m_scan, &ScanDocument::requestChanged, this, &OptionControls::show);
    connect(&m_scan, &ScanDocument::stateChanged, this, &OptionControls::show);
}

QWidget* OptionControls::add(QFormLayout& form, const FileField<JobSpec>& row) {
    const bool isNumber = row.kind() == FieldKind::number || row.kind() == FieldKind::whole;
    return add(form, row, isNumber);
}

void OptionControls::addForms(QVBoxLayout& column, const OptionRows& rows, int indent) {
    QFormLayout* form = nullptr;
    const FileField<JobSpec>* last = nullptr;
    for (const FileField<JobSpec>* row : rows) {
        if (!last || row->applies != last->applies) {
            auto* fields = new QWidget;
            form = spaced(new QFormLayout(fields), kSpacing, {indent, 0, 0, 0});
            column.addWidget(fields);
        }
        add(*form, *row, true);
        last = row;
    }
}

QWidget* OptionControls::add(QFormLayout& form, const FileField<JobSpec>& row, bool isWholeForm) {
    const Control control = {
        makeControl(row, [this, &row](const FieldValue& value,
                                      bool isFinal) { edit(row, value, isFinal); }),
        &row, &form, isWholeForm};
    control.widget->setObjectName(QString::fromStdString(row.shape.path()));
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

void OptionControls::edit(const FileField<JobSpec>& row, const FieldValue& value, bool isFinal) {
    // A choice or a tick is a step of its own.
    const bool isStep = row.kind() == FieldKind::choice || row.kind() == FieldKind::flag;
    const QString key = QString::fromStdString(row.shape.path());
    m_scan.editJob(
        [&](JobSpec& job) {
            row.assign(job, value);
            if (row.settle) row.settle(job);
        },
        optionEdit(row.option), isStep ? QString() : m_gesture.key(key, isFinal));
    // What was set may have become another value.
    show();
}

void OptionControls::show() {
    const JobSpec& job = m_scan.request().job;
    for (const Control& control : m_controls) {
        control.show(control.row->value(job));
        if (!control.row->applies) continue;
        const bool applies = control.row->applies(job);
        if (control.isWholeForm)
            control.form->parentWidget()->setVisible(applies);
        else
            showRow(*control.form, *control.widget, applies);
    }
}

}  // namespace gantry
