#include "ui/panels/geometry/scan_search_window.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/fields/pending_edit.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

QString outdated() {
    return ScanSearchWindow::tr(
        "The geometry has changed since: search again for a result that belongs to it.");
}

}  // namespace

ScanSearchWindow::ScanSearchWindow(ScanDocument& scan, const Names& names, QWidget* parent)
    : QDialog(parent), m_scan(scan), m_names(names) {
    setAttribute(Qt::WA_DeleteOnClose);
    connect(&m_search, &ScanSearch::progressed, this, &ScanSearchWindow::showProgress);
    connect(&scan, &ScanDocument::stateChanged, this, &ScanSearchWindow::followScan);
    connect(&scan, &ScanDocument::scanChanged, this, &ScanSearchWindow::followScan);
    connect(&scan, &ScanDocument::openScanChanged, this, &ScanSearchWindow::followScan);
}

ScanSearchWindow::~ScanSearchWindow() = default;

void ScanSearchWindow::addSearchRow(QVBoxLayout& column, int lines) {
    m_state = named(wrapped(new QLabel), m_names.state);
    m_state->setTextFormat(Qt::PlainText);
    m_state->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    // Both in the same place, so that nothing moves when the search ends.
    m_progress = new SearchProgress({.what = m_names.progress,
                                     .cancel = "cancelSearch",
                                     .bar = tr("Progress of the search"),
                                     .cancelText = tr("Cancel")},
                                    this);
    connect(m_progress, &SearchProgress::cancelled, this, &ScanSearchWindow::cancel);
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(m_progress);
    m_pages->addWidget(m_state);
    m_pages->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_pages->setFixedHeight(std::max(m_progress->sizeHint().height(),
                                     lines * m_state->fontMetrics().lineSpacing() + kSpacing));
    column.addWidget(m_pages);
}

void ScanSearchWindow::addSearchButton(QVBoxLayout& column, const QString& text, const char* name) {
    m_again = named(new QPushButton(text, this), name);
    m_again->setProperty("primary", true);
    m_again->setDefault(true);
    connect(m_again, &QPushButton::clicked, this, &ScanSearchWindow::searchAsked);
    column.addWidget(m_again, 0, Qt::AlignLeft);
}

QDialogButtonBox& ScanSearchWindow::addButtons(QVBoxLayout& column, const QString& use,
                                               const QString& useHelp) {
    auto* buttons = new QDialogButtonBox(this);
    m_use = named(buttons->addButton(use, QDialogButtonBox::AcceptRole), m_names.use, useHelp);
    // Return after an answer searches by it, and does not use what was found before.
    const bool isAsking = m_again != nullptr;
    if (!isAsking) {
        m_again = named(buttons->addButton(tr("Search again"), QDialogButtonBox::ActionRole),
                        "searchAgain");
        connect(m_again, &QPushButton::clicked, this, &ScanSearchWindow::searchAsked);
        m_use->setProperty("primary", true);
        m_use->setDefault(true);
    }
    QPushButton* close =
        named(buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole), m_names.close);
    for (QPushButton* button : {m_use, close})
        button->setAutoDefault(!isAsking);
    connect(m_use, &QPushButton::clicked, this, &ScanSearchWindow::use);
    connect(close, &QPushButton::clicked, this, &ScanSearchWindow::reject);
    column.addWidget(buttons);
    return *buttons;
}

bool ScanSearchWindow::isUpToDate() const {
    return isSameSearch(m_searched, m_scan.request().job.scan);
}

bool ScanSearchWindow::isAtWork() const {
    return m_stage == Stage::waiting || m_stage == Stage::searching;
}

void ScanSearchWindow::waitForAnswer() {
    m_stage = Stage::asking;
    showStage();
}

// What is being typed may be an answer, or of the geometry.
void ScanSearchWindow::searchAsked() {
    if (takePendingEdits(*this) && isAnswered()) search();
}

void ScanSearchWindow::search() {
    m_search.cancel();
    clearResult();
    m_stage = Stage::waiting;
    m_progress->tell(tr("Opening the images"), 0);
    searchWhenOpen();
    showStage();
    if (isAtWork()) m_progress->setFocus();
}

// For an instant after an edit the images are open with the geometry of before it.
void ScanSearchWindow::searchWhenOpen() {
    const std::shared_ptr<const OpenScan> open = m_scan.openScan();
    if (m_scan.hasErrors() && !open) {
        if (canSearchUnusable()) return begin(nullptr);
        m_problem =
            tr("The images cannot be read with this geometry: mend what is marked in the geometry, "
               "then search again.");
        m_stage = Stage::failed;
        return;
    }
    if (open && isSameSearch(open->description, m_scan.request().job.scan)) begin(open);
}

void ScanSearchWindow::begin(std::shared_ptr<const OpenScan> open) {
    m_stage = Stage::searching;
    m_searched = m_scan.request().job.scan;
    showProgress(tr("Starting"), 0);
    startSearch(std::move(open));
}

void ScanSearchWindow::cancel() {
    m_search.cancel();
    m_stage = Stage::cancelled;
    showStage();
    m_again->setFocus();
}

void ScanSearchWindow::followScan() {
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

void ScanSearchWindow::endWithResult() {
    m_stage = Stage::found;
    showStage();
}

void ScanSearchWindow::endWithProblem(const QString& sentence) {
    m_problem = sentence;
    m_stage = Stage::failed;
    showStage();
}

// What is being typed may be of the geometry, and then the result is none of it.
void ScanSearchWindow::use() {
    if (!takePendingEdits(*this) || !resultHolds() || !isAnyChosen()) return;
    takeChosen();
    close();
}

void ScanSearchWindow::showProgress(const QString& what, double fraction) {
    m_progress->tell(tr("%1, %2 %").arg(what).arg(static_cast<int>(100 * fraction)), fraction);
}

void ScanSearchWindow::showStage() {
    // A button that goes hands the keyboard on.
    const bool hadFocus = m_progress->isAncestorOf(focusWidget());
    m_pages->setCurrentWidget(isAtWork() ? static_cast<QWidget*>(m_progress) : m_state);
    showState();
    if (hadFocus && !isAtWork()) (m_use->isEnabled() ? m_use : m_again)->setFocus();
}

void ScanSearchWindow::showState() {
    m_use->setEnabled(resultHolds() && isAnyChosen());
    m_again->setEnabled(!isAtWork() && isAnswered());
    switch (m_stage) {
        case Stage::asking:
            return showQuestion();
        case Stage::failed:
            return showSentence(*m_state, m_problem, SentenceKind::error);
        case Stage::cancelled:
            return showSentence(*m_state, tr("The search was cancelled."), SentenceKind::muted);
        case Stage::outdated:
            return showSentence(*m_state, outdated(), SentenceKind::warning);
        case Stage::found:
            if (isUpToDate()) return showResult();
            return showSentence(*m_state, outdated(), SentenceKind::warning);
        case Stage::waiting:
        case Stage::searching:
            return;
    }
}

}  // namespace gantry
