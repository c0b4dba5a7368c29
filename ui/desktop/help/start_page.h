#pragma once

#include <QStringList>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace gantry {

/// The page that is shown while nothing is open: where to drop a scan, the recent ones, and an
/// example.
/// Tests: tests/ui/desktop/main_window_test.cpp
class StartPage : public QWidget {
    Q_OBJECT

  public:
    explicit StartPage(QWidget* parent = nullptr);
    void setRecentFiles(const QStringList& paths);
    /// Shows that the example is being made; a negative fraction: it is not.
    void setExampleProgress(double fraction);

  signals:
    void openFileRequested();
    void openFolderRequested();
    void openRequested(const QString& path);
    void exampleRequested();
    void exampleCancelled();

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QWidget* makeDropArea();

    QWidget* m_dropArea = nullptr;
    QLabel* m_recentHeading = nullptr;
    QVBoxLayout* m_recent = nullptr;
    QPushButton* m_example = nullptr;
    QProgressBar* m_progress = nullptr;
};

}  // namespace gantry
