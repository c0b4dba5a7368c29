#include "ui/panels/verify/verify_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>

#include "core/base/file.h"
#include "core/base/this_machine.h"
#include "ui/models/text.h"
#include "ui/panels/verify/report_pdf.h"
#include "ui/panels/verify/verify_curves.h"
#include "ui/panels/verify/verify_question.h"
#include "ui/panels/verify/verify_views.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/fields/pending_edit.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/widgets/kept_focus.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/search/verification_run.h"
#include "ui/workspace/volume/volume_loading.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

QString aboutVerify() {
    return VerifyPanel::tr(
        "Test pieces are simulated in this scan's geometry, reconstructed with its settings, and "
        "compared with the truth: sharpness, lengths, likely faults.");
}

constexpr Index kMaxReport = 100'000'000;  // bytes

std::shared_ptr<const LoadedVolume> loaded(const std::filesystem::path& path,
                                           const std::stop_token& stop) {
    std::atomic<double> fraction = 0;
    return std::make_shared<LoadedVolume>(
        loadVolume(path, {availableMemoryBytes() / 4, availableMemoryBytes() / 4}, fraction, stop));
}

VoxelData voxelsOf(const std::shared_ptr<const LoadedVolume>& volume) {
    return {volume->grid, volume, volume->voxels.span()};
}

// truth: an empty path where there is none
PieceVolumes loadedPiece(const std::filesystem::path& truth, const std::filesystem::path& result,
                         const std::stop_token& stop) {
    const auto volume = loaded(result, stop);
    if (truth.empty()) return {{}, voxelsOf(volume), volume->window};
    const VoxelData real = voxelsOf(loaded(truth, stop));
    const double max = std::max(1e-9F, *std::ranges::max_element(real.voxels));
    return {real, voxelsOf(volume), {0, max}};
}

}  // namespace

struct VerifyPanel::Parts {
    Parts(VerifyPanel& thePanel, Workspace& theWorkspace);

    VerifyPanel& panel;
    Workspace& workspace;
    VerificationRun run;
    Verification found;
    Background loading;
    Background saving;

    QStackedLayout* pages = nullptr;
    Placeholder* placeholder = nullptr;
    QWidget* page = nullptr;
    VerifyQuestion* question = nullptr;
    QPushButton* start = nullptr;
    QPushButton* cancel = nullptr;
    QProgressBar* progress = nullptr;
    QComboBox* shown = nullptr;
    QPushButton* save = nullptr;
    QLabel* about = nullptr;
    QLabel* verdict = nullptr;
    bool isOfScan = true;           // what was found: else of a volume alone
    std::filesystem::path subject;  // the file that was verified
    VerifyViews* views = nullptr;
    VerifyCurves* curves = nullptr;
    VerifyTables* tables = nullptr;
    QWidget* results = nullptr;
    QVBoxLayout* rows = nullptr;  // of results: pictures, and
    QBoxLayout* below = nullptr;  // curves and tables

    void build();
    [[nodiscard]] QHBoxLayout* buildControls();
    void buildResults();
    void arrange();
    void connectAll();
    [[nodiscard]] ScanDocument& scan() const { return workspace.scan(); }
    void makeOld();
    void showState();
    [[nodiscard]] bool needsScan() const;
    void begin();
    void take(const Verification& verification);
    void fail(const QString& sentence);
    void showVerdict(const QString& note);
    void loadPiece();
    void clear();
    void askForReport();
    void saveReport(const QString& path);
};

VerifyPanel::Parts::Parts(VerifyPanel& thePanel, Workspace& theWorkspace)
    : panel(thePanel), workspace(theWorkspace), run(theWorkspace.program()) {
    build();
    connectAll();
    clear();
    showState();
}

void VerifyPanel::Parts::build() {
    placeholder = new Placeholder(tr("Open a scan (Ctrl+O) to verify its geometry and settings, or "
                                     "measure a test piece that was scanned."),
                                  tr("Measure a test piece…"), &panel);
    page = new QWidget(&panel);
    about = wrapped(new QLabel(aboutVerify(), page));
    about->setAlignment(Qt::AlignCenter);
    verdict = named(copyable(new QLabel(page)), "verifyVerdict");
    buildResults();
    auto* layout = spaced(new QVBoxLayout(page), kSpacing, kSpacing);
    question = new VerifyQuestion(page);
    layout->addWidget(question);
    layout->addLayout(buildControls());
    layout->addWidget(verdict);
    layout->addWidget(about, 1);
    layout->addWidget(results, 1);
    pages = new QStackedLayout(&panel);
    pages->addWidget(placeholder);
    pages->addWidget(page);
}

QHBoxLayout* VerifyPanel::Parts::buildControls() {
    start = named(new QPushButton(tr("Verify"), page), "startVerify");
    start->setProperty("primary", true);
    cancel = named(new QPushButton(tr("Cancel"), page), "cancelVerify");
    progress = named(new QProgressBar(page), "verifyProgress");
    progress->setRange(0, 100);
    progress->setMinimumWidth(8 * kSpacing);
    shown = named(new QComboBox(page), "verifyShown");
    shown->setAccessibleName(tr("Shown"));
    save = named(new QPushButton(tr("Save report…"), page), "saveVerification",
                 tr("One page with figures, limits and pictures, as HTML or PDF."));
    auto* line = new QHBoxLayout;
    line->setSpacing(kSpacing);
    line->addWidget(start);
    line->addWidget(progress, 1);
    line->addWidget(cancel);
    line->addStretch(1);
    line->addWidget(shown);
    line->addWidget(save);
    return line;
}

void VerifyPanel::Parts::buildResults() {
    results = new QWidget(page);
    views = new VerifyViews(results);
    below = new QBoxLayout(QBoxLayout::LeftToRight);
    below->setSpacing(kSpacing);
    curves = new VerifyCurves(*views, results);
    below->addWidget(curves, 1);
    tables = new VerifyTables(results);
    below->addWidget(tables, 2);
    rows = spaced(new QVBoxLayout(results), kSpacing);
    rows->addWidget(views, 1);
    rows->addLayout(below, 1);
    // What it takes where curves and tables are side by side; arrange() sees to that.
    constexpr int kMinHeight = 240;
    results->setMinimumHeight(kMinHeight);
}

// Curves and tables are side by side, or in a narrow window, where that leaves room for the
// pictures, one below the other: so the names of the figures are read whole.
void VerifyPanel::Parts::arrange() {
    constexpr int kNarrow = 880;
    constexpr int kHigh = 600;
    const bool isStacked = panel.width() < kNarrow && panel.height() >= kHigh;
    below->setDirection(isStacked ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    rows->setStretchFactor(below, isStacked ? 2 : 1);
}

void VerifyPanel::Parts::connectAll() {
    connect(start, &QPushButton::clicked, &panel, [this] { begin(); });
    connect(placeholder, &Placeholder::clicked, &panel, [this] { question->chooseRealPiece(); });
    connect(cancel, &QPushButton::clicked, &panel, [this] {
        run.cancel();
        clear();
        showState();
    });
    connect(save, &QPushButton::clicked, &panel, [this] { askForReport(); });
    connect(shown, &QComboBox::currentIndexChanged, &panel, [this] { loadPiece(); });
    connect(&run, &VerificationRun::progressed, &panel, [this](double fraction) {
        progress->setValue(static_cast<int>(std::lround(100 * fraction)));
    });
    connect(&run, &VerificationRun::finished, &panel,
            [this](const Verification& verification) { take(verification); });
    connect(&run, &VerificationRun::failed, &panel,
            [this](const QString& sentence) { fail(sentence); });
    connect(question, &VerifyQuestion::changed, &panel, [this] { makeOld(); });
    connect(&scan(), &ScanDocument::requestChanged, &panel,
            [this] { isOfScan ? makeOld() : showState(); });
    connect(&scan(), &ScanDocument::opened, &panel, [this] {
        run.cancel();
        clear();
        showState();
    });
    connect(&scan(), &ScanDocument::stateChanged, &panel, [this] { showState(); });
}

void VerifyPanel::Parts::makeOld() {
    if (!found.figures.empty())
        showVerdict(tr("Geometry, settings or test piece have changed since: verify again."));
    showState();
}

void VerifyPanel::Parts::showState() {
    const KeptFocus focus(panel, {cancel, start});
    const bool isOpen = scan().state() == ScanDocument::State::open;
    const bool isReal = question->isOfRealPiece();
    question->setScan(isOpen ? scan().request().job.scan.path : std::filesystem::path());
    pages->setCurrentWidget(isOpen || isReal ? page : static_cast<QWidget*>(placeholder));
    about->setText(
        isReal ? tr("A volume of a cylinder tells how sharp it is and how much noise it has; one "
                    "of spheres whose true centres are known, whether its lengths are right.")
               : aboutVerify());
    const bool isBusy = run.isBusy();
    start->setEnabled(!isBusy && question->isComplete() &&
                      (!needsScan() || (isOpen && !scan().hasErrors())));
    question->setEnabled(!isBusy);
    progress->setVisible(isBusy);
    cancel->setVisible(isBusy);
    const bool hasResult = !found.figures.empty();
    about->setVisible(!hasResult);
    results->setVisible(hasResult);
    shown->setVisible(hasResult);
    save->setVisible(hasResult);
    verdict->setVisible(!verdict->text().isEmpty());
}

bool VerifyPanel::Parts::needsScan() const {
    const VerificationQuestion asked = question->question();
    return !asked.real || asked.real->isOfScan;
}

void VerifyPanel::Parts::clear() {
    loading.cancel();
    found = {};
    const QSignalBlocker quiet(shown);
    shown->clear();
    verdict->clear();
    views->setVolumes({});
    tables->setVerification(found);
}

void VerifyPanel::Parts::begin() {
    if (!takePendingEdits(panel)) return;
    clear();
    // A volume is measured in one go, of which nothing is told.
    progress->setRange(0, question->isOfRealPiece() ? 0 : 100);
    progress->setValue(0);
    isOfScan = needsScan();
    const VerificationQuestion asked = question->question();
    subject = asked.real ? toPath(asked.real->volume) : scan().request().job.scan.path;
    run.start(scan().request().job, asked);
    showState();
}

void VerifyPanel::Parts::take(const Verification& verification) {
    found = verification;
    curves->setVerification(found);
    showVerdict({});
    tables->setVerification(found);
    {
        const QSignalBlocker quiet(shown);
        shown->clear();
        for (const Figure& figure : found.figures) {
            const QString piece = QString::fromStdString(figure.piece);
            if (shown->findData(piece) < 0)
                shown->addItem(VerifyQuestion::pieceTitle(piece), piece);
        }
    }
    loadPiece();
    showState();
}

void VerifyPanel::Parts::fail(const QString& sentence) {
    clear();
    verdict->setText(sentence);
    showState();
}

void VerifyPanel::Parts::showVerdict(const QString& note) {
    QStringList lines;
    if (!note.isEmpty()) lines << note;
    for (const std::string& sentence : found.wrongOnPurpose)
        lines << QString::fromStdString(sentence);
    lines << QString::fromStdString(found.verdict());
    for (const std::string& sentence : found.sentences)
        lines << QString::fromStdString(sentence);
    verdict->setText(lines.join('\n'));
}

void VerifyPanel::Parts::loadPiece() {
    if (shown->currentIndex() < 0) return;
    const std::string piece = shown->currentData().toString().toStdString();
    loading.start([truth = run.truthOf(piece), result = run.resultOf(piece)](
                      const std::stop_token& stop) { return loadedPiece(truth, result, stop); },
                  [this](const PieceVolumes& volumes) { views->setVolumes(volumes); },
                  [this](const QString& sentence) { showVerdict(sentence); });
}

void VerifyPanel::Parts::askForReport() {
    chooseSavePath(panel, "verificationDialog", tr("Save report…"),
                   toText(subject.parent_path() / "verification.html"),
                   {{tr("Web page"), {"html"}}, {tr("PDF, one page"), {"pdf"}}},
                   [this](const QString& path) { saveReport(path); });
}

void VerifyPanel::Parts::saveReport(const QString& path) {
    saving.start(
        [page = run.report(), path](const std::stop_token&) {
            const std::string html = readTextFile(page, kMaxReport);
            const bool isPdf = path.endsWith(QStringLiteral(".pdf"), Qt::CaseInsensitive);
            writeFileAtomically(toPath(path), isPdf ? pdfOf(html) : html);
            return true;
        },
        [this, path](bool) {
            emit workspace.messageRaised(
                {Message::Kind::info, tr("The report was saved as %1.").arg(path), {}, {}});
        },
        [this](const QString& sentence) {
            emit workspace.messageRaised({Message::Kind::error, sentence, {}, {}});
        });
}

VerifyPanel::VerifyPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(*this, workspace)) {}

VerifyPanel::~VerifyPanel() = default;

void VerifyPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_parts->arrange();
}

}  // namespace gantry
