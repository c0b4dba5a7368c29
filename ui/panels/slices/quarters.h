#pragma once

#include <QWidget>
#include <array>

class QGridLayout;

namespace gantry {

/// Four widgets in equal quarters, whatever size they would like, of which one can take all.
/// Tests: tests/ui/panels/slices_panel_test.cpp
class Quarters : public QWidget {
    Q_OBJECT

  public:
    /// Row by row, from the top left.
    explicit Quarters(const std::array<QWidget*, 4>& parts, QWidget* parent = nullptr);

    /// Shows that one alone, or all again.
    void toggleMaximised(const QWidget* part);

  private:
    void shareOut();

    std::array<QWidget*, 4> m_parts;
    const QWidget* m_maximised = nullptr;
    QGridLayout* m_grid = nullptr;
};

}  // namespace gantry
