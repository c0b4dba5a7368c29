// The editors of numbers, choices, files and angles, and which of them a field gets.
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/foreign_text.h"
#include "core/geometry/scan_geometry.h"
#include "core/io/scan_file/angle_file.h"
#include "ui/models/file_endings.h"
#include "ui/models/job/option_text.h"
#include "ui/models/number_input.h"
#include "ui/models/text.h"
#include "ui/panels/shared/option_controls.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/fields/text_field.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/background/background.h"

namespace gantry {

/// Says which angles are listed; loads a list from a text file, or goes back to even steps.
/// Tests: tests/ui/panels/geometry_panel_test.cpp
class ScanAnglesEditor : public ScanFieldEditor {
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

ScanAnglesEditor::ScanAnglesEditor(QWidget* parent) : ScanFieldEditor(parent) {
    auto* column = new QWidget(this);
    auto* layout = spaced(new QVBoxLayout(column), kSpacing / 2);
    m_text = named(wrapped(new QLabel(this)), "anglesText");
    m_text->setMinimumHeight(kFieldHeight);
    layout->addWidget(m_text);
    m_load = named(new QPushButton(tr("Load a list…"), this), "loadAngles",
                   tr("Takes the angles of the views from a text file, one a line, in degrees."));
    layout->addWidget(m_load);
    m_makeRegular =
        named(new QPushButton(tr("Use even steps"), this), "useEvenSteps",
              tr("Forgets the list: the views are spread evenly over the same start and arc."));
    layout->addWidget(m_makeRegular);
    setEditor(column);
    column->setFocusProxy(m_load);
    connect(m_load, &QPushButton::clicked, this, &ScanAnglesEditor::ask);
    connect(m_makeRegular, &QPushButton::clicked, this, [this] {
        emit changed(
            [](ScanFile& scan) { scan.geometry = withRegularAngles(std::move(scan.geometry)); },
            true);
    });
}

void ScanAnglesEditor::showScan(const ScanFile& scan) {
    m_folder = toText(scan.folder);
    m_text->setText(anglesText(scan.geometry));
    m_makeRegular->setVisible(scan.geometry.hasAngles() &&
                              !scan.geometry.angles().anglesDeg.empty());
}

void ScanAnglesEditor::ask() {
    choosePath(*this,
               {.name = "loadAnglesDialog",
                .title = tr("Load angles"),
                .filters = tr("Text files (*.txt *.csv *.ang)") + ";;" + tr("All files (*)"),
                .start = m_folder},
               [this](const QString& path) { load(path); });
}

void ScanAnglesEditor::load(const QString& path) {
    m_loading.start([file = toPath(path)](
                        const std::stop_token&) { return contiguousAngles(readAngleFile(file)); },
                    [this](std::vector<double> angles) {
                        emit changed(
                            [angles = std::move(angles)](ScanFile& scan) {
                                if (!scan.geometry.hasAngles()) return;
                                scan.geometry.angles().anglesDeg = angles;
                                scan.geometry.angles().views = std::ssize(angles);
                            },
                            true);
                    },
                    [this](const QString& sentence) { setProblem(sentence, true); });
}

namespace {

constexpr int kTypingRestMs = 300;

// An editor that knows its field.
class RowEditor : public ScanFieldEditor {
  public:
    RowEditor(const ScanField& field, QWidget* parent) : ScanFieldEditor(parent), m_field(field) {}

  protected:
    void tell(const FieldValue& value, bool isFinal) {
        emit changed([field = m_field, value](ScanFile& scan) { field.assign(scan, value); },
                     isFinal);
    }
    [[nodiscard]] NumberField::Style shownStyle() const {
        NumberField::Style style =
            numberStyle(m_field.row->shape, m_field.row->option, m_field.kind());
        style.digits = kFormDigits;
        return style;
    }
    [[nodiscard]] QString absent() const { return optionText(m_field.row->option.absent); }

    const ScanField m_field;
};

class NumberEditor : public RowEditor {
  public:
    NumberEditor(const ScanField& field, QWidget* parent) : RowEditor(field, parent) {
        NumberField::Style style = shownStyle();
        m_unit = style.unit;
        if (!m_field.otherUnits.empty())
            style.inUnit = [this](const QString& text) { return inUnit(text); };
        m_number = new NumberField(std::move(style), this);
        m_fixed = named(remark({}, this), "fixed");
        m_fixed->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_fixed->setMinimumHeight(kFieldHeight);
        m_fixed->hide();
        m_stack = new QWidget(this);
        auto* layout = new QHBoxLayout(m_stack);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(m_number);
        layout->addWidget(m_fixed);
        m_stack->setFocusProxy(m_number);
        setEditor(m_stack);
        connect(m_number, &NumberField::valueEdited, this, &NumberEditor::tell);
        // The error of a number is shown while it is typed, as soon as the typing rests: on the way
        // to 1200 there is 1, which would be wrong.
        m_rest.setSingleShot(true);
        m_rest.setInterval(kTypingRestMs);
        connect(&m_rest, &QTimer::timeout, this, &NumberEditor::tryText);
        m_edit = m_number->findChild<QLineEdit*>("edit");
        connect(m_edit, &QLineEdit::textChanged, &m_rest, qOverload<>(&QTimer::start));
    }

    void showScan(const ScanFile& scan) override {
        const double value = m_field.number(scan);
        if (!m_field.otherUnits.empty()) m_scan = scan;
        m_number->setValue(value);
        m_fixed->setText(m_field.text(value));
    }
    void forgetTyping() override { m_number->forgetTyping(); }
    void setProblem(const QString& sentence, bool isError) override {
        m_number->setProblem(sentence, isError);
    }
    [[nodiscard]] QString problem() const override { return m_number->problem(); }
    void setGuess(const QString& reason) override { m_number->setGuess(reason); }
    void setFixed(bool isFixed) override {
        m_number->setVisible(!isFixed);
        m_fixed->setVisible(isFixed);
        // The keyboard has nothing to do there.
        m_stack->setFocusProxy(isFixed ? nullptr : m_number);
    }
    void attachLabel(QLabel* label) override { m_number->attachLabel(label); }

  private:
    // Converts what is typed in another unit, as NumberField::Style wants it.
    [[nodiscard]] QString inUnit(const QString& text) const {
        const QString typed = text.trimmed();
        for (const auto& [unit, toValue] : m_field.otherUnits) {
            const auto number = typed.endsWith(unit, Qt::CaseInsensitive)
                                    ? parseNumber(typed.chopped(unit.size()), {})
                                    : std::nullopt;
            // With an exponent, a point is not taken for one between thousands.
            if (number) return QString::number(toValue(m_scan, *number), 'e', 14);
        }
        static const QRegularExpression letters(R"(\d\s*(\D*)$)");
        const QString begun = letters.match(typed).captured(1);
        if (begun.isEmpty() || parseNumber(typed, m_unit)) return text;
        const bool isBegun = std::ranges::any_of(m_field.otherUnits, [&](const auto& other) {
            return other.unit.startsWith(begun, Qt::CaseInsensitive);
        });
        return isBegun ? QString() : text;
    }

    void tryText() {
        const auto value = parseNumber(inUnit(m_edit->text()), m_unit);
        if (m_edit->isModified() && !value) return;
        emit tried([field = m_field, typed = m_edit->isModified(), value](ScanFile& scan) {
            if (typed) field.assign(scan, *value);
        });
    }

    QString m_unit;
    QWidget* m_stack = nullptr;
    ScanFile m_scan;  // of a field with other units, which depend on it
    NumberField* m_number = nullptr;
    QLineEdit* m_edit = nullptr;
    QLabel* m_fixed = nullptr;
    QTimer m_rest;
};

class OptionalNumberEditor : public RowEditor {
  public:
    OptionalNumberEditor(const ScanField& field, QWidget* parent) : RowEditor(field, parent) {
        // In the order of the Tab key.
        m_given = new QCheckBox(this);
        m_number = new NumberField(shownStyle(), this);
        m_given->setToolTip(ScanFieldEditor::tr("Give a number"));
        m_absent = remark(absent(), this);
        auto* row = new QWidget(this);
        row->setMinimumHeight(kFieldHeight);
        auto* layout = spaced(new QHBoxLayout(row), 4);
        layout->addWidget(m_given);
        layout->addWidget(m_number, 1);
        layout->addWidget(m_absent, 1);
        row->setFocusProxy(m_given);
        setEditor(row);
        connect(m_given, &QCheckBox::clicked, this, [this](bool isGiven) {
            tell(isGiven ? FieldValue(m_field.row->option.start) : FieldValue(), true);
        });
        connect(m_number, &NumberField::valueEdited, this, &OptionalNumberEditor::tell);
    }

    void showScan(const ScanFile& scan) override {
        const FieldValue value = m_field.value(scan);
        const auto* number = std::get_if<double>(&value);
        m_given->setChecked(number != nullptr);
        // Undone while it is edited: the focus stays in this row.
        if (!number && m_number->isAncestorOf(QApplication::focusWidget())) m_given->setFocus();
        m_number->setVisible(number != nullptr);
        m_absent->setVisible(number == nullptr);
        if (number) m_number->setValue(*number);
    }
    void forgetTyping() override { m_number->forgetTyping(); }

  private:
    QCheckBox* m_given = nullptr;
    NumberField* m_number = nullptr;
    QLabel* m_absent = nullptr;
};

class ChoiceEditor : public RowEditor {
  public:
    ChoiceEditor(const ScanField& field, QWidget* parent)
        : RowEditor(field, parent), m_options(choiceBox(field.row->words(), {})) {
        m_options->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        setEditor(m_options);
        connect(m_options, &QComboBox::activated, this,
                [this] { tell(m_options->currentData().toString().toStdString(), true); });
    }

    void showScan(const ScanFile& scan) override {
        const FieldValue value = m_field.value(scan);
        const auto* word = std::get_if<std::string>(&value);
        m_options->setCurrentIndex(word ? m_options->findData(QString::fromStdString(*word)) : 0);
    }

  private:
    QComboBox* m_options = nullptr;
};

class FilesEditor : public RowEditor {
  public:
    FilesEditor(const ScanField& field, QWidget* parent) : RowEditor(field, parent) {
        m_name = new TextField(this);
        m_name->setPlaceholderText(absent());
        setEditor(m_name);
        connect(m_name, &QLineEdit::editingFinished, this, [this] {
            if (m_name->isModified())
                tell(bytesOfUtf8(m_name->text().trimmed().toStdString()), true);
            m_name->setModified(false);
        });
        if (field.name != "projections.entry") addChooser();
    }

    void showScan(const ScanFile& scan) override {
        m_folder = toText(scan.folder);
        const FieldValue value = m_field.value(scan);
        const auto* held = std::get_if<std::string>(&value);
        const QString name = held ? toText(*held) : QString();
        if (m_name->text() == name || (m_name->isModified() && m_name->hasFocus())) return;
        m_name->setText(name);
        m_name->setCursorPosition(0);
    }
    void forgetTyping() override { m_name->setModified(false); }

  private:
    // What a field names is a place on the disk, but for an entry, which is one in a file.
    void addChooser() {
        auto* choose =
            named(new QToolButton(this), "choose", ScanFieldEditor::tr("Choose a folder or file"));
        choose->setIcon(icon("folder"));
        choose->setPopupMode(QToolButton::InstantPopup);
        auto* menu = new QMenu(choose);
        menu->addAction(ScanFieldEditor::tr("Folder of images…"), this,
                        [this] { ask(QFileDialog::Directory); });
        menu->addAction(ScanFieldEditor::tr("Image file…"), this,
                        [this] { ask(QFileDialog::ExistingFile); });
        if (!absent().isEmpty())
            menu->addAction(ScanFieldEditor::tr("None"), this,
                            [this] { tell(std::string(), true); });
        choose->setMenu(menu);
        addAccessory(choose);
    }

    void ask(QFileDialog::FileMode mode) {
        const QString images = ScanFieldEditor::tr("Images (%1)").arg(endingsOfProjections());
        const QString all = ScanFieldEditor::tr("All files (*)");
        const bool isFile = mode == QFileDialog::ExistingFile;
        choosePath(*this,
                   {"chooseImages", ScanFieldEditor::tr("Choose images"),
                    isFile ? images + ";;" + all : QString(), mode, m_folder},
                   [this](const QString& path) {
                       emit changed(
                           [field = m_field, path](ScanFile& scan) {
                               field.assign(scan, nameInScan(scan, path));
                           },
                           true);
                   });
    }

    QLineEdit* m_name = nullptr;
    QString m_folder;
};

ScanFieldEditor* newEditor(const ScanField& field, QWidget* parent) {
    switch (field.kind()) {
        case FieldKind::choice:
            return new ChoiceEditor(field, parent);
        case FieldKind::text:
            return new FilesEditor(field, parent);
        case FieldKind::optionalNumber:
            return new OptionalNumberEditor(field, parent);
        case FieldKind::numbers:
            return new ScanAnglesEditor(parent);
        default:
            return new NumberEditor(field, parent);
    }
}

}  // namespace

ScanFieldEditor* makeEditor(const ScanField& field, QWidget* parent) {
    ScanFieldEditor* editor = named(newEditor(field, parent), field.name, field.toolTip);
    editor->setAccessibleName(field.what);
    return editor;
}

}  // namespace gantry
