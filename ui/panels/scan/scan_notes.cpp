#include "ui/panels/scan/scan_notes.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

ScanNotes::ScanNotes(const QString& title, QWidget* parent) : QWidget(parent) {
    m_column = spaced(new QVBoxLayout(this), kSpacing / 2);
    m_column->addWidget(heading(title, this));
    hide();
}

void ScanNotes::setNotes(const std::vector<Note>& notes) {
    if (notes == m_notes) return;
    m_notes = notes;
    build();
}

void ScanNotes::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) updateLabels();
    QWidget::changeEvent(event);
}

void ScanNotes::build() {
    if (m_list) {
        // It is deleted later, because this call may come from a click on one of its links.
        m_list->setParent(nullptr);
        m_list->deleteLater();
    }
    m_rows.clear();
    m_list = new QWidget(this);
    spaced(new QVBoxLayout(m_list), kSpacing / 2);
    for (const Note& note : m_notes)
        add(note);
    m_column->addWidget(m_list);
    updateLabels();
    setVisible(!m_notes.empty());
}

// Sets icons and texts again for the current palette, because labels do not update the colours of
// their pictures and links.
void ScanNotes::updateLabels() {
    constexpr int kIconSize = 16;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Note& note = m_notes[i];
        const auto [sign, words] = m_rows[i];
        const QIcon drawing =
            note.isError ? icon("error", &Theme::error) : icon("warning", &Theme::warning);
        sign->setPixmap(drawing.pixmap(QSize(kIconSize, kIconSize), devicePixelRatioF()));
        QString text = note.text.toHtmlEscaped();
        if (!note.target.isEmpty())
            text = QStringLiteral("<a href=\"%1\">%2</a> %3")
                       .arg(note.target.toHtmlEscaped(), note.link.toHtmlEscaped(), text);
        words->clear();
        words->setText(text);
    }
}

void ScanNotes::add(const Note& note) {
    auto* row = spaced(new QHBoxLayout, kSpacing);
    auto* sign = new QLabel(m_list);
    sign->setAccessibleName(note.isError ? tr("Error") : tr("Warning"));
    row->addWidget(sign, 0, Qt::AlignTop);
    auto* words = named(wrapped(new QLabel(m_list)), "note");
    words->setTextFormat(Qt::RichText);
    words->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_rows.emplace_back(sign, words);
    connect(words, &QLabel::linkActivated, this, &ScanNotes::chosen);
    row->addWidget(words, 1);
    static_cast<QVBoxLayout*>(m_list->layout())->addLayout(row);
}

}  // namespace gantry
