#include "ui/panels/geometry/calibration_window.h"

#include <QDialogButtonBox>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/file.h"
#include "core/calibrate/ball_file.h"
#include "core/calibrate/calibration_text.h"
#include "ui/models/text.h"
#include "ui/panels/geometry/calibration_question.h"
#include "ui/panels/geometry/calibration_texts.h"
#include "ui/panels/geometry/calibration_view.h"
#include "ui/panels/geometry/scan_search_texts.h"
#include "ui/panels/geometry/search_progress.h"
#include "ui/panels/geometry/searched_views.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/panels/shared/text_table.h"
#include "ui/widgets/pending_edit.h"
#include "ui/widgets/profile_plot.h"
#include "ui/widgets/save_dialog.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/scan_document.h"

namespace gantry {

CalibrationWindow::CalibrationWindow(ScanDocument& scan, QWidget* parent)
    : QDialog(parent), m_scan(scan) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName("calibrationWindow");
    setWindowTitle(calibration_texts::title());
    build();
    connect(&m_search, &CalibrationSearch::progressed, this, &CalibrationWindow::showProgress);
    connect(&m_search, &CalibrationSearch::finished, this, &CalibrationWindow::takeResult);
    connect(&m_search, &CalibrationSearch::failed, this, &CalibrationWindow::fail);
    connect(&scan, &ScanDocument::stateChanged, this, &CalibrationWindow::followScan);
    connect(&scan, &ScanDocument::requestChanged, this, &CalibrationWindow::followScan);
    connect(&scan, &ScanDocument::openScanChanged, this, &CalibrationWindow::followScan);
    showResult();
    followScan();
}

CalibrationWindow::~CalibrationWindow() = default;

void CalibrationWindow::build() {
    constexpr QSize kSize(1240, 700);
    resize(kSize);
    auto* halves = new QHBoxLayout;
    halves->setSpacing(2 * kSpacing);
    // The table has no name cut off.
    halves->addWidget(makeLeft(), 5);
    halves->addWidget(makeRight(), 4);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kSpacing, 2 * kSpacing, 2 * kSpacing, 2 * kSpacing);
    column->setSpacing(kSpacing);
    column->addLayout(halves, 1);
    column->addWidget(makeButtons());
}

QWidget* CalibrationWindow::makeLeft() {
    auto* left = new QWidget(this);
    m_question = new CalibrationQuestion(left);
    m_start = new QPushButton(calibration_texts::search(), left);
    m_start->setObjectName("findBalls");
    m_start->setProperty("primary", true);
    m_start->setDefault(true);
    connect(m_start, &QPushButton::clicked, this, &CalibrationWindow::search);
    connect(m_question, &CalibrationQuestion::changed, this, &CalibrationWindow::showState);
    m_state = new QLabel(left);
    m_state->setObjectName("calibrationState");
    m_state->setTextFormat(Qt::PlainText);
    m_state->setWordWrap(true);
    m_state->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    // Both in the same place, so that nothing moves when the search ends.
    m_progress = new SearchProgress({.what = "calibrationProgress",
                                     .cancel = "cancelCalibration",
                                     .bar = calibration_texts::progressName(),
                                     .cancelText = scan_search_texts::cancel()},
                                    this);
    connect(m_progress, &SearchProgress::cancelled, this, &CalibrationWindow::cancel);
    m_pages = new QStackedWidget(left);
    m_saying = new QWidget(left);
    auto* saying = new QVBoxLayout(m_saying);
    saying->setContentsMargins(0, 0, 0, 0);
    saying->addWidget(m_state, 0, Qt::AlignTop);
    m_pages->addWidget(m_saying);
    m_pages->addWidget(m_progress);
    m_pages->setFixedHeight(
        std::max(m_progress->sizeHint().height(), 4 * m_state->fontMetrics().lineSpacing()));
    m_numbers = newTextTable(left, "calibratedNumbers");
    m_numbers->setAccessibleName(calibration_texts::tableName());
    QSizePolicy policy = m_numbers->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    m_numbers->setSizePolicy(policy);
    m_notes = new QLabel(left);
    m_notes->setObjectName("calibrationNotes");
    m_notes->setTextFormat(Qt::PlainText);
    m_notes->setWordWrap(true);
    m_notes->setProperty("muted", true);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpacing);
    column->addWidget(m_question);
    column->addWidget(m_start, 0, Qt::AlignLeft);
    column->addWidget(m_pages);
    column->addWidget(m_numbers, 1);
    column->addWidget(m_notes);
    return left;
}

QWidget* CalibrationWindow::makeRight() {
    auto* right = new QWidget(this);
    m_view = new CalibrationView(right);
    m_plot = new ProfilePlot(right);
    m_plot->setObjectName("viewResiduals");
    m_plot->setAccessibleName(calibration_texts::plotName());
    m_plot->setEmptyText(calibration_texts::noResiduals());
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpacing);
    column->addWidget(m_view, 3);
    column->addWidget(m_plot, 1);
    return right;
}

QWidget* CalibrationWindow::makeButtons() {
    auto* buttons = new QDialogButtonBox(this);
    m_use = buttons->addButton(calibration_texts::use(), QDialogButtonBox::AcceptRole);
    m_use->setObjectName("useCalibration");
    m_use->setToolTip(calibration_texts::useHelp());
    m_use->setAutoDefault(false);
    m_save = buttons->addButton(calibration_texts::savePlaces(), QDialogButtonBox::ActionRole);
    m_save->setObjectName("saveBalls");
    m_save->setAutoDefault(false);
    QPushButton* close =
        buttons->addButton(scan_search_texts::close(), QDialogButtonBox::RejectRole);
    close->setObjectName("closeCalibration");
    close->setAutoDefault(false);
    connect(m_use, &QPushButton::clicked, this, &CalibrationWindow::use);
    connect(m_save, &QPushButton::clicked, this, &CalibrationWindow::savePlaces);
    connect(close, &QPushButton::clicked, this, &CalibrationWindow::reject);
    return buttons;
}

bool CalibrationWindow::isUpToDate() const {
    return isSameSearch(m_searched, m_scan.request().job.scan);
}

// What is being typed may be a length, or of the geometry.
void CalibrationWindow::search() {
    if (!takePendingEdits(*this)) return;
    const std::optional<BallQuestion> question = m_question->question();
    const std::shared_ptr<const OpenScan> open = m_scan.openScan();
    if (!question || !open || !isSameSearch(open->description, m_scan.request().job.scan)) return;
    m_found.reset();
    m_searched = open->description;
    m_search.start(open, *question);
    setStage(Stage::searching);
    showProgress(scan_search_texts::starting(), 0);
    showResult();
}

void CalibrationWindow::cancel() {
    m_search.cancel();
    setStage(Stage::cancelled);
}

void CalibrationWindow::followScan() {
    if (!m_scan.hasScan()) {
        close();
        return;
    }
    if (m_scan.openScan() && m_scan.openScan() != m_shown) {
        m_shown = m_scan.openScan();
        m_view->setScan(m_shown);
    }
    if (m_stage == Stage::searching && !isUpToDate()) {
        m_search.cancel();
        setStage(Stage::outdated);
    }
    showState();
}

void CalibrationWindow::takeResult(const std::shared_ptr<const BallCalibration>& found) {
    m_found = found;
    setStage(Stage::found);
    showResult();
}

void CalibrationWindow::fail(const QString& sentence) {
    m_problem = sentence;
    setStage(Stage::failed);
}

void CalibrationWindow::use() {
    if (!takePendingEdits(*this) || !m_found || !isUpToDate()) return;
    Request request = m_scan.request();
    request.job.scan.geometry = m_found->geometry;
    const QString residual = QString::fromStdString(residualText(*m_found));
    m_scan.editAndTell(std::move(request), calibration_texts::edit(),
                       calibration_texts::used(residual));
    close();
}

void CalibrationWindow::savePlaces() {
    auto* dialog = new SaveDialog(this, calibration_texts::savePlacesTitle(),
                                  toText(m_searched.folder) + "/balls",
                                  {{calibration_texts::placesFormat(), {"csv"}}});
    dialog->setObjectName("saveBallsDialog");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        if (!m_found) return;
        std::vector<Vec3> centers;
        centers.reserve(m_found->balls.size());
        for (const CalibratedBall& ball : m_found->balls)
            centers.push_back(ball.centerMm);
        try {
            writeFileAtomically(toPath(path), toBallCsv(centers));
        } catch (const Error& error) {
            fail(QString::fromStdString(messageOf(error)));
        }
    });
    dialog->open();
}

void CalibrationWindow::setStage(Stage stage) {
    m_stage = stage;
    m_pages->setCurrentWidget(stage == Stage::searching ? m_progress : m_saying);
    showState();
}

void CalibrationWindow::showProgress(const QString& what, double fraction) {
    m_progress->tell(scan_search_texts::progress(what, static_cast<int>(100 * fraction)), fraction);
}

void CalibrationWindow::showState() {
    const bool isOpen = m_scan.openScan() != nullptr;
    m_start->setEnabled(isOpen && m_stage != Stage::searching && m_question->question());
    m_use->setEnabled(m_found && isUpToDate());
    m_save->setEnabled(m_found && m_found->hasScale);
    m_save->setToolTip(m_found && !m_found->hasScale ? calibration_texts::savePlacesNeedScale()
                                                     : calibration_texts::savePlacesHelp());
    showSaying();
}

void CalibrationWindow::showSaying() {
    if (!m_scan.openScan())
        showSentence(*m_state, calibration_texts::unreadable(), SentenceKind::error);
    else if (m_stage == Stage::failed)
        showSentence(*m_state, m_problem, SentenceKind::error);
    else if (m_stage == Stage::cancelled)
        showSentence(*m_state, scan_search_texts::cancelled(), SentenceKind::muted);
    else if (m_stage == Stage::outdated || (m_found && !isUpToDate()))
        showSentence(*m_state, calibration_texts::outdated(), SentenceKind::warning);
    else if (m_found)
        showSentence(*m_state,
                     calibration_texts::foundText(QString::fromStdString(ballsText(*m_found)),
                                                  QString::fromStdString(residualText(*m_found))),
                     SentenceKind::good);
    else
        showSentence(
            *m_state,
            m_question->question() ? calibration_texts::ready() : calibration_texts::needsFile(),
            SentenceKind::muted);
}

void CalibrationWindow::showResult() {
    std::vector<ProfilePlot::Curve> curves;
    QStringList notes;
    m_view->setFound(m_found);
    if (m_found) {
        fillTextTable(*m_numbers, calibrationTable(*m_found));
        for (const std::string& note : calibrationNotes(*m_found))
            notes << QString::fromStdString(note);
        curves.push_back({calibration_texts::residualOfViews(), calibration_texts::pixelUnit(),
                          themeOf(*this).accent, m_found->viewRmsPx});
    }
    m_numbers->setVisible(m_found != nullptr);
    m_notes->setText(notes.join('\n'));
    m_notes->setVisible(!notes.isEmpty());
    m_plot->setCurves(std::move(curves), calibration_texts::view().toLower());
}

void CalibrationWindow::changeEvent(QEvent* event) {
    // The curve's colour is the theme's.
    if (event->type() == QEvent::PaletteChange && m_plot) showResult();
    QDialog::changeEvent(event);
}

}  // namespace gantry
