#pragma once

#include <QString>
#include <QWidget>

class QLabel;
class QProgressBar;

namespace gantry {

/// How far a search is, and the button that cancels it, which has the focus of the whole.
/// Tests: tests/ui/panels/alignment_window_test.cpp, tests/ui/panels/calibration_window_test.cpp
class SearchProgress : public QWidget {
    Q_OBJECT

  public:
    struct Names {
        const char* what;  ///< objects of the label and the button
        const char* cancel;
        QString bar;  ///< accessible name
        QString cancelText;
    };
    explicit SearchProgress(const Names& names, QWidget* parent = nullptr);

    /// fraction: of the whole
    void tell(const QString& text, double fraction);

  signals:
    void cancelled();

  private:
    QLabel* m_what = nullptr;
    QProgressBar* m_bar = nullptr;
};

}  // namespace gantry
