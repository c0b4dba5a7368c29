#include "ui/panels/shared/scan_field_editor.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

ScanFieldEditor::ScanFieldEditor(QWidget* parent) : QWidget(parent) {
    auto* column = spaced(new QVBoxLayout(this), 2);
    m_row = spaced(new QHBoxLayout, 4);
    column->addLayout(m_row);
    m_guess = named(new QLabel(tr("guess"), this), "guess");
    m_guess->setProperty("kind", "warning");
    m_guess->hide();
    m_row->addWidget(m_guess);
    m_note = named(remark({}, this), "note");
    m_note->setAlignment(Qt::AlignRight);
    m_doubt = named(remark({}, this), "doubt");
    m_doubt->setAlignment(Qt::AlignRight);
    m_doubt->setTextFormat(Qt::RichText);
    m_doubt->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(m_doubt, &QLabel::linkActivated, this, [this] {
        m_isReasonSeen = !m_isReasonSeen;
        showDoubt();
    });
    m_problem = named(remark({}, this), "problem");
    for (QLabel* label : {m_note, m_doubt, m_problem}) {
        label->hide();
        column->addWidget(label);
    }
}

void ScanFieldEditor::setEditor(QWidget* widget) {
    m_row->insertWidget(0, widget, 1);
    setFocusProxy(widget);
}

void ScanFieldEditor::addAccessory(QToolButton* button) {
    constexpr int kIcon = 16;
    button->setProperty("inRow", true);
    button->setIconSize({kIcon, kIcon});
    button->setFixedHeight(kFieldHeight);
    m_row->addWidget(button);
}

void ScanFieldEditor::setProblem(const QString& sentence, bool isError) {
    showSentence(*m_problem, sentence, isError ? SentenceKind::error : SentenceKind::warning);
}

QString ScanFieldEditor::problem() const {
    return m_problem->text();
}

void ScanFieldEditor::setGuess(const QString& reason) {
    m_guess->setVisible(!reason.isEmpty());
    m_guess->setToolTip(reason);
}

void ScanFieldEditor::setDoubt(const QString& reason) {
    if (reason == m_reasonOfDoubt) return;
    m_reasonOfDoubt = reason;
    m_isReasonSeen = false;
    showDoubt();
}

void ScanFieldEditor::showDoubt() {
    const auto line = [](const QString& text, const QString& link) {
        return QStringLiteral("%1 <a href=\"#\">%2</a>").arg(text.toHtmlEscaped(), link);
    };
    m_doubt->clear();
    m_doubt->setText(m_isReasonSeen ? line(m_reasonOfDoubt, tr("Close"))
                                    : line(tr("Not sure."), tr("Why?")));
    m_doubt->setVisible(!m_reasonOfDoubt.isEmpty());
}

// A link takes its colour when it is set, and keeps it.
void ScanFieldEditor::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) showDoubt();
    QWidget::changeEvent(event);
}

void ScanFieldEditor::setNote(const QString& text) {
    showSentence(*m_note, text, SentenceKind::muted);
}

}  // namespace gantry
