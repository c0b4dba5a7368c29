#pragma once

#include <QWidget>
#include <vector>

#include "core/verify/verification.h"

class QComboBox;
class QStackedWidget;
class QTableWidget;

namespace gantry {

class ProfilePlot;
class VerifyViews;

/// One of the curves of a verification: values along the cross-hair, or of the cylinder its MTF or
/// its contrast discrimination.
/// Tests: tests/ui/panels/verify_panel_test.cpp
class VerifyCurves : public QWidget {
    Q_OBJECT

  public:
    /// views: whose profiles are shown first; their plot becomes a part of this
    explicit VerifyCurves(VerifyViews& views, QWidget* parent = nullptr);

    /// Only what was measured can be chosen.
    void setVerification(const Verification& verification);

  private:
    void showCurve();
    void showMtf(const Verification& verification);
    void showCdf(const Verification& verification);

    VerifyViews* m_views;
    QComboBox* m_which;
    QStackedWidget* m_plots;
    ProfilePlot* m_mtf;
    ProfilePlot* m_cdf;
};

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
