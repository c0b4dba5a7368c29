#pragma once

#include <QDialog>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry/vec3.h"
#include "core/live/montage_sheet.h"
#include "core/live/montage_values.h"
#include "ui/models/image/grey_image.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/search/montage_run.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QVBoxLayout;

namespace gantry {

class MontageForm;
class MontageGrid;
class SearchProgress;
class Workspace;

/// Makes one slice of the open scan with several values of a parameter, shows the pictures side by
/// side, and takes the value of the one that the user chooses, undoably. It stays open, and while
/// it is closed it keeps what was asked for.
/// Tests: tests/ui/panels/montage_window_test.cpp
class MontageWindow : public QDialog {
    Q_OBJECT

  public:
    /// workspace: outlives this window
    explicit MontageWindow(Workspace& workspace, QWidget* parent = nullptr);
    ~MontageWindow() override;

    /// Shows the window. placeMm: where the slice lies; parameter: its path, chosen unless the user
    /// has chosen one before
    void showFor(Vec3 placeMm, const std::string& parameter);

  protected:
    void hideEvent(QHideEvent* event) override;

  private:
    // What the pictures are of.
    struct Made {
        MontageValues values;
        MontageSlice slice;
        QString scan;
        std::vector<GreyImage> images;
        std::vector<std::optional<double>> sharpness;
        Index binning = 1;
    };

    void build();
    void addActions(QVBoxLayout& column);
    void addButtons(QVBoxLayout& column);
    void connectAll();
    [[nodiscard]] QString reasonAgainst() const;
    void make();
    void begin(Made made);
    void takePicture(const GreyImage& image, Index binning, std::optional<double> sharpness);
    void finish();
    void cancel();
    void endAfter(int count, const QString& sentence, SentenceKind kind);
    void showProgress(double fraction);
    void showResult();
    void showMarks();
    void showAtWork(bool isAtWork);
    void tell(const QString& sentence, SentenceKind kind);
    [[nodiscard]] MontageScores scores() const;
    [[nodiscard]] bool isOfScan() const;
    void takeValue(int number);
    void saveSheet();
    void writeSheet(const QString& path);
    void forget();
    void followScan();
    void followEdit();

    Workspace& m_workspace;
    MontageRun m_run;
    Background m_saving;
    std::optional<Made> m_made;
    MontageForm* m_form = nullptr;
    MontageGrid* m_grid = nullptr;
    QStackedWidget* m_middle = nullptr;
    QStackedWidget* m_line = nullptr;  // progress or state
    SearchProgress* m_progress = nullptr;
    QLabel* m_state = nullptr;
    QLabel* m_outdated = nullptr;
    QPushButton* m_make = nullptr;
    QPushButton* m_save = nullptr;
};

}  // namespace gantry
