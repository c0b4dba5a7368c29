#include "ui/panels/scan/question_rows.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/panels/shared/search_progress.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/search/open_questions.h"

namespace gantry {

QuestionRows::QuestionRows(OpenQuestions& questions, QWidget* parent)
    : QWidget(parent), m_questions(questions) {
    auto* column = spaced(new QVBoxLayout(this), kSpacing / 2);
    column->addWidget(heading(tr("Open questions"), this));
    m_table = new QWidget(this);
    column->addWidget(m_table);
    m_progress = new SearchProgress(
        {"questionProgress", "cancelQuestions", tr("Asking the views"), tr("Cancel")}, this);
    column->addWidget(m_progress);
    m_problem = named(remark({}, this), "questionProblem");
    column->addWidget(m_problem);
    m_again = named(
        new QPushButton(tr("Ask the views"), this), "askViews",
        tr("Makes small slices with the answers that you have not given, and takes those that fit "
           "clearly better. This can be undone."));
    auto* live = named(new QPushButton(tr("Live slices"), this), "liveOfQuestions",
                       tr("Reconstructs slices that follow every answer (Ctrl+L)."));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(kSpacing);
    buttons->addWidget(m_again);
    buttons->addWidget(live);
    buttons->addStretch(1);
    column->addLayout(buttons);
    connect(live, &QPushButton::clicked, this, &QuestionRows::liveWanted);
    connect(m_progress, &SearchProgress::cancelled, &questions, &OpenQuestions::cancel);
    connect(m_again, &QPushButton::clicked, &questions, &OpenQuestions::search);
    connect(&questions, &OpenQuestions::changed, this, &QuestionRows::refresh);
    connect(&questions, &OpenQuestions::progressed, m_progress, &SearchProgress::tell);
    refresh();
}

// The boxes stay as long as the questions are the same.
void QuestionRows::build() {
    const std::vector<OpenQuestion> questions = m_questions.questions();
    const bool isBuilt =
        std::ranges::equal(questions, m_rows, [](const OpenQuestion& question, const Row& row) {
            const std::vector<std::string>& choices = question.choices;
            return question.name == row.name && row.answers->count() == std::ssize(choices);
        });
    if (isBuilt) return;
    m_rows.clear();
    delete m_grid;
    for (QWidget* old : m_table->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        old->setParent(nullptr);  // it may be where the change came from
        old->deleteLater();
    }
    m_grid = spaced(new QGridLayout(m_table), QSize(2 * kSpacing, kSpacing / 2));
    m_grid->setColumnStretch(1, 1);
    for (const OpenQuestion& question : questions) {
        const QString name = QString::fromStdString(question.name);
        const int row = 2 * static_cast<int>(m_rows.size());
        auto* label = new QLabel(titleOf(question), m_table);
        auto* answers = named(new QComboBox(m_table), "question." + name,
                              QString::fromStdString(question.what));
        for (const std::string& choice : question.choices)
            answers->addItem(QString::fromStdString(choice));
        label->setBuddy(answers);
        answers->setAccessibleName(label->text());
        auto* how = named(remark({}, m_table), "how." + name);
        m_grid->addWidget(label, row, 0);
        m_grid->addWidget(answers, row, 1);
        m_grid->addWidget(how, row + 1, 1);
        connect(answers, &QComboBox::textActivated, this,
                [this, asked = question.name](const QString& answer) {
                    m_questions.answer(asked, answer.toStdString());
                });
        m_rows.push_back({question.name, answers, how});
    }
}

void QuestionRows::refresh() {
    build();
    setVisible(!m_rows.empty());
    const std::vector<OpenQuestion> questions = m_questions.questions();
    bool isAnyOpen = false;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        m_rows[i].answers->setCurrentText(QString::fromStdString(questions[i].taken));
        showSentence(*m_rows[i].how, QString::fromStdString(questions[i].how),
                     isSettled(questions[i]) ? SentenceKind::good : SentenceKind::muted);
        isAnyOpen = isAnyOpen || !isTold(questions[i]);
    }
    const bool isSearching = m_questions.isSearching();
    m_progress->setVisible(isSearching);
    showSentence(*m_problem, m_questions.problem(), SentenceKind::warning);
    m_again->setVisible(!isSearching && isAnyOpen);
}

}  // namespace gantry
