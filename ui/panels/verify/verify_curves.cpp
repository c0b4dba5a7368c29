#include "ui/panels/verify/verify_curves.h"

#include <QComboBox>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ui/panels/shared/text_table.h"
#include "ui/panels/verify/verify_views.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QString profileCurve(const QString& axis) {
    return VerifyCurves::tr("Values along %1").arg(axis);
}

enum class VerifyCurve { alongX, alongY, mtf, cdf };

std::vector<double> percentOf(const std::vector<MtfPoint>& mtf) {
    std::vector<double> percent;
    percent.reserve(mtf.size());
    for (const MtfPoint& point : mtf)
        percent.push_back(100 * point.value);
    return percent;
}

// The values for tiles of 1, 2, 3, … voxels. Between measured tiles they are interpolated by a
// power law of the tile's width, as noise follows one.
std::vector<double> percentOfTiles(const std::vector<CdfPoint>& cdf) {
    std::vector<double> percent = {cdf.front().percent};
    for (std::size_t i = 1; i < cdf.size(); ++i) {
        const CdfPoint& a = cdf[i - 1];
        const CdfPoint& b = cdf[i];
        const bool isPower = a.percent > 0 && b.percent > 0;
        for (Index voxels = a.voxels + 1; voxels <= b.voxels; ++voxels) {
            const double share =
                std::log(static_cast<double>(voxels) / static_cast<double>(a.voxels)) /
                std::log(static_cast<double>(b.voxels) / static_cast<double>(a.voxels));
            percent.push_back(isPower ? a.percent * std::pow(b.percent / a.percent, share)
                                      : a.percent + share * (b.percent - a.percent));
        }
    }
    return percent;
}

}  // namespace

VerifyCurves::VerifyCurves(VerifyViews& views, QWidget* parent)
    : QWidget(parent),
      m_views(&views),
      m_which(named(new QComboBox(this), "verifyCurve")),
      m_plots(new QStackedWidget(this)),
      m_mtf(named(new ProfilePlot(this), "verifyMtf")),
      m_cdf(named(new ProfilePlot(this), "verifyCdf")) {
    m_which->setAccessibleName(tr("Curve"));
    for (ProfilePlot* plot : {&views.plot(), m_mtf, m_cdf})
        m_plots->addWidget(plot);
    auto* layout = spaced(new QVBoxLayout(this), kSpacing / 2);
    layout->addWidget(m_which, 0, Qt::AlignLeft);
    layout->addWidget(m_plots, 1);
    connect(m_which, &QComboBox::currentIndexChanged, this, &VerifyCurves::showCurve);
}

void VerifyCurves::showCurve() {
    switch (static_cast<VerifyCurve>(m_which->currentData().toInt())) {
        case VerifyCurve::mtf:
            return m_plots->setCurrentWidget(m_mtf);
        case VerifyCurve::cdf:
            return m_plots->setCurrentWidget(m_cdf);
        case VerifyCurve::alongX:
            m_views->setProfileAxis(0);
            break;
        case VerifyCurve::alongY:
            m_views->setProfileAxis(1);
            break;
    }
    m_plots->setCurrentWidget(&m_views->plot());
}

void VerifyCurves::setVerification(const Verification& verification) {
    const QVariant before = m_which->currentData();
    {
        const QSignalBlocker quiet(m_which);
        m_which->clear();
        const auto add = [this](const QString& title, VerifyCurve curve) {
            m_which->addItem(title, static_cast<int>(curve));
        };
        add(profileCurve(QStringLiteral("x")), VerifyCurve::alongX);
        add(profileCurve(QStringLiteral("y")), VerifyCurve::alongY);
        if (verification.mtf.size() > 1) add(tr("MTF of the cylinder"), VerifyCurve::mtf);
        if (verification.cdf.size() > 1) add(tr("Contrast discrimination"), VerifyCurve::cdf);
        m_which->setCurrentIndex(std::max(0, m_which->findData(before)));
    }
    showMtf(verification);
    showCdf(verification);
    showCurve();
}

void VerifyCurves::showMtf(const Verification& verification) {
    const std::vector<MtfPoint>& mtf = verification.mtf;
    if (mtf.size() < 2) return;
    const Theme theme = themeOf(*this);
    const QString percent = QStringLiteral("%");
    std::vector<ProfilePlot::Curve> curves;
    if (!verification.expectedMtf.empty())
        curves.push_back(
            {tr("Expected"), percent, theme.muted, percentOf(verification.expectedMtf)});
    curves.push_back({tr("Measured"), percent, theme.accent, percentOf(mtf)});
    m_mtf->setCurves(std::move(curves), {tr("frequency"), QStringLiteral("lp/mm"),
                                         mtf.front().perMm, mtf[1].perMm - mtf[0].perMm});
    // The marks are at the frequencies of the table; 0 means that the curve does not fall so far.
    std::vector<ProfilePlot::Mark> marks;
    for (const auto& [id, level] : {std::pair("mtf50PerMm", 50), {"mtf10PerMm", 10}})
        for (const Figure& figure : verification.figures)
            if (figure.id == id && figure.value > 0)
                marks.push_back(
                    {figure.value, static_cast<double>(level), theme.accent,
                     tr("%1 %: %2").arg(level).arg(QString::fromStdString(figure.shownValue()))});
    m_mtf->setMarks(std::move(marks));
}

void VerifyCurves::showCdf(const Verification& verification) {
    const std::vector<CdfPoint>& cdf = verification.cdf;
    if (cdf.size() < 2) return;
    const Theme theme = themeOf(*this);
    m_cdf->setCurves(
        {{tr("Deviation of tiles' means"), QStringLiteral("%"), theme.accent, percentOfTiles(cdf)}},
        {tr("side of a tile"), QStringLiteral("mm"), cdf.front().widthMm, cdf.front().widthMm});
    std::vector<ProfilePlot::Mark> marks;
    marks.reserve(cdf.size());
    for (const CdfPoint& point : cdf)
        marks.push_back({point.widthMm, point.percent, theme.accent});
    m_cdf->setMarks(std::move(marks));
}

VerifyTables::VerifyTables(QWidget* parent)
    : QWidget(parent),
      m_which(named(new QComboBox(this), "verifyTable")),
      m_tables(new QStackedWidget(this)),
      m_figures(newTextTable(this, "verifyFigures")),
      m_spheres(newTextTable(this, "verifySpheres")) {
    m_which->setAccessibleName(tr("Table"));
    m_which->addItem(tr("Figures and limits"));
    m_which->addItem(tr("Sphere by sphere"));
    m_which->setItemData(1,
                         tr("How far each sphere's centre was measured from where it truly is; its "
                            "form error PF and size error PS."),
                         Qt::ToolTipRole);
    m_tables->addWidget(m_figures);
    m_tables->addWidget(m_spheres);
    auto* layout = spaced(new QVBoxLayout(this), kSpacing / 2);
    layout->addWidget(m_which, 0, Qt::AlignLeft);
    layout->addWidget(m_tables, 1);
    connect(m_which, &QComboBox::currentIndexChanged, m_tables, &QStackedWidget::setCurrentIndex);
}

void VerifyTables::setVerification(const Verification& verification) {
    const bool hasSpheres = !verification.spheres.empty();
    m_which->setVisible(hasSpheres);
    if (!hasSpheres) m_which->setCurrentIndex(0);
    showFigures(verification.figures);
    fillTextTable(*m_spheres, sphereTable(verification.spheres));
}

// Marks each limit that is missed, beside the limit itself; limits without a mark are met.
void VerifyTables::showFigures(const std::vector<Figure>& figures) {
    constexpr int kLimit = 2;  // column
    std::vector<std::vector<std::string>> rows = figureTable(figures);
    for (std::vector<std::string>& row : rows) {
        if (row.back() == "missed") row[kLimit] += ", missed";
        row.pop_back();
    }
    fillTextTable(*m_figures, rows);
    for (std::size_t i = 0; i < figures.size(); ++i)
        if (!figures[i].isMet())
            m_figures->item(static_cast<int>(i), kLimit)->setForeground(themeOf(*this).error);
}

}  // namespace gantry
