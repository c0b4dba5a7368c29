#include "ui/panels/hosts/host_form.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <utility>

#include "ui/models/job/option_text.h"
#include "ui/panels/shared/option_controls.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

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
    m_form = spaced(new QGridLayout(this), kSpacing, {0, 0, kSpacing, 0});
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
    auto* column = spaced(new QVBoxLayout(cell), kSpacing / 4);
    column->addWidget(editor);
    auto* problem = named(wrapped(new QLabel), QString::fromStdString("problem." + field));
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
    m_rows[field] = {title, cell, problem, std::move(show), nullptr};
}

void HostForm::addField(const FileField<Host>& field) {
    const FieldControl control = makeControl(field, [this, &field](const FieldValue& value, bool) {
        change([&](Host& host) { field.assign(host, value); });
    });
    addRow(field.shape.path(), optionText(field.option.label), control.widget->toolTip(),
           control.widget,
           [control, &field](const Host& host) { control.show(field.value(host)); });
    m_rows[field.shape.path()].applies = field.applies;
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

void HostForm::showRows() {
    for (const auto& [field, row] : m_rows)
        for (QWidget* each : {static_cast<QWidget*>(row.title), row.editor})
            each->setVisible(!row.applies || row.applies(m_host));
}

void HostForm::setProblem(const QString& field, const QString& sentence) {
    for (const auto& [name, row] : m_rows)
        showSentence(*row.problem, QString::fromStdString(name) == field ? sentence : QString(),
                     SentenceKind::error);
}

}  // namespace gantry
