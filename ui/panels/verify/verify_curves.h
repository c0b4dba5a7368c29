#pragma once

#include <QWidget>

#include "core/verify/verification.h"

class QComboBox;
class QStackedWidget;

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

}  // namespace gantry
