#pragma once

#include <QDialog>
#include <memory>

#include "core/io/scan_file/scan_file.h"
#include "ui/workspace/calibration_search.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QTableWidget;

namespace gantry {

class CalibrationQuestion;
class CalibrationView;
class ProfilePlot;
class ScanDocument;
class SearchProgress;

/// Asks what is known of a phantom with balls, calibrates the open scan by it in the background,
/// shows the balls over the views, the residual of every view and the geometry's numbers, and takes
/// them into the geometry as one edit. A result holds for the geometry that it was found with.
/// Deletes itself when closed, also with its scan.
/// Tests: tests/ui/panels/calibration_window_test.cpp
class CalibrationWindow : public QDialog {
    Q_OBJECT

  public:
    /// scan: outlives this window
    explicit CalibrationWindow(ScanDocument& scan, QWidget* parent = nullptr);
    ~CalibrationWindow() override;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    enum class Stage { ready, searching, found, failed, cancelled, outdated };

    void build();
    [[nodiscard]] QWidget* makeLeft();
    [[nodiscard]] QWidget* makeRight();
    [[nodiscard]] QWidget* makeButtons();
    void search();
    void cancel();
    void followScan();
    void takeResult(const std::shared_ptr<const BallCalibration>& found);
    void fail(const QString& sentence);
    void use();
    void savePlaces();
    [[nodiscard]] bool isUpToDate() const;
    void setStage(Stage stage);
    void showProgress(const QString& what, double fraction);
    void showState();
    void showSaying();
    void showResult();

    ScanDocument& m_scan;
    CalibrationSearch m_search;
    Stage m_stage = Stage::ready;
    ScanFile m_searched;  ///< the scan as it is being or was searched
    std::shared_ptr<const OpenScan> m_shown;
    std::shared_ptr<const BallCalibration> m_found;
    QString m_problem;  ///< why it failed
    CalibrationQuestion* m_question = nullptr;
    QPushButton* m_start = nullptr;
    QStackedWidget* m_pages = nullptr;
    QWidget* m_saying = nullptr;
    SearchProgress* m_progress = nullptr;
    QLabel* m_state = nullptr;
    QTableWidget* m_numbers = nullptr;
    QLabel* m_notes = nullptr;
    CalibrationView* m_view = nullptr;
    ProfilePlot* m_plot = nullptr;
    QPushButton* m_use = nullptr;
    QPushButton* m_save = nullptr;
};

}  // namespace gantry
