#pragma once

#include <QWidget>

#include "core/verify/verification.h"

class QComboBox;
class QStackedWidget;

namespace gantry {

class ProfilePlot;

/// One of the curves of a verification: values along the cross-hair, or the cylinder's MTF.
/// Tests: tests/ui/panels/verify_panel_test.cpp
class VerifyCurves : public QWidget {
    Q_OBJECT

  public:
    /// profile: shown first; it becomes a part of this
    explicit VerifyCurves(ProfilePlot& profile, QWidget* parent = nullptr);

    /// Of pieces without a cylinder there is no MTF to choose.
    void setVerification(const Verification& verification);

  private:
    QComboBox* m_which;
    QStackedWidget* m_plots;
    ProfilePlot* m_mtf;
};

}  // namespace gantry
