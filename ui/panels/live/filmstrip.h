#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/image/grey_image.h"

class QComboBox;
class QListWidget;

namespace gantry {

/// Small pictures of one slice for a range of values of a parameter, to pick one from. Pictures
/// come one by one. Tests: tests/ui/panels/live_panel_test.cpp
class Filmstrip : public QWidget {
    Q_OBJECT

  public:
    /// To either side of the middle.
    static constexpr int kReach = 4;

    explicit Filmstrip(QWidget* parent);

    /// Steps from picture to picture to choose from, in words; the one chosen so far stays chosen.
    void setSteps(const QStringList& texts);
    [[nodiscard]] int step() const;  ///< its number
    /// New pictures of these values, none of which is there yet.
    void begin(const std::vector<double>& values, const QStringList& texts);
    void setPicture(int number, const GreyImage& image, const GreyWindow& window);
    /// The first value whose picture is missing; −1: all are there.
    [[nodiscard]] int missing() const;
    [[nodiscard]] double value(int number) const {
        return m_values[static_cast<std::size_t>(number)];
    }

  signals:
    void stepChosen();
    void picked(double value);

  private:
    QComboBox* m_steps = nullptr;
    QListWidget* m_pictures = nullptr;
    std::vector<double> m_values;
    std::vector<bool> m_isThere;
};

}  // namespace gantry
