#include "ui/panels/geometry/alignment_window.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <utility>

#include "ui/panels/geometry/alignment_row.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

AlignmentWindow::AlignmentWindow(ScanDocument& scan, QWidget* parent)
    : ScanSearchWindow(
          scan, {"alignmentState", "alignmentProgress", "useAlignment", "closeAlignment"}, parent) {
    setObjectName("alignmentWindow");
    setWindowTitle(tr("Find the centre of rotation"));
    build();
    connect(&m_search, &AlignmentSearch::progressed, this, &AlignmentWindow::showProgress);
    connect(&m_search, &AlignmentSearch::finished, this, &AlignmentWindow::takeResult);
    connect(&m_search, &AlignmentSearch::failed, this, &AlignmentWindow::endWithProblem);
    search();
}

AlignmentWindow::~AlignmentWindow() = default;

void AlignmentWindow::build() {
    constexpr QSize kSize(560, 540);
    resize(kSize);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kSpacing, 2 * kSpacing, 2 * kSpacing, 2 * kSpacing);
    column->setSpacing(kSpacing);
    addSearchRow(*column);
    addFinders(*column);
    column->addSpacing(kSpacing / 2);
    const auto addRow = [&](const char* name, const QString& text, const QString& toolTip,
                            AlignmentUnit unit) {
        auto* row = new AlignmentRow(text, unit, this);
        row->setObjectName(name);
        row->setToolTip(toolTip);
        connect(row, &AlignmentRow::chosenChanged, this, &AlignmentWindow::showState);
        column->addWidget(row);
        return row;
    };
    m_centre = addRow(
        "centre", tr("Centre of rotation"),
        tr("How many pixels farther along u the rotation axis is seen than the geometry says."),
        AlignmentUnit::pixels);
    m_roll =
        addRow("roll", tr("Roll"), tr("The change of the detector's rotation in its own plane."),
               AlignmentUnit::degrees);
    m_tilt =
        addRow("tilt", tr("Tilt"), tr("The change of the detector's rotation about its u axis."),
               AlignmentUnit::degrees);
    m_curve = new ProfilePlot(this);
    m_curve->setObjectName("centreCurve");
    m_curve->setAccessibleName(tr("Misfit of the views at every centre that was tried"));
    m_curve->setEmptyText(tr("How well the views fit each other at every centre that is tried."));
    column->addWidget(m_curve, 1);
    addButtons(*column, tr("Use"), tr("Changes the geometry by what is checked; can be undone."));
}

void AlignmentWindow::addFinders(QBoxLayout& column) {
    m_finder = new QComboBox(this);
    m_finder->setObjectName("centreFrom");
    m_finder->setToolTip(
        tr("Automatic takes the first that can tell. Choosing another one searches again: two that "
           "agree confirm each other."));
    const auto add = [this](const QString& text, CentreFinder finder) {
        m_finder->addItem(text, static_cast<int>(finder));
    };
    add(tr("Automatic"), CentreFinder::automatic);
    add(tr("Rays measured from both ends"), CentreFinder::rays);
    add(tr("Views half a turn apart (parallel beam)"), CentreFinder::pairs);
    add(tr("Sharpness of slices"), CentreFinder::slices);
    connect(m_finder, &QComboBox::activated, this, &AlignmentWindow::search);
    auto* label = new QLabel(tr("Centre from"), this);
    label->setBuddy(m_finder);
    auto* row = new QHBoxLayout;
    row->setSpacing(kSpacing);
    row->addWidget(label);
    row->addWidget(m_finder, 1);
    column.addLayout(row);
}

void AlignmentWindow::startSearch(std::shared_ptr<const OpenScan> open) {
    m_search.start(std::move(open), static_cast<CentreFinder>(m_finder->currentData().toInt()));
}

void AlignmentWindow::stopSearch() {
    m_search.cancel();
}

void AlignmentWindow::clearResult() {
    m_found.reset();
    for (AlignmentRow* row : {m_centre, m_roll, m_tilt})
        row->clear();
    showCurve();
}

void AlignmentWindow::takeResult(const Alignment& found) {
    m_found = found;
    const auto column = [](double value) { return QString::number(value, 'f', 2); };
    const QString columns =
        found.centre.isFound
            ? tr("Column %1 instead of %2.")
                  .arg(
                      column(withMisalignment(searched().geometry, {.centrePx = found.centre.value})
                                 .axisColumn()),
                      column(found.centreColumn))
            : QString();
    m_centre->showFinding(found.centre, columns);
    m_roll->showFinding(found.roll);
    m_tilt->showFinding(found.tilt);
    showCurve();
    endWithResult();
}

void AlignmentWindow::takeChosen() {
    QStringList names;
    QStringList changes;
    for (const AlignmentRow* row : {m_centre, m_roll, m_tilt}) {
        if (!row->isChosen()) continue;
        names << row->name();
        changes << row->change();
    }
    Request request = scan().request();
    ScanGeometry& geometry = request.job.scan.geometry;
    geometry = withMisalignment(geometry, {.centrePx = m_centre->chosenValue(),
                                           .rollDeg = m_roll->chosenValue(),
                                           .tiltDeg = m_tilt->chosenValue()});
    scan().editAndTell(
        std::move(request), tr("Correct %1").arg(names.join(", ").toLower()),
        tr("Corrected by what the views say: %1.").arg(changes.join(", ").toLower()));
}

bool AlignmentWindow::isAnyChosen() const {
    return m_centre->isChosen() || m_roll->isChosen() || m_tilt->isChosen();
}

void AlignmentWindow::showResult() {
    const int count = static_cast<int>(m_found->centre.isFound) +
                      static_cast<int>(m_found->roll.isFound) +
                      static_cast<int>(m_found->tilt.isFound);
    constexpr int kAll = 3;
    if (count == kAll)
        showSentence(state(), tr("Centre of rotation, roll and tilt were found."),
                     SentenceKind::good);
    else if (count > 0)
        showSentence(state(), tr("Not all was found: below is why, and what can be used."));
    else
        showSentence(state(), tr("The views do not tell how the detector stands: below is why."),
                     SentenceKind::warning);
}

void AlignmentWindow::showCurve() {
    std::vector<ProfilePlot::Curve> curves;
    ProfilePlot::XAxis x{tr("change"), tr("px")};
    if (m_found && m_found->centre.tried.size() > 1) {
        const std::vector<double>& tried = m_found->centre.tried;
        x.first = tried.front();
        x.step = (tried.back() - tried.front()) / static_cast<double>(tried.size() - 1);
        curves.push_back({tr("misfit of the views (least at the centre)"),
                          {},
                          themeOf(*this).accent,
                          m_found->centre.scores});
    }
    m_curve->setCurves(std::move(curves), x);
}

void AlignmentWindow::changeEvent(QEvent* event) {
    // The curve's colour is the theme's.
    if (event->type() == QEvent::PaletteChange && m_curve) showCurve();
    QDialog::changeEvent(event);
}

}  // namespace gantry
