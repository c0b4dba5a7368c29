#include "ui/panels/geometry/alignment_window.h"

#include <QDialogButtonBox>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/panels/geometry/alignment_row.h"
#include "ui/panels/geometry/alignment_texts.h"
#include "ui/panels/geometry/search_progress.h"
#include "ui/panels/geometry/searched_views.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/pending_edit.h"
#include "ui/widgets/profile_plot.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/scan_document.h"

namespace gantry {

AlignmentWindow::AlignmentWindow(ScanDocument& scan, QWidget* parent)
    : QDialog(parent), m_scan(scan) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName("alignmentWindow");
    setWindowTitle(alignment_texts::title());
    build();
    connect(&m_search, &AlignmentSearch::progressed, this, &AlignmentWindow::showProgress);
    connect(&m_search, &AlignmentSearch::finished, this, &AlignmentWindow::takeResult);
    connect(&m_search, &AlignmentSearch::failed, this, &AlignmentWindow::fail);
    connect(&scan, &ScanDocument::stateChanged, this, &AlignmentWindow::followScan);
    connect(&scan, &ScanDocument::requestChanged, this, &AlignmentWindow::followScan);
    connect(&scan, &ScanDocument::openScanChanged, this, &AlignmentWindow::followScan);
    search();
}

AlignmentWindow::~AlignmentWindow() = default;

void AlignmentWindow::build() {
    constexpr QSize kSize(560, 500);
    resize(kSize);
    m_state = new QLabel;
    m_state->setObjectName("alignmentState");
    m_state->setTextFormat(Qt::PlainText);
    m_state->setWordWrap(true);
    // Both in the same place, so that nothing moves when the search ends.
    m_progress = new SearchProgress({.what = "alignmentProgress",
                                     .cancel = "cancelSearch",
                                     .bar = alignment_texts::progressName(),
                                     .cancelText = alignment_texts::cancel()},
                                    this);
    connect(m_progress, &SearchProgress::cancelled, this, &AlignmentWindow::cancel);
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(m_progress);
    m_pages->addWidget(m_state);
    m_pages->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_pages->setFixedHeight(std::max(m_progress->sizeHint().height(),
                                     2 * m_state->fontMetrics().lineSpacing() + kSpacing));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kSpacing, 2 * kSpacing, 2 * kSpacing, 2 * kSpacing);
    column->setSpacing(kSpacing);
    column->addWidget(m_pages);
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
    m_centre = addRow("centre", alignment_texts::centre(), alignment_texts::centreHelp(),
                      AlignmentUnit::pixels);
    m_roll = addRow("roll", alignment_texts::roll(), alignment_texts::rollHelp(),
                    AlignmentUnit::degrees);
    m_tilt = addRow("tilt", alignment_texts::tilt(), alignment_texts::tiltHelp(),
                    AlignmentUnit::degrees);
    m_curve = new ProfilePlot(this);
    m_curve->setObjectName("centreCurve");
    m_curve->setAccessibleName(alignment_texts::curveName());
    m_curve->setEmptyText(alignment_texts::noCurve());
    column->addWidget(m_curve, 1);
    column->addWidget(makeButtons());
}

QDialogButtonBox* AlignmentWindow::makeButtons() {
    auto* buttons = new QDialogButtonBox(this);
    m_use = buttons->addButton(alignment_texts::use(), QDialogButtonBox::AcceptRole);
    m_use->setObjectName("useAlignment");
    m_use->setToolTip(alignment_texts::useHelp());
    m_use->setProperty("primary", true);
    m_use->setDefault(true);
    m_again = buttons->addButton(alignment_texts::searchAgain(), QDialogButtonBox::ActionRole);
    m_again->setObjectName("searchAgain");
    QPushButton* close = buttons->addButton(alignment_texts::close(), QDialogButtonBox::RejectRole);
    close->setObjectName("closeAlignment");
    connect(m_use, &QPushButton::clicked, this, &AlignmentWindow::use);
    connect(m_again, &QPushButton::clicked, this, [this] {
        if (takePendingEdits(*this)) search();
    });
    connect(close, &QPushButton::clicked, this, &AlignmentWindow::reject);
    return buttons;
}

bool AlignmentWindow::isUpToDate() const {
    return isSameSearch(m_searched, m_scan.request().job.scan);
}

bool AlignmentWindow::isAtWork() const {
    return m_stage == Stage::waiting || m_stage == Stage::searching;
}

void AlignmentWindow::search() {
    m_search.cancel();
    m_found.reset();
    for (AlignmentRow* row : {m_centre, m_roll, m_tilt})
        row->clear();
    m_stage = Stage::waiting;
    m_progress->tell(alignment_texts::opening(), 0);
    searchWhenOpen();
    showStage();
    showCurve();
    if (isAtWork()) m_progress->setFocus();
}

// For an instant after an edit the images are open with the geometry of before it.
void AlignmentWindow::searchWhenOpen() {
    const std::shared_ptr<const OpenScan> open = m_scan.openScan();
    if (m_scan.hasErrors() && !open) {
        m_problem = alignment_texts::unreadable();
        m_stage = Stage::failed;
        return;
    }
    if (!open || !isSameSearch(open->description, m_scan.request().job.scan)) return;
    m_stage = Stage::searching;
    m_searched = open->description;
    showProgress(alignment_texts::starting(), 0);
    m_search.start(open);
}

void AlignmentWindow::cancel() {
    m_search.cancel();
    m_stage = Stage::cancelled;
    showStage();
    m_again->setFocus();
}

void AlignmentWindow::followScan() {
    if (!m_scan.hasScan()) {
        close();
        return;
    }
    if (m_stage == Stage::waiting) {
        searchWhenOpen();
    } else if (m_stage == Stage::searching && !isUpToDate()) {
        m_search.cancel();
        m_stage = Stage::outdated;
    }
    showStage();
}

void AlignmentWindow::takeResult(const Alignment& found) {
    m_found = found;
    m_stage = Stage::found;
    const auto column = [](double value) { return QString::number(value, 'f', 2); };
    const QString columns =
        found.centre.isFound
            ? alignment_texts::columns(
                  column(withMisalignment(m_searched.geometry, {.centrePx = found.centre.value})
                             .axisColumn()),
                  column(found.centreColumn))
            : QString();
    m_centre->showFinding(found.centre, columns);
    m_roll->showFinding(found.roll);
    m_tilt->showFinding(found.tilt);
    showCurve();
    showStage();
}

void AlignmentWindow::fail(const QString& sentence) {
    m_problem = sentence;
    m_stage = Stage::failed;
    showStage();
}

// What is being typed may be of the geometry, and then the result is none of it.
void AlignmentWindow::use() {
    if (!takePendingEdits(*this) || !m_found || !isUpToDate()) return;
    QStringList names;
    QStringList changes;
    for (const AlignmentRow* row : {m_centre, m_roll, m_tilt}) {
        if (!row->isChosen()) continue;
        names << row->name();
        changes << row->change();
    }
    if (names.isEmpty()) return;
    Request request = m_scan.request();
    ScanGeometry& geometry = request.job.scan.geometry;
    geometry = withMisalignment(geometry, {.centrePx = m_centre->chosenValue(),
                                           .rollDeg = m_roll->chosenValue(),
                                           .tiltDeg = m_tilt->chosenValue()});
    m_scan.editAndTell(std::move(request), alignment_texts::edit(names),
                       alignment_texts::corrected(changes));
    close();
}

void AlignmentWindow::showProgress(const QString& what, double fraction) {
    m_progress->tell(alignment_texts::progress(what, static_cast<int>(100 * fraction)), fraction);
}

void AlignmentWindow::showStage() {
    // A button that goes hands the keyboard on.
    const bool hadFocus = m_progress->isAncestorOf(focusWidget());
    m_pages->setCurrentWidget(isAtWork() ? static_cast<QWidget*>(m_progress) : m_state);
    showState();
    if (hadFocus && !isAtWork()) (m_use->isEnabled() ? m_use : m_again)->setFocus();
}

void AlignmentWindow::showState() {
    const bool holds = m_found && isUpToDate();
    const bool isAnyChosen = m_centre->isChosen() || m_roll->isChosen() || m_tilt->isChosen();
    m_use->setEnabled(holds && isAnyChosen);
    m_again->setEnabled(!isAtWork());
    if (m_stage == Stage::failed) {
        showSentence(*m_state, m_problem, SentenceKind::error);
    } else if (m_stage == Stage::cancelled) {
        showSentence(*m_state, alignment_texts::cancelled(), SentenceKind::muted);
    } else if (m_stage == Stage::outdated || (m_found && !holds)) {
        showSentence(*m_state, alignment_texts::outdated(), SentenceKind::warning);
    } else if (m_found) {
        const int count = static_cast<int>(m_found->centre.isFound) +
                          static_cast<int>(m_found->roll.isFound) +
                          static_cast<int>(m_found->tilt.isFound);
        constexpr int kAll = 3;
        if (count == kAll)
            showSentence(*m_state, alignment_texts::foundAll(), SentenceKind::good);
        else if (count > 0)
            showSentence(*m_state, alignment_texts::foundSome());
        else
            showSentence(*m_state, alignment_texts::foundNothing(), SentenceKind::warning);
    }
}

void AlignmentWindow::showCurve() {
    std::vector<ProfilePlot::Curve> curves;
    ProfilePlot::XAxis x{alignment_texts::changeOfCentre(), alignment_texts::pixelUnit()};
    if (m_found && m_found->centre.tried.size() > 1) {
        const std::vector<double>& tried = m_found->centre.tried;
        x.first = tried.front();
        x.step = (tried.back() - tried.front()) / static_cast<double>(tried.size() - 1);
        curves.push_back(
            {alignment_texts::misfit(), {}, themeOf(*this).accent, m_found->centre.scores});
    }
    m_curve->setCurves(std::move(curves), x);
}

void AlignmentWindow::changeEvent(QEvent* event) {
    // The curve's colour is the theme's.
    if (event->type() == QEvent::PaletteChange && m_curve) showCurve();
    QDialog::changeEvent(event);
}

}  // namespace gantry
