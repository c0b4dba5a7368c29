#pragma once

#include <string>
#include <vector>

class QTableWidget;
class QWidget;

namespace gantry {

/// A table to be read, without lines or selections of single cells.
[[nodiscard]] QTableWidget* newTextTable(QWidget* parent, const char* name);

/// Fills it. The first row is the head; the first column takes the room that the others leave.
/// Tests: tests/ui/panels/verify_panel_test.cpp, tests/ui/panels/calibration_window_test.cpp
void fillTextTable(QTableWidget& table, const std::vector<std::vector<std::string>>& rows);

}  // namespace gantry
