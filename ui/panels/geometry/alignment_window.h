#pragma once

#include <QDialog>
#include <memory>
#include <optional>

#include "core/io/scan_file/scan_file.h"
#include "ui/workspace/alignment_search.h"

class QDialogButtonBox;
class QLabel;
class QPushButton;
class QStackedWidget;

namespace gantry {

class AlignmentRow;
class ProfilePlot;
class ScanDocument;
class SearchProgress;

/// Searches for the centre of rotation, roll and tilt of the open scan as soon as it is made, shows
/// how far it is, then what was found, and takes what the user chooses into the geometry. A result
/// holds for the geometry that it was found with. Deletes itself when closed, also with its scan.
/// Tests: tests/ui/panels/alignment_window_test.cpp
class AlignmentWindow : public QDialog {
    Q_OBJECT

  public:
    /// scan: has its images open; outlives this window
    explicit AlignmentWindow(ScanDocument& scan, QWidget* parent = nullptr);
    ~AlignmentWindow() override;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    enum class Stage {
        waiting,  ///< for the images to be open with the newest geometry
        searching,
        found,
        failed,
        cancelled,
        outdated,  ///< cancelled by an edit
    };

    void build();
    [[nodiscard]] QDialogButtonBox* makeButtons();
    void search();
    void searchWhenOpen();
    void cancel();
    void followScan();
    void takeResult(const Alignment& found);
    void fail(const QString& sentence);
    void use();
    [[nodiscard]] bool isUpToDate() const;
    [[nodiscard]] bool isAtWork() const;
    void showProgress(const QString& what, double fraction);
    void showStage();
    void showState();
    void showCurve();

    ScanDocument& m_scan;
    AlignmentSearch m_search;
    Stage m_stage = Stage::waiting;
    ScanFile m_searched;  ///< the scan as it is being or was searched
    std::optional<Alignment> m_found;
    QString m_problem;  ///< why it failed
    QStackedWidget* m_pages = nullptr;
    SearchProgress* m_progress = nullptr;
    QLabel* m_state = nullptr;
    AlignmentRow* m_centre = nullptr;
    AlignmentRow* m_roll = nullptr;
    AlignmentRow* m_tilt = nullptr;
    ProfilePlot* m_curve = nullptr;
    QPushButton* m_use = nullptr;
    QPushButton* m_again = nullptr;
};

}  // namespace gantry
