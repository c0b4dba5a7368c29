#pragma once

#include <QWidget>
#include <vector>

#include "core/verify/verification.h"

class QComboBox;
class QStackedWidget;
class QTableWidget;

namespace gantry {

/// What a verification found, in numbers as the command line prints them: the figures with their
/// limits, or sphere by sphere.
/// Tests: tests/ui/panels/verify_panel_test.cpp, tests/ui/panels/verify_real_piece_test.cpp
class VerifyTables : public QWidget {
    Q_OBJECT

  public:
    explicit VerifyTables(QWidget* parent = nullptr);

    /// Pieces without spheres have figures only. Nothing found: no rows.
    void setVerification(const Verification& verification);

  private:
    void showFigures(const std::vector<Figure>& figures);

    QComboBox* m_which;
    QStackedWidget* m_tables;
    QTableWidget* m_figures;
    QTableWidget* m_spheres;
};

}  // namespace gantry
