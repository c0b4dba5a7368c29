#include "ui/panels/hosts/host_form.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

// By the field's name in the file.
QString fieldLabel(std::string_view field) {
    struct Label {
        std::string_view field;
        const char* text;
    };
    constexpr Label kLabels[] = {
        {"address", "Address"},
        {"scheduler", "Jobs are started by"},
        {"scratch", "Scratch folder"},
        {"cluster", "Forecasts as for"},
        {"start.by", "Gantry there is"},
        {"start.program", "Program"},
        {"start.module", "Modules"},
        {"start.image", "Image"},
        {"slurm.partition", "Partition"},
        {"slurm.account", "Account"},
        {"slurm.qos", "Quality of service"},
        {"slurm.timeMinutes", "Longest time"},
        {"slurm.nodes", "Usual nodes"},
        {"slurm.maxNodes", "Max nodes"},
        {"slurm.gpusPerNode", "GPUs a node"},
        {"slurm.ranksPerNode", "Processes a node"},
        {"slurm.launcher", "Launcher"},
    };
    for (const Label& each : kLabels)
        if (each.field == field) return HostForm::tr(each.text);
    return QString::fromUtf8(field.data(), static_cast<qsizetype>(field.size()));
}

// What the manual says of a field, as a sentence.
QString manualSentence(std::string_view meaning) {
    QString text = QString::fromUtf8(meaning.data(), static_cast<qsizetype>(meaning.size()));
    text.remove('`');
    return text.isEmpty() ? text : text.left(1).toUpper() + text.mid(1) + '.';
}

// Returns what a choice is called, by its word in the file.
QString choiceText(std::string_view field, std::string_view word) {
    struct Word {
        std::string_view field, word;
        const char* text;
    };
    constexpr Word kWords[] = {
        {"scheduler", "none", "The machine itself, in turn"},
        {"scheduler", "slurm", "Slurm"},
        {"start.by", "path", "A program"},
        {"start.by", "module", "In a module"},
        {"start.by", "image", "In an Apptainer image"},
    };
    for (const Word& each : kWords)
        if (each.field == field && each.word == word) return HostForm::tr(each.text);
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

QString linesOf(const Pairs& pairs) {
    QStringList lines;
    for (const auto& [key, value] : pairs)
        lines << QString::fromStdString(key) + '=' + QString::fromStdString(value);
    return lines.join('\n');
}

// A line without the sign is a name without a value, which is said when the host is checked.
Pairs pairsOf(const QString& text) {
    Pairs pairs;
    for (const QString& line : text.split('\n', Qt::SkipEmptyParts)) {
        const qsizetype at = line.indexOf('=');
        const QString key = at < 0 ? line : line.left(at);
        const QString value = at < 0 ? QString() : line.mid(at + 1);
        if (!key.trimmed().isEmpty())
            pairs.emplace_back(key.trimmed().toStdString(), value.trimmed().toStdString());
    }
    return pairs;
}

}  // namespace

HostForm::HostForm(QWidget* parent) : QWidget(parent) {
    // QFormLayout of Qt 6.4 writes past its memory where rows are hidden and others' heights go by
    // their widths.
    m_form = new QGridLayout(this);
    m_form->setContentsMargins(0, 0, kSpacing, 0);
    m_form->setSpacing(kSpacing);
    m_form->setColumnStretch(1, 1);
    m_name = new QLineEdit;
    addRow("name", tr("Name"), tr("What the host is called here. It stays, as jobs go by it."),
           m_name,
           [this](const Host& host) { m_name->setText(QString::fromStdString(host.name)); });
    connect(m_name, &QLineEdit::textEdited, this, [this](const QString& text) {
        change([&](Host& host) { host.name = text.trimmed().toStdString(); });
    });
    for (const FileField<Host>& field : hostFields())
        addField(field);
    addPairs("environment", tr("Variables"),
             tr("Set before Gantry starts there: NAME=value, one a line."), &Host::environment);
    addPairs("pathMap", tr("Same folders"),
             tr("Folders of this machine that the host sees, too: /here = /there, one pair a line. "
                "Scans in them are not sent."),
             &Host::pathMap);
}

void HostForm::addRow(const std::string& field, const QString& label, const QString& help,
                      QWidget* editor, std::function<void(const Host&)> show) {
    editor->setObjectName(QString::fromStdString("host." + field));
    editor->setToolTip(help);
    editor->setAccessibleName(label);
    auto* cell = new QWidget;
    auto* column = new QVBoxLayout(cell);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpacing / 4);
    column->addWidget(editor);
    auto* problem = new QLabel;
    problem->setObjectName(QString::fromStdString("problem." + field));
    problem->setWordWrap(true);
    problem->hide();
    column->addWidget(problem);
    cell->setFocusProxy(editor);
    auto* title = new QLabel(label);
    title->setBuddy(editor);
    const int row = m_form->rowCount();
    constexpr int kTop = kSpacing / 2;
    title->setContentsMargins(0, kTop, 0, 0);
    m_form->addWidget(title, row, 0, Qt::AlignLeft | Qt::AlignTop);
    m_form->addWidget(cell, row, 1);
    m_rows[field] = {title, cell, problem, std::move(show)};
}

void HostForm::addField(const FileField<Host>& field) {
    const std::string path = field.shape.path();
    const QString label = fieldLabel(path);
    const QString help = manualSentence(field.shape.meaning);
    const FileField<Host>* entry = &field;
    if (field.kind() == FieldKind::choice) {
        auto* box = new QComboBox;
        for (const std::string_view word : field.words())
            box->addItem(choiceText(path, word),
                         QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size())));
        addRow(path, label, help, box, [box, entry](const Host& host) {
            const auto word = std::get<std::string>(entry->value(host));
            box->setCurrentIndex(box->findData(QString::fromStdString(word)));
        });
        connect(box, &QComboBox::activated, this, [this, box, entry] {
            change([&](Host& host) {
                entry->assign(host, box->currentData().toString().toStdString());
            });
        });
    } else if (field.kind() == FieldKind::whole) {
        NumberField::Style style;
        style.unit = QString::fromUtf8(field.shape.unit.data(),
                                       static_cast<qsizetype>(field.shape.unit.size()));
        style.whole = true;
        style.digits = 8;
        style.range = NumberField::Range{static_cast<double>(field.shape.min),
                                         static_cast<double>(field.shape.max)};
        auto* number = new NumberField(style);
        addRow(path, label, help, number, [number, entry](const Host& host) {
            number->setValue(static_cast<double>(std::get<Index>(entry->value(host))));
        });
        connect(number, &NumberField::valueEdited, this, [this, entry](double value, bool) {
            change([&](Host& host) { entry->assign(host, Index{std::llround(value)}); });
        });
    } else {
        auto* line = new QLineEdit;
        addRow(path, label, help, line, [line, entry](const Host& host) {
            const QString text = QString::fromStdString(std::get<std::string>(entry->value(host)));
            if (line->text().trimmed() != text) line->setText(text);
        });
        connect(line, &QLineEdit::textEdited, this, [this, entry](const QString& text) {
            change([&](Host& host) { entry->assign(host, text.trimmed().toStdString()); });
        });
    }
}

void HostForm::addPairs(const std::string& field, const QString& label, const QString& help,
                        Pairs Host::*pairs) {
    auto* text = new QPlainTextEdit;
    constexpr int kLines = 3;
    text->setFixedHeight(kLines * text->fontMetrics().height() + 2 * kSpacing);
    text->setTabChangesFocus(true);
    addRow(field, label, help, text, [text, pairs](const Host& host) {
        const QSignalBlocker silent(text);
        if (pairsOf(text->toPlainText()) != host.*pairs) text->setPlainText(linesOf(host.*pairs));
    });
    connect(text, &QPlainTextEdit::textChanged, this, [this, text, pairs] {
        change([&](Host& host) { host.*pairs = pairsOf(text->toPlainText()); });
    });
}

void HostForm::change(const std::function<void(Host&)>& edit) {
    edit(m_host);
    showRows();
    emit edited();
}

void HostForm::showHost(const Host& host, bool isNew) {
    m_host = host;
    m_isNew = isNew;
    m_name->setReadOnly(!isNew);
    for (const auto& [field, row] : m_rows)
        row.show(host);
    showRows();
    setProblem({}, {});
}

// Whether the field counts for such a host.
bool HostForm::isOf(const std::string& field, const Host& host) {
    if (field.starts_with("slurm.")) return host.scheduler == Scheduler::slurm;
    if (field == "start.module") return host.startBy == StartBy::module;
    if (field == "start.image") return host.startBy == StartBy::image;
    return true;
}

void HostForm::showRows() {
    for (const auto& [field, row] : m_rows)
        for (QWidget* each : {static_cast<QWidget*>(row.title), row.editor})
            each->setVisible(isOf(field, m_host));
}

void HostForm::setProblem(const QString& field, const QString& sentence) {
    for (const auto& [name, row] : m_rows)
        showSentence(*row.problem, QString::fromStdString(name) == field ? sentence : QString(),
                     SentenceKind::error);
}

}  // namespace gantry
