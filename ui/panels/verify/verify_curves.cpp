#include "ui/panels/verify/verify_curves.h"

#include <QComboBox>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/panels/verify/verify_texts.h"
#include "ui/widgets/profile_plot.h"
#include "ui/widgets/theme.h"

namespace gantry {

namespace {

std::vector<double> percentOf(const std::vector<MtfPoint>& mtf) {
    std::vector<double> percent;
    percent.reserve(mtf.size());
    for (const MtfPoint& point : mtf)
        percent.push_back(100 * point.value);
    return percent;
}

}  // namespace

VerifyCurves::VerifyCurves(ProfilePlot& profile, QWidget* parent)
    : QWidget(parent),
      m_which(new QComboBox(this)),
      m_plots(new QStackedWidget(this)),
      m_mtf(new ProfilePlot(this)) {
    m_which->setObjectName("verifyCurve");
    m_which->setAccessibleName(texts::curve());
    m_which->addItem(texts::profileCurve());
    m_which->addItem(texts::mtfCurve());
    m_mtf->setObjectName("verifyMtf");
    m_plots->addWidget(&profile);
    m_plots->addWidget(m_mtf);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpacing / 2);
    layout->addWidget(m_which, 0, Qt::AlignLeft);
    layout->addWidget(m_plots, 1);
    connect(m_which, &QComboBox::currentIndexChanged, m_plots, &QStackedWidget::setCurrentIndex);
}

void VerifyCurves::setVerification(const Verification& verification) {
    const std::vector<MtfPoint>& mtf = verification.mtf;
    const bool hasMtf = mtf.size() > 1;
    m_which->setVisible(hasMtf);
    if (!hasMtf) return m_which->setCurrentIndex(0);
    const Theme theme = themeOf(*this);
    const QString percent = QStringLiteral("%");
    std::vector<ProfilePlot::Curve> curves;
    if (!verification.expectedMtf.empty())
        curves.push_back(
            {texts::expectedMtf(), percent, theme.muted, percentOf(verification.expectedMtf)});
    curves.push_back({texts::measuredMtf(), percent, theme.accent, percentOf(mtf)});
    m_mtf->setCurves(std::move(curves), {texts::frequency(), QStringLiteral("lp/mm"),
                                         mtf.front().perMm, mtf[1].perMm - mtf[0].perMm});
}

}  // namespace gantry
