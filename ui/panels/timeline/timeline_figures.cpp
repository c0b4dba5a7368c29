#include "ui/panels/timeline/timeline_figures.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QScrollBar>
#include <QTabBar>
#include <QTableView>
#include <algorithm>

#include "ui/models/timeline/stage_colours.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

// samples: what each column must hold; the columns do not change with every new figure. The one of
// index `stretched` takes the rest.
QTableView* tableOf(QAbstractItemModel& model, const char* name, const QStringList& samples,
                    int stretched, QWidget* parent) {
    auto* view = named(new QTableView(parent), name);
    view->setModel(&model);
    view->setFont(tabular(view->font()));
    view->setShowGrid(false);
    view->setFrameShape(QFrame::NoFrame);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setTabKeyNavigation(false);
    view->setWordWrap(false);
    view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    const QFontMetrics metrics = view->fontMetrics();
    const int side = metrics.ascent() - 1;
    view->setIconSize({side, side});
    view->verticalHeader()->hide();
    view->verticalHeader()->setMinimumSectionSize(1);
    view->verticalHeader()->setDefaultSectionSize(metrics.height() + kSpacing / 2);
    QHeaderView* header = view->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionsClickable(false);
    header->setMinimumSectionSize(1);
    header->setSectionResizeMode(stretched, QHeaderView::Stretch);
    int wide = 0;
    for (int i = 0; i < samples.size(); ++i) {
        const QString title = model.headerData(i, Qt::Horizontal).toString();
        const int column =
            std::max(metrics.horizontalAdvance(samples[i]), metrics.horizontalAdvance(title)) +
            3 * kSpacing;
        header->resizeSection(i, column);
        wide += column;
    }
    view->setMinimumWidth(wide);
    return view;
}

int scrollBarWidth(const QTableView& view) {
    return view.verticalScrollBar()->sizeHint().width();
}

// Makes a table that wide, or lets it be scrolled sideways where it gets less.
void makeRoom(QTableView& view, int stretched, int width, bool isScrolled) {
    QHeaderView& header = *view.horizontalHeader();
    view.setMinimumWidth(isScrolled ? 0 : width);
    view.setHorizontalScrollBarPolicy(isScrolled ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    header.setSectionResizeMode(stretched, isScrolled ? QHeaderView::Fixed : QHeaderView::Stretch);
    if (!isScrolled) return;
    int others = scrollBarWidth(view);
    for (int column = 0; column < header.count(); ++column)
        if (column != stretched) others += header.sectionSize(column);
    header.resizeSection(stretched, width - others);
}

}  // namespace

TimelineFigures::TimelineFigures(QWidget* parent)
    : QWidget(parent),
      m_tabs(named(new QTabBar(this), "timelineFiguresTabs")),
      m_stageView(tableOf(m_stages, "timelineStages",
                          {"■ back-project", "0 h 00 min", "000 %", "00.0 GB/s", "0 h 00 min"},
                          StageTable::stageColumn, this)),
      m_gapView(tableOf(m_gaps, "timelineGaps",
                        {"0 h 00 min", "rank 0 · back-project", "■ back-project to make room"},
                        GapTable::causeColumn, this)) {
    m_tabs->addTab(tr("Stages"));
    m_tabs->addTab(tr("Idle gaps"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_stageView->setAccessibleName(tr("Time of every stage"));
    m_gapView->setAccessibleName(tr("Longest idle gaps"));
    auto* tables = spaced(new QHBoxLayout, 2 * kSpacing);
    tables->addWidget(m_stageView, 1);
    tables->addWidget(m_gapView, 1);
    m_residual = named(new ProfilePlot(this), "residualCurve",
                       tr("What the volume's line integrals lack of the views, as a share of "
                          "these, after each iteration."));
    m_residual->setAccessibleName(tr("Residual of the iterations"));
    tables->addWidget(m_residual, 1);
    auto* all = spaced(new QVBoxLayout(this), 0);
    all->addWidget(m_tabs);
    all->addLayout(tables, 1);
    m_stageColumns = m_stageView->minimumWidth();
    m_gapColumns = m_gapView->minimumWidth();
    m_shareWidth = m_stageView->columnWidth(StageTable::shareColumn);
    connect(m_tabs, &QTabBar::currentChanged, this, &TimelineFigures::arrange);
    const auto choose = [this](const QModelIndex& index) {
        if (const LaneGap* gap = m_gaps.gap(index.row()))
            emit gapChosen({gap->beginNs, gap->endNs});
    };
    connect(m_gapView, &QTableView::clicked, this, choose);
    connect(m_gapView, &QTableView::activated, this, choose);
    arrange();
}

void TimelineFigures::show(const TimelineSnapshot& snapshot,
                           const std::optional<TimeRange>& selection) {
    if (selection)
        m_stages.show(snapshot.store.summary(selection->beginNs, selection->endNs), {});
    else
        m_stages.show(snapshot.summary, snapshot.forecast);
    m_gaps.show(snapshot);
    showResidual(snapshot.iterations);
}

void TimelineFigures::showResidual(const std::vector<IterationFigures>& iterations) {
    if (m_isIterative == iterations.empty()) {
        m_isIterative = !iterations.empty();
        m_tabs->setTabText(1, m_isIterative ? tr("Residual") : tr("Idle gaps"));
        arrange();
    }
    if (!m_isIterative) return;
    ProfilePlot::Curve curve = {tr("residual"), "%", stageColour(Stage::project), {}};
    constexpr double kPercent = 100;
    for (const IterationFigures& one : iterations)
        curve.values.push_back(kPercent * one.residual);
    m_residual->setCurves({curve}, ProfilePlot::XAxis{.title = tr("iteration"), .first = 1});
}

int TimelineFigures::setAvailableWidth(int width) {
    const int gaps = m_gapColumns + scrollBarWidth(*m_gapView);
    int stages = m_stageColumns + scrollBarWidth(*m_stageView);
    // The timeline itself gets the larger part.
    m_isWide = width > 2 * (stages + gaps + 2 * kSpacing);
    const bool isNarrow = width < 2 * stages;
    m_stageView->setColumnHidden(StageTable::shareColumn, isNarrow);
    if (isNarrow) stages -= m_shareWidth;
    // Beside the fields of a small screen the tables give up width, and are scrolled sideways.
    constexpr int kMinTimeline = 30 * kSpacing;
    constexpr double kShareOfFew = 0.42;
    const bool isFew = width < std::max(stages, gaps) + kMinTimeline;
    m_reducedWidth = isFew ? static_cast<int>(kShareOfFew * width) : 0;
    makeRoom(*m_stageView, StageTable::stageColumn, stages, isFew);
    makeRoom(*m_gapView, GapTable::causeColumn, gaps, isFew);
    arrange();
    return m_reducedWidth;
}

void TimelineFigures::arrange() {
    m_tabs->setVisible(!m_isWide);
    // The same for both tabs: the timeline stays as wide as it is.
    const int tables[] = {m_stageView->minimumWidth(), m_gapView->minimumWidth()};
    const int min =
        m_isWide ? tables[0] + tables[1] + 2 * kSpacing : std::max(tables[0], tables[1]);
    setMinimumWidth(m_reducedWidth > 0 ? m_reducedWidth : min);
    m_stageView->setVisible(m_isWide || m_tabs->currentIndex() == 0);
    const bool isSecond = m_isWide || m_tabs->currentIndex() == 1;
    m_gapView->setVisible(isSecond && !m_isIterative);
    m_residual->setVisible(isSecond && m_isIterative);
}

}  // namespace gantry
