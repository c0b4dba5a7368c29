#pragma once

#include <QWidget>
#include <array>
#include <vector>

class QGridLayout;

namespace gantry {

/// Widgets that share the space of a grid, whatever size they would like, of which one can take all
/// of it. Tests: tests/ui/desktop/maximise_test.cpp, tests/ui/panels/live_views_test.cpp
class SharedGrid : public QWidget {
    Q_OBJECT

  public:
    struct Part {
        QWidget* widget = nullptr;
        int row = 0;
        int column = 0;
        int rowSpan = 1;
    };
    /// shares: how much of the width each column gets; rows have equal heights.
    SharedGrid(std::vector<Part> parts, std::vector<int> shares, QWidget* parent);
    /// Four equal quarters, row by row from the top left.
    SharedGrid(const std::array<QWidget*, 4>& quarters, QWidget* parent);

    /// Shows that one alone, or all again.
    void toggleMaximised(const QWidget* part);

  private:
    void shareOut();

    std::vector<Part> m_parts;
    std::vector<int> m_shares;
    const QWidget* m_maximised = nullptr;
    QGridLayout* m_grid = nullptr;
};

}  // namespace gantry
