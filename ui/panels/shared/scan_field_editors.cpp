// The editors of numbers, choices and files, and which of them a field gets.
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "ui/models/number_input.h"
#include "ui/models/text.h"
#include "ui/panels/shared/scan_angles_editor.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/fields/text_field.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr int kTypingRestMs = 300;

NumberField::Style styleOf(const QString& unit, double step, bool isWhole) {
    NumberField::Style style;
    style.unit = unit;
    style.step = step;
    style.digits = 8;
    style.whole = isWhole;
    return style;
}

class NumberEditor : public ScanFieldEditor {
  public:
    NumberEditor(ScanField::Number kind, QWidget* parent)
        : ScanFieldEditor(parent), m_kind(std::move(kind)) {
        NumberField::Style style = styleOf(m_kind.unit, m_kind.step, m_kind.whole);
        if (!m_kind.otherUnits.empty())
            style.inUnit = [this](const QString& text) { return inUnit(text); };
        m_number = new NumberField(std::move(style), this);
        m_fixed = remark({}, this);
        m_fixed->setObjectName("fixed");
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
        connect(m_number, &NumberField::valueEdited, this, [this](double value, bool isFinal) {
            emit changed([set = m_kind.set, value](ScanFile& scan) { set(scan, value); }, isFinal);
        });
        // The error of a number is shown while it is typed, as soon as the typing rests: on the way
        // to 1200 there is 1, which would be wrong.
        m_rest.setSingleShot(true);
        m_rest.setInterval(kTypingRestMs);
        connect(&m_rest, &QTimer::timeout, this, &NumberEditor::tryText);
        m_edit = m_number->findChild<QLineEdit*>("edit");
        connect(m_edit, &QLineEdit::textChanged, &m_rest, qOverload<>(&QTimer::start));
    }

    void showScan(const ScanFile& scan) override {
        const double value = m_kind.get(scan);
        if (!m_kind.otherUnits.empty()) m_scan = scan;
        m_number->setValue(value);
        m_fixed->setText(numberText(value, 8) + (m_kind.unit.isEmpty() ? "" : ' ' + m_kind.unit));
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
        for (const auto& [unit, toValue] : m_kind.otherUnits) {
            const auto number = typed.endsWith(unit, Qt::CaseInsensitive)
                                    ? parseNumber(typed.chopped(unit.size()), {})
                                    : std::nullopt;
            // With an exponent, a point is not taken for one between thousands.
            if (number) return QString::number(toValue(m_scan, *number), 'e', 14);
        }
        static const QRegularExpression letters(R"(\d\s*(\D*)$)");
        const QString begun = letters.match(typed).captured(1);
        if (begun.isEmpty() || parseNumber(typed, m_kind.unit)) return text;
        const bool isBegun = std::any_of(
            m_kind.otherUnits.begin(), m_kind.otherUnits.end(),
            [&](const auto& other) { return other.unit.startsWith(begun, Qt::CaseInsensitive); });
        return isBegun ? QString() : text;
    }

    void tryText() {
        const auto value = parseNumber(inUnit(m_edit->text()), m_kind.unit);
        if (m_edit->isModified() && !value) return;
        emit tried([set = m_kind.set, typed = m_edit->isModified(), value](ScanFile& scan) {
            if (typed) set(scan, *value);
        });
    }

    ScanField::Number m_kind;
    QWidget* m_stack = nullptr;
    ScanFile m_scan;  // of a field with other units, which depend on it
    NumberField* m_number = nullptr;
    QLineEdit* m_edit = nullptr;
    QLabel* m_fixed = nullptr;
    QTimer m_rest;
};

class OptionalNumberEditor : public ScanFieldEditor {
  public:
    OptionalNumberEditor(ScanField::OptionalNumber kind, QWidget* parent)
        : ScanFieldEditor(parent), m_kind(std::move(kind)) {
        m_number = new NumberField(styleOf(m_kind.unit, m_kind.step, false), this);
        m_given = new QCheckBox(this);
        m_given->setToolTip(ScanFieldEditor::tr("Give a number"));
        m_absent = remark(m_kind.absent, this);
        auto* row = new QWidget(this);
        row->setMinimumHeight(kFieldHeight);
        auto* layout = new QHBoxLayout(row);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(4);
        layout->addWidget(m_given);
        layout->addWidget(m_number, 1);
        layout->addWidget(m_absent, 1);
        row->setFocusProxy(m_given);
        setEditor(row);
        connect(m_given, &QCheckBox::clicked, this, [this](bool isGiven) {
            tell(isGiven ? std::optional(m_kind.start) : std::nullopt, true);
        });
        connect(m_number, &NumberField::valueEdited, this, &OptionalNumberEditor::tell);
    }

    void showScan(const ScanFile& scan) override {
        const std::optional<double> value = m_kind.get(scan);
        m_given->setChecked(value.has_value());
        m_number->setVisible(value.has_value());
        m_absent->setVisible(!value);
        if (value) m_number->setValue(*value);
    }
    void forgetTyping() override { m_number->forgetTyping(); }

  private:
    void tell(std::optional<double> value, bool isFinal) {
        emit changed([set = m_kind.set, value](ScanFile& scan) { set(scan, value); }, isFinal);
    }

    ScanField::OptionalNumber m_kind;
    QCheckBox* m_given = nullptr;
    NumberField* m_number = nullptr;
    QLabel* m_absent = nullptr;
};

class ChoiceEditor : public ScanFieldEditor {
  public:
    ChoiceEditor(ScanField::Choice kind, QWidget* parent)
        : ScanFieldEditor(parent), m_kind(std::move(kind)) {
        m_options = new QComboBox(this);
        m_options->addItems(m_kind.options);
        m_options->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        setEditor(m_options);
        connect(m_options, &QComboBox::activated, this, [this](int option) {
            emit changed([set = m_kind.set, option](ScanFile& scan) { set(scan, option); }, true);
        });
    }

    void showScan(const ScanFile& scan) override { m_options->setCurrentIndex(m_kind.get(scan)); }

  private:
    ScanField::Choice m_kind;
    QComboBox* m_options = nullptr;
};

class FilesEditor : public ScanFieldEditor {
  public:
    FilesEditor(ScanField::Files kind, QWidget* parent)
        : ScanFieldEditor(parent), m_kind(std::move(kind)) {
        m_name = new TextField(this);
        m_name->setPlaceholderText(m_kind.absent);
        setEditor(m_name);
        connect(m_name, &QLineEdit::editingFinished, this, [this] {
            if (m_name->isModified()) tell(m_name->text().trimmed().toStdString());
            m_name->setModified(false);
        });
        auto* choose = new QToolButton(this);
        choose->setObjectName("choose");
        choose->setIcon(icon("folder"));
        choose->setToolTip(ScanFieldEditor::tr("Choose a folder or file"));
        choose->setPopupMode(QToolButton::InstantPopup);
        auto* menu = new QMenu(choose);
        menu->addAction(ScanFieldEditor::tr("Folder of images…"), this,
                        [this] { ask(QFileDialog::Directory); });
        menu->addAction(ScanFieldEditor::tr("Image file…"), this,
                        [this] { ask(QFileDialog::ExistingFile); });
        if (!m_kind.absent.isEmpty())
            menu->addAction(ScanFieldEditor::tr("None"), this, [this] { tell({}); });
        choose->setMenu(menu);
        addAccessory(choose);
    }

    void showScan(const ScanFile& scan) override {
        m_folder = toText(scan.folder);
        const QString name = QString::fromStdString(m_kind.get(scan));
        if (m_name->text() == name || (m_name->isModified() && m_name->hasFocus())) return;
        m_name->setText(name);
        m_name->setCursorPosition(0);
    }
    void forgetTyping() override { m_name->setModified(false); }

  private:
    void ask(QFileDialog::FileMode mode) {
        auto* dialog = new QFileDialog(window(), ScanFieldEditor::tr("Choose images"), m_folder);
        dialog->setObjectName("chooseImages");
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setOption(QFileDialog::DontUseNativeDialog);
        dialog->setFileMode(mode);
        if (mode == QFileDialog::ExistingFile)
            dialog->setNameFilters(
                {ScanFieldEditor::tr(
                     "Images (*.tif *.tiff *.mha *.mhd *.raw *.h5 *.hdf5 *.hdf *.nx *.nxs)"),
                 ScanFieldEditor::tr("All files (*)")});
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
            emit changed(
                [set = m_kind.set, path](ScanFile& scan) { set(scan, nameInScan(scan, path)); },
                true);
        });
        dialog->open();
    }
    void tell(const std::string& name) {
        emit changed([set = m_kind.set, name](ScanFile& scan) { set(scan, name); }, true);
    }

    ScanField::Files m_kind;
    QLineEdit* m_name = nullptr;
    QString m_folder;
};

struct EditorMaker {
    QWidget* parent;
    ScanFieldEditor* operator()(const ScanField::Number& kind) const {
        return new NumberEditor(kind, parent);
    }
    ScanFieldEditor* operator()(const ScanField::OptionalNumber& kind) const {
        return new OptionalNumberEditor(kind, parent);
    }
    ScanFieldEditor* operator()(const ScanField::Choice& kind) const {
        return new ChoiceEditor(kind, parent);
    }
    ScanFieldEditor* operator()(const ScanField::Files& kind) const {
        return new FilesEditor(kind, parent);
    }
    ScanFieldEditor* operator()(const ScanField::Angles&) const {
        return new ScanAnglesEditor(parent);
    }
};

}  // namespace

ScanFieldEditor* makeEditor(const ScanField& field, QWidget* parent) {
    ScanFieldEditor* editor = std::visit(EditorMaker{parent}, field.kind);
    editor->setObjectName(field.name);
    editor->setToolTip(field.toolTip);
    editor->setAccessibleName(field.what);
    return editor;
}

}  // namespace gantry
