#include "ui/panels/montage/montage_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/throw_error.h"
#include "core/live/montage_values.h"
#include "ui/models/job/compared_field.h"
#include "ui/models/job/option_text.h"
#include "ui/panels/shared/option_controls.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/fields/pending_edit.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

QString sliceLabel(std::size_t kind) {
    const std::array labels = {MontageForm::tr("Axial"), MontageForm::tr("Coronal"),
                               MontageForm::tr("Sagittal")};
    return labels.at(kind);
}

QLabel* buddyLabel(const QString& text, QWidget* field) {
    auto* label = new QLabel(text);
    label->setBuddy(field);
    return label;
}

bool isListed(const VariedField& field) {
    return field.option.kind != FieldKind::choice && field.option.kind != FieldKind::flag;
}

}  // namespace

MontageForm::MontageForm(ScanDocument& scan, QWidget* parent) : QWidget(parent), m_scan(scan) {
    auto* column = spaced(new QVBoxLayout(this), kSpacing);
    column->addWidget(makeParameterRow());
    m_valuesPlace = spaced(new QVBoxLayout, 0);
    column->addLayout(m_valuesPlace);
    column->addWidget(makeSliceRow());
    followScan();
}

QWidget* MontageForm::makeParameterRow() {
    auto* row = new QWidget(this);
    m_parameter = named(new QComboBox(row), "montageParameter",
                        tr("What differs from picture to picture. Type a part of its name."));
    m_parameter->setEditable(true);
    m_parameter->setInsertPolicy(QComboBox::NoInsert);
    m_parameter->setMaxVisibleItems(30);
    m_parameter->completer()->setFilterMode(Qt::MatchContains);
    m_parameter->completer()->setCompletionMode(QCompleter::PopupCompletion);
    connect(m_parameter, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index < 0) return;
        m_isChosen = true;
        m_path = m_fields[static_cast<std::size_t>(index)].path;
        showField();
    });
    auto* line = spaced(new QHBoxLayout(row), kSpacing);
    line->addWidget(buddyLabel(tr("Parameter"), m_parameter));
    line->addWidget(m_parameter, 1);
    return row;
}

QWidget* MontageForm::makeSliceRow() {
    auto* row = new QWidget(this);
    m_slice = named(new QComboBox(row), "montageSlice", tr("Which slice all pictures show."));
    for (std::size_t kind = 0; kind < kSliceKinds.size(); ++kind)
        m_slice->addItem(sliceLabel(kind));
    m_axis = new QLabel(row);
    m_at = named(new NumberField({.unit = "mm", .step = 1, .digits = 5}, row), "montageAt",
                 tr("Where the slice lies along its axis, from the isocentre."));
    m_axis->setBuddy(m_at);
    connect(m_slice, &QComboBox::currentIndexChanged, this, &MontageForm::showPlace);
    connect(m_at, &NumberField::valueEdited, this,
            [this](double value) { m_placeMm[kSliceKinds[sliceKind()].along] = value; });
    auto* line = spaced(new QHBoxLayout(row), kSpacing);
    line->addWidget(buddyLabel(tr("Slice"), m_slice));
    line->addWidget(m_slice);
    line->addWidget(m_axis);
    line->addWidget(m_at);
    line->addStretch(1);
    return row;
}

void MontageForm::followScan() {
    m_trajectory = m_scan.geometry().trajectory.index();
    m_fields = m_scan.hasScan() ? comparedFields(m_scan.request().job) : std::vector<VariedField>();
    const QSignalBlocker quiet(m_parameter);
    m_parameter->clear();
    for (const VariedField& field : m_fields) {
        m_parameter->addItem(nameOf(field));
        m_parameter->setItemData(m_parameter->count() - 1,
                                 optionHelp(*field.option.shape, *field.option.option),
                                 Qt::ToolTipRole);
    }
    const auto found = std::ranges::find(m_fields, m_path, &VariedField::path);
    const bool isThere = found != m_fields.end();
    if (!isThere && !m_fields.empty()) m_path = m_fields.front().path;
    m_parameter->setCurrentIndex(isThere ? static_cast<int>(found - m_fields.begin()) : 0);
    showField();
    showPlace();
}

void MontageForm::followEdit() {
    if (m_scan.geometry().trajectory.index() != m_trajectory) followScan();
    showPlace();
}

void MontageForm::suggest(const std::string& path) {
    const auto found = std::ranges::find(m_fields, path, &VariedField::path);
    if (m_isChosen || found == m_fields.end()) return;
    m_path = path;
    const QSignalBlocker quiet(m_parameter);
    m_parameter->setCurrentIndex(static_cast<int>(found - m_fields.begin()));
    showField();
}

void MontageForm::showAt(Vec3 placeMm) {
    m_placeMm = {placeMm.x, placeMm.y, placeMm.z};
    showPlace();
}

void MontageForm::showPlace() {
    const SliceKind& kind = kSliceKinds[sliceKind()];
    m_axis->setText(tr("at %1").arg(QString::fromLatin1(kind.axis)));
    const VolumeGrid& grid = m_scan.request().job.volume;
    const double reach =
        static_cast<double>(grid.voxels[kind.along]) / 2 * grid.pitchMm[kind.along];
    const double centre = grid.centerMm[kind.along];
    double& at = m_placeMm[kind.along];
    if (reach > 0) {
        m_at->setRange(NumberField::Range{centre - reach, centre + reach});
        if (std::abs(at - centre) > reach) at = centre;
    }
    m_at->setValue(at);
}

void MontageForm::showField() {
    m_list = nullptr;
    m_range = {};
    m_choices.clear();
    delete m_values;
    m_values = new QWidget(this);
    m_valuesPlace->addWidget(m_values);
    if (m_fields.empty()) return;
    if (isListed(shownField()))
        showNumbers();
    else
        showChoices();
}

void MontageForm::showNumbers() {
    const VariedField& shown = shownField();
    const FieldKind kind = shown.option.kind;
    NumberField::Style style = numberStyle(*shown.option.shape, *shown.option.option, kind);
    style.unit = optionText(shown.unit);
    // The value of none, 0, is outside of what is usual, and the list says what is allowed.
    style.range.reset();
    const NumberField::Style ofCount = {
        .step = 1,
        .whole = true,
        .range = NumberField::Range{2, static_cast<double>(kMaxMontageValues)}};
    auto* line = spaced(new QHBoxLayout(m_values), kSpacing);
    const auto add = [&](std::size_t place, const QString& text, const char* name,
                         const NumberField::Style& one) {
        m_range[place] = named(new NumberField(one, m_values), name);
        connect(m_range[place], &NumberField::valueEdited, this, &MontageForm::writeRange);
        line->addWidget(buddyLabel(text, m_range[place]));
        line->addWidget(m_range[place]);
    };
    add(0, tr("From"), "montageFrom", style);
    add(1, tr("to"), "montageTo", style);
    add(2, tr("Pictures"), "montageCount", ofCount);
    m_list = named(new QLineEdit(m_values), "montageValues",
                   tr("The values, with commas between. They follow the range beside them, and can "
                      "be typed."));
    m_list->setClearButtonEnabled(true);
    line->addWidget(buddyLabel(tr("Values"), m_list));
    line->addWidget(m_list, 1);
    connect(m_list, &QLineEdit::textEdited, this, &MontageForm::takeList);

    const ValueRange range = usualRange(shown, m_scan.request().job);
    m_range[0]->setValue(range.from);
    m_range[1]->setValue(range.to);
    m_range[2]->setValue(range.count);
    m_list->setText(rangeText(shown, range));
    const QString kept = m_texts.value(QString::fromStdString(m_path));
    if (kept.isEmpty()) return;
    m_list->setText(kept);
    takeList(kept);
}

// The range shows the ends of what is typed, as far as these are numbers.
void MontageForm::takeList(const QString& text) {
    m_texts.insert(QString::fromStdString(m_path), text);
    const QStringList words = text.split(',');
    bool areNumbers[2] = {};
    const double from = words.first().toDouble(&areNumbers[0]);
    const double to = words.last().toDouble(&areNumbers[1]);
    if (words.size() < 2 || !areNumbers[0] || !areNumbers[1]) return;
    m_range[0]->setValue(from);
    m_range[1]->setValue(to);
    m_range[2]->setValue(static_cast<double>(words.size()));
}

void MontageForm::writeRange() {
    const ValueRange range = {m_range[0]->value(), m_range[1]->value(),
                              static_cast<int>(m_range[2]->value())};
    m_list->setText(rangeText(shownField(), range));
    m_texts.insert(QString::fromStdString(m_path), m_list->text());
}

void MontageForm::showChoices() {
    const VariedField& shown = shownField();
    auto* line = spaced(new QHBoxLayout(m_values), 2 * kSpacing);
    line->addWidget(new QLabel(tr("Values"), m_values));
    const bool isFlag = shown.option.kind == FieldKind::flag;
    const std::vector<std::string> words =
        isFlag ? std::vector<std::string>{"false", "true"} : shown.option.words;
    const QString key = QString::fromStdString(m_path);
    const QStringList kept = m_texts.value(key).split(',');
    for (const std::string& word : words) {
        const std::size_t place = isFlag ? 0 : placeOf(word, shown.choices);
        if (!isFlag && shown.choices[place].label.empty()) continue;
        const FieldValue value = isFlag ? FieldValue(word == "true") : FieldValue(word);
        const QString text = QString::fromStdString(word);
        auto* box = named(new QCheckBox(valueText(shown, value), m_values), text);
        if (!isFlag) box->setToolTip(optionText(shown.choices[place].help));
        box->setChecked(!m_texts.contains(key) || kept.contains(text));
        connect(box, &QCheckBox::clicked, this, [this, key] {
            QStringList chosen;
            for (const QCheckBox* each : m_choices)
                if (each->isChecked()) chosen << each->objectName();
            m_texts.insert(key, chosen.join(','));
        });
        line->addWidget(box);
        m_choices.push_back(box);
    }
    line->addStretch(1);
}

bool MontageForm::takeNumbers() {
    for (NumberField* number : findChildren<NumberField*>()) {
        if (!number->isPending() || number->take()) continue;
        focusField(*number);
        return false;
    }
    return true;
}

const VariedField& MontageForm::field() const {
    const QString typed = m_parameter->currentText();
    if (m_fields.empty() || m_parameter->findText(typed, Qt::MatchFixedString) < 0)
        throwError<InputError>("No parameter is called “{}”; choose one from the list.",
                               typed.toStdString());
    return shownField();
}

const VariedField& MontageForm::shownField() const {
    return *std::ranges::find(m_fields, m_path, &VariedField::path);
}

std::vector<std::string> MontageForm::words() const {
    if (m_list)
        return valueWords(m_list->text().toStdString(), optionText(field().label).toStdString());
    std::vector<std::string> words;
    for (const QCheckBox* box : m_choices)
        if (box->isChecked()) words.push_back(box->objectName().toStdString());
    return words;
}

std::size_t MontageForm::sliceKind() const {
    return static_cast<std::size_t>(std::max(0, m_slice->currentIndex()));
}

double MontageForm::atMm() const {
    return m_placeMm[kSliceKinds[sliceKind()].along];
}

}  // namespace gantry
