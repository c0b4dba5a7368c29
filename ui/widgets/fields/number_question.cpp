#include "ui/widgets/fields/number_question.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>

#include "ui/models/text.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

NumberQuestion::NumberQuestion(QString unit, QWidget* parent)
    : QWidget(parent), m_unit(std::move(unit)) {
    setObjectName("question");
    auto* row = spaced(new QHBoxLayout(this), kSpacing / 2);
    for (std::size_t i = 0; i < 2; ++i) {
        QPushButton* button =
            named(m_buttons.emplace_back(new QPushButton), QString("reading%1").arg(i));
        button->setAutoDefault(false);
        row->addWidget(button, 1);
        connect(button, &QPushButton::clicked, this,
                [this, i] { emit chosen(m_interpretations[i]); });
    }
    hide();
}

void NumberQuestion::ask(const std::vector<double>& interpretations) {
    // All typed digits must be visible, however few the field shows.
    constexpr int kDigits = 12;
    m_interpretations = interpretations;
    for (std::size_t i = 0; i < m_buttons.size(); ++i) {
        const QString number = numberText(interpretations[i], kDigits);
        m_buttons[i]->setText(m_unit.isEmpty() ? number : number + ' ' + m_unit);
    }
    show();
}

void NumberQuestion::enter() {
    m_buttons.front()->setFocus(Qt::TabFocusReason);
}

void NumberQuestion::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Escape:
            emit left();
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            for (QPushButton* button : m_buttons)
                if (button->hasFocus()) return button->click();
            [[fallthrough]];
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace gantry
