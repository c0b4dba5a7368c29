#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "ui/panels/geometry/scan_search_window.h"
#include "ui/workspace/search/scan_search.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTableWidget;

namespace gantry {

class CalibrationView;
class ElidedLabel;
class NumberField;
class ProfilePlot;

/// Asks what is known of a phantom with balls.
/// Tests: tests/ui/panels/calibration_window_test.cpp
class CalibrationQuestion : public QWidget {
    Q_OBJECT

  public:
    explicit CalibrationQuestion(QWidget* parent = nullptr);

    /// None while something is missing that is to be given.
    [[nodiscard]] std::optional<BallQuestion> question() const;

  signals:
    void changed();

  private:
    enum class Known { places, distance, rings, diameter, nothing };

    [[nodiscard]] Known known() const;
    [[nodiscard]] QWidget* makePlaces();
    [[nodiscard]] QWidget* makeDistance();
    [[nodiscard]] QWidget* makeLength(NumberField*& field, const char* name, double mm);
    [[nodiscard]] NumberField* makeBall(const char* name, double ball);
    void askForPlaces();

    QComboBox* m_known = nullptr;
    QStackedWidget* m_pages = nullptr;
    ElidedLabel* m_placesName = nullptr;
    QString m_places;
    NumberField* m_first = nullptr;
    NumberField* m_second = nullptr;
    NumberField* m_distance = nullptr;
    NumberField* m_rings = nullptr;
    NumberField* m_diameter = nullptr;
    QCheckBox* m_poses = nullptr;
};

/// Asks what is known of a phantom with balls, calibrates the open scan by it, shows the balls over
/// the views, the residual of every view and the geometry's numbers, and takes them into the
/// geometry as one edit.
/// Tests: tests/ui/panels/calibration_window_test.cpp
class CalibrationWindow : public ScanSearchWindow {
    Q_OBJECT

  public:
    /// scan: outlives this window
    explicit CalibrationWindow(ScanDocument& scan, QWidget* parent = nullptr);

  protected:
    void changeEvent(QEvent* event) override;

    void startSearch(std::shared_ptr<const OpenScan> open) override;
    void clearResult() override;
    void showResult() override;
    [[nodiscard]] bool isAnyChosen() const override { return m_found != nullptr; }
    void takeChosen() override;
    [[nodiscard]] bool isAnswered() const override;
    void showQuestion() override;

  private:
    void build();
    [[nodiscard]] QWidget* makeLeft();
    [[nodiscard]] QWidget* makeRight();
    void addSaveButton(QDialogButtonBox& buttons);
    void showScan();
    void savePlaces();
    void showFound();

    std::shared_ptr<const OpenScan> m_shown;
    std::shared_ptr<const BallCalibration> m_found;
    CalibrationQuestion* m_question = nullptr;
    QTableWidget* m_numbers = nullptr;
    QLabel* m_notes = nullptr;
    CalibrationView* m_view = nullptr;
    ProfilePlot* m_plot = nullptr;
    QPushButton* m_save = nullptr;
};

}  // namespace gantry
