#pragma once

#include <QWidget>
#include <optional>

#include "ui/workspace/search/calibration_search.h"

class QCheckBox;
class QComboBox;
class QStackedWidget;

namespace gantry {

class ElidedLabel;
class NumberField;

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

}  // namespace gantry
