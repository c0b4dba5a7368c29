#include "ui/widgets/placeholder.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

Placeholder::Placeholder(const QString& sentence, const QString& buttonText, QWidget* parent)
    : QWidget(parent), m_sentence(new QLabel(sentence)) {
    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignCenter);
    m_sentence->setProperty("muted", true);
    m_sentence->setObjectName("sentence");
    auto* column = spaced(new QVBoxLayout(this), 2 * kSpacing, 2 * kSpacing);
    column->addStretch();
    column->addWidget(m_sentence);
    if (!buttonText.isEmpty()) {
        auto* button = named(new QPushButton(buttonText), "action");
        button->setProperty("primary", true);
        column->addWidget(button, 0, Qt::AlignHCenter);
        connect(button, &QPushButton::clicked, this, &Placeholder::clicked);
        setFocusProxy(button);
    }
    column->addStretch();
}

void Placeholder::setSentence(const QString& sentence) {
    m_sentence->setText(sentence);
}

}  // namespace gantry
