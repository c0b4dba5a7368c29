#include "ui/panels/reconstruction/script_window.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/widgets/style/theme.h"
#include "ui/workspace/jobs/host_plan.h"

namespace gantry {

ScriptWindow::ScriptWindow(HostPlan& plan, QWidget* parent) : QDialog(parent), m_plan(plan) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName("scriptWindow");
    setWindowTitle(tr("Script for %1").arg(plan.chosen()));
    constexpr QSize kSize(720, 560);
    resize(kSize);
    auto* note =
        new QLabel(tr("ID stands for the job's number. What is edited here is sent as it is."));
    note->setWordWrap(true);
    note->setProperty("muted", true);
    m_text = new QPlainTextEdit;
    m_text->setObjectName("scriptText");
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    const QString& edited = plan.wishes().script;
    m_text->setPlainText(edited.isEmpty() ? plan.madeScript() : edited);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    for (QAbstractButton* button : buttons->buttons())
        button->setIcon({});
    buttons->button(QDialogButtonBox::Ok)->setObjectName("scriptOk");
    m_made = buttons->addButton(tr("Back to the made one"), QDialogButtonBox::ResetRole);
    m_made->setObjectName("madeScript");
    m_made->setEnabled(!edited.isEmpty());
    connect(m_made, &QPushButton::clicked, this, &ScriptWindow::showMade);
    connect(m_text, &QPlainTextEdit::textChanged, this, [this] { m_made->setEnabled(true); });
    connect(buttons, &QDialogButtonBox::accepted, this, &ScriptWindow::take);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kSpacing, 2 * kSpacing, 2 * kSpacing, 2 * kSpacing);
    column->setSpacing(kSpacing);
    column->addWidget(note);
    column->addWidget(m_text, 1);
    column->addWidget(buttons);
}

void ScriptWindow::showMade() {
    m_text->setPlainText(m_plan.madeScript());
    m_made->setEnabled(false);
}

void ScriptWindow::take() {
    HostWishes wishes = m_plan.wishes();
    QString text = m_text->toPlainText();
    if (!text.endsWith('\n')) text += '\n';
    wishes.script = text == m_plan.madeScript() ? QString() : text;
    m_plan.setWishes(wishes);
    close();
}

}  // namespace gantry
