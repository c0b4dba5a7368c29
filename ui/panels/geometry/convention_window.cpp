#include "ui/panels/geometry/convention_window.h"

#include <QButtonGroup>
#include <QLabel>
#include <QRadioButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/doctor/interpretation_words.h"
#include "ui/panels/geometry/convention_row.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

QString more(int count) {
    return count == 1 ? ConventionWindow::tr("One more reading was tried.")
                      : ConventionWindow::tr("%1 more readings were tried.").arg(count);
}

constexpr std::size_t kMaxRows = 8;

GreyWindow windowOf(const Trial& trial) {
    std::vector<float> pixels;
    for (const TrialPicture& slice : trial.slices)
        pixels.insert(pixels.end(), slice.pixels.begin(), slice.pixels.end());
    return {0, autoWindow(pixels).white};
}

}  // namespace

ConventionWindow::ConventionWindow(ScanDocument& scan, QWidget* parent)
    : ScanSearchWindow(scan,
                       {"conventionState", "conventionProgress", "useReading", "closeConventions"},
                       parent) {
    constexpr QSize kSize(920, 640);
    setObjectName("conventionWindow");
    setWindowTitle(tr("Check the scan's conventions"));
    resize(kSize);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kSpacing, 2 * kSpacing, 2 * kSpacing, 2 * kSpacing);
    column->setSpacing(kSpacing);
    addSearchRow(*column);
    m_scroll = new QScrollArea(this);
    m_scroll->setObjectName("readings");
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);  // its buttons have the keyboard
    column->addWidget(m_scroll, 1);
    addButtons(*column, tr("Use"),
               tr("Changes the scan's description to the reading that is chosen; can be undone."));
    connect(&m_search, &ConventionSearch::progressed, this, &ConventionWindow::showProgress);
    connect(&m_search, &ConventionSearch::finished, this, &ConventionWindow::takeResult);
    connect(&m_search, &ConventionSearch::failed, this, &ConventionWindow::endWithProblem);
    search();
}

ConventionWindow::~ConventionWindow() = default;

void ConventionWindow::startSearch(std::shared_ptr<const OpenScan> open) {
    m_search.start(searched(), std::move(open));
}

void ConventionWindow::stopSearch() {
    m_search.cancel();
}

void ConventionWindow::clearResult() {
    m_found.reset();
    m_rows.clear();
    m_choices = nullptr;
    QLabel* nothing = makeMutedSentence(
        tr("Slices of the scan with each reading that is tried, the best first."), nullptr);
    nothing->setAlignment(Qt::AlignCenter);
    m_scroll->setWidget(nothing);
}

void ConventionWindow::takeResult(std::shared_ptr<const Diagnosis> found) {
    m_found = std::move(found);
    showRows();
    endWithResult();
}

void ConventionWindow::showRows() {
    auto* rows = new QWidget;
    m_choices = new QButtonGroup(rows);
    auto* column = new QVBoxLayout(rows);
    column->setContentsMargins(0, 0, kSpacing, 0);
    column->setSpacing(2 * kSpacing);
    if (!m_found->whyUnusable.empty())
        column->addWidget(
            makeMutedSentence(tr("As it is declared the scan cannot be reconstructed: %1")
                                  .arg(QString::fromStdString(m_found->whyUnusable)),
                              rows));
    const std::vector<InterpretationGroup>& groups = m_found->groups;
    ConventionRow::Look look;
    look.sharpest = groups.front().trial.all.sharpness;
    look.window = windowOf(groups.front().trial);
    for (std::size_t i = 0; i < std::min(kMaxRows, groups.size()); ++i) {
        look.listsSameViews = i < m_found->tied;
        m_rows.push_back(new ConventionRow(groups[i], look, *m_choices, rows));
        column->addWidget(m_rows.back());
    }
    if (groups.size() > kMaxRows)
        column->addWidget(
            makeMutedSentence(more(static_cast<int>(groups.size() - kMaxRows)), rows));
    column->addStretch();
    m_scroll->setWidget(rows);
    // What the views do not tell is the operator's to choose.
    if (m_found->certainty != Certainty::cannotTell) m_rows.front()->first().setChecked(true);
    connect(m_choices, &QButtonGroup::buttonToggled, this, &ConventionWindow::showState);
}

const Interpretation* ConventionWindow::chosen() const {
    for (const ConventionRow* row : m_rows)
        if (const Interpretation* interpretation = row->chosen()) return interpretation;
    return nullptr;
}

bool ConventionWindow::isAnyChosen() const {
    const Interpretation* const interpretation = chosen();
    return interpretation && !interpretation->changed.empty();
}

void ConventionWindow::showResult() {
    const bool isRight = m_found->isAsDeclared && m_found->certainty != Certainty::cannotTell;
    showSentence(state(), QString::fromStdString(summaryOf(*m_found)),
                 isRight ? SentenceKind::good : SentenceKind::warning);
}

void ConventionWindow::takeChosen() {
    const Interpretation interpretation = *chosen();
    Request request = scan().request();
    request.job.scan = withInterpretation(request.job.scan, interpretation);
    scan().editAndTell(
        std::move(request), tr("Change conventions"),
        tr("The scan is now read with: %1.").arg(QString::fromStdString(nameOf(interpretation))));
}

}  // namespace gantry
