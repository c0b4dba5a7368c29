#pragma once

#include <QWidget>
#include <string>
#include <vector>

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;

namespace gantry {

class OpenQuestions;
class SearchProgress;

/// What the scanner's file leaves open: a row for each question with a box of its answers, and how
/// the answer that is taken is known. While the views are asked it shows how far that is. Hidden
/// where nothing is open.
/// Tests: tests/ui/panels/open_questions_test.cpp
class QuestionRows : public QWidget {
    Q_OBJECT

  public:
    /// questions: outlive this widget
    explicit QuestionRows(OpenQuestions& questions, QWidget* parent = nullptr);

  signals:
    void liveWanted();  ///< slices that follow the answers

  private:
    struct Row {
        std::string name;
        QComboBox* answers;
        QLabel* how;
    };
    void refresh();
    void build();

    OpenQuestions& m_questions;
    QGridLayout* m_grid = nullptr;
    QWidget* m_table = nullptr;
    std::vector<Row> m_rows;
    SearchProgress* m_progress = nullptr;
    QLabel* m_problem = nullptr;
    QPushButton* m_again = nullptr;
};

}  // namespace gantry
