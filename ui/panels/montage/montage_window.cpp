#include "ui/panels/montage/montage_window.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/this_machine.h"
#include "ui/models/image/montage_sheet.h"
#include "ui/models/job/compared_field.h"
#include "ui/models/job/option_text.h"
#include "ui/models/text.h"
#include "ui/panels/montage/montage_form.h"
#include "ui/panels/montage/montage_grid.h"
#include "ui/panels/shared/search_progress.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/fields/pending_edit.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

constexpr Index kMaxPictureAcross = 1024;  // pixels along a picture, as live slices have
constexpr Index kSheetPx = 400;

QString lowered(const std::string& label) {
    const QString text = optionText(label);
    return text.left(1).toLower() + text.mid(1);
}

}  // namespace

MontageWindow::MontageWindow(Workspace& workspace, QWidget* parent)
    : QDialog(parent), m_workspace(workspace), m_run(workspace.program()) {
    setObjectName("montageWindow");
    setWindowTitle(tr("Compare values"));
    build();
    connectAll();
    followScan();
}

MontageWindow::~MontageWindow() = default;

void MontageWindow::build() {
    constexpr QSize kSize(1040, 720);
    resize(kSize);
    auto* column = spaced(new QVBoxLayout(this), kSpacing, 2 * kSpacing);
    m_form = new MontageForm(m_workspace.scan(), this);
    column->addWidget(m_form);
    addActions(*column);
    m_grid = named(new MontageGrid(this), "montageGrid");
    m_middle = new QStackedWidget(this);
    m_middle->addWidget(new Placeholder(
        tr("One slice is made with each value. The pictures come here, side by side.")));
    m_middle->addWidget(m_grid);
    column->addWidget(m_middle, 1);
    addButtons(*column);
}

void MontageWindow::addActions(QVBoxLayout& column) {
    m_make = named(new QPushButton(tr("Make pictures"), this), "makeMontage",
                   tr("Makes the slice with each value. Nothing of the scan changes."));
    m_make->setProperty("primary", true);
    m_make->setDefault(true);
    m_state = named(copyable(new QLabel(this)), "montageState");
    m_state->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_progress = new SearchProgress({.what = "montageProgress",
                                     .cancel = "cancelMontage",
                                     .bar = tr("Progress of the pictures"),
                                     .cancelText = tr("Cancel")},
                                    this);
    // Both in the same place, so that nothing moves when the pictures are there.
    m_line = new QStackedWidget(this);
    m_line->addWidget(m_state);
    m_line->addWidget(m_progress);
    m_line->setFixedHeight(std::max(m_progress->sizeHint().height(),
                                    2 * m_state->fontMetrics().lineSpacing() + kSpacing / 2));
    auto* row = spaced(new QHBoxLayout, 2 * kSpacing);
    row->addWidget(m_make);
    row->addWidget(m_line, 1);
    column.addLayout(row);
    m_outdated = named(copyable(new QLabel(this)), "montageOutdated");
    column.addWidget(m_outdated);
}

void MontageWindow::addButtons(QVBoxLayout& column) {
    auto* buttons = new QDialogButtonBox(this);
    m_save = named(buttons->addButton(tr("Save sheet…"), QDialogButtonBox::ActionRole),
                   "saveMontage", tr("Saves the pictures with their values as one PNG."));
    QPushButton* close =
        named(buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole), "closeMontage");
    for (QPushButton* button : {m_save, close})
        button->setAutoDefault(false);
    connect(m_save, &QPushButton::clicked, this, &MontageWindow::saveSheet);
    connect(close, &QPushButton::clicked, this, &MontageWindow::reject);
    column.addWidget(buttons);
}

void MontageWindow::connectAll() {
    connect(m_make, &QPushButton::clicked, this, &MontageWindow::make);
    connect(m_progress, &SearchProgress::cancelled, this, &MontageWindow::cancel);
    connect(m_grid, &MontageGrid::chosen, this, &MontageWindow::takeValue);
    connect(&m_run, &MontageRun::progressed, this, &MontageWindow::showProgress);
    connect(&m_run, &MontageRun::made, this,
            [this](int /*number*/, const GreyImage& image, Index binning,
                   std::optional<double> sharpness) { takePicture(image, binning, sharpness); });
    connect(&m_run, &MontageRun::finished, this, &MontageWindow::finish);
    connect(&m_run, &MontageRun::failed, this, [this](int number, const QString& sentence) {
        const QString value = m_grid->item(number)->text();
        endAfter(number, tr("%1: %2").arg(value, sentence), SentenceKind::error);
    });
    ScanDocument& scan = m_workspace.scan();
    connect(&scan, &ScanDocument::stateChanged, this, &MontageWindow::followScan);
    connect(&scan, &ScanDocument::opened, this, &MontageWindow::forget);
    connect(&scan, &ScanDocument::requestChanged, this, &MontageWindow::followEdit);
    const auto addKey = [this, &scan](QKeySequence::StandardKey key, void (QUndoStack::*act)()) {
        auto* shortcut = new QShortcut(key, this);
        connect(shortcut, &QShortcut::activated, &scan.undoStack(), act);
    };
    addKey(QKeySequence::Undo, &QUndoStack::undo);
    addKey(QKeySequence::Redo, &QUndoStack::redo);
}

void MontageWindow::showFor(Vec3 placeMm, const std::string& parameter) {
    m_form->showAt(placeMm);
    m_form->suggest(parameter);
    show();
    raise();
    activateWindow();
}

// Nobody waits for the pictures any more.
void MontageWindow::hideEvent(QHideEvent* event) {
    if (m_run.isBusy() && !event->spontaneous()) cancel();
    QDialog::hideEvent(event);
}

QString MontageWindow::reasonAgainst() const {
    const ScanDocument& scan = m_workspace.scan();
    switch (scan.state()) {
        case ScanDocument::State::empty:
            return tr("Open a scan to compare values on it: Ctrl+O in the main window.");
        case ScanDocument::State::opening:
            return tr("The scan is still being opened: try again in a moment.");
        case ScanDocument::State::incomplete:
            return tr("Fields of the scan are guesses: confirm them in Scan first.");
        case ScanDocument::State::open:
            break;
    }
    if (scan.there()) return tr("The scan's images are on another machine: fetch the scan first.");
    if (scan.hasErrors())
        return tr("The scan has errors: mend what is marked in the main window first.");
    return {};
}

// What is being typed may be of the scan.
void MontageWindow::make() {
    if (!takePendingEdits(*this) || !m_form->takeNumbers()) return;
    if (const QString reason = reasonAgainst(); !reason.isEmpty())
        return tell(reason, SentenceKind::warning);
    try {
        const JobSpec& job = m_workspace.scan().request().job;
        const VariedField& field = m_form->field();
        const std::string name = optionText(field.label).toStdString();
        Made made;
        made.values = montageValues(field, m_form->words(), job, name);
        made.slice = montageSlice(job.volume, m_form->sliceKind(), m_form->atMm(),
                                  tr("The slice's place").toStdString(), kMaxPictureAcross);
        made.scan = m_workspace.scan().title();
        begin(std::move(made));
    } catch (const Error& error) {
        tell(QString::fromStdString(messageOf(error)), SentenceKind::error);
    }
}

void MontageWindow::begin(Made made) {
    m_made = std::move(made);
    const MontageValues& values = m_made->values;
    const Plane& plane = m_made->slice.plane;
    QStringList texts;
    for (const FieldValue& value : values.values)
        texts << valueText(values.field, value);
    m_grid->begin(texts, pixelAspect(plane) * static_cast<double>(plane.rows) /
                             static_cast<double>(plane.columns));
    m_middle->setCurrentWidget(m_grid);
    showMarks();
    showAtWork(true);
    showProgress(0);
    m_progress->setFocus();
    m_run.start(values.jobs, plane,
                montagePlace(values.jobs, m_workspace.machine(), availableMemoryBytes()));
}

void MontageWindow::takePicture(const GreyImage& image, Index binning,
                                std::optional<double> sharpness) {
    m_grid->setPicture(static_cast<int>(m_made->images.size()), image);
    m_made->images.push_back(image);
    m_made->sharpness.push_back(sharpness);
    m_made->binning = std::max(m_made->binning, binning);
}

void MontageWindow::finish() {
    showAtWork(false);
    showResult();
    m_grid->setFocus();
    const MontageScores found = scores();
    const QString where = QString::fromStdString(sliceText(m_made->slice, m_made->binning));
    const QString how = tr("A click on a picture, or Enter, takes its value.");
    const bool isScored = std::ranges::any_of(
        found.shares, [](const std::optional<double>& share) { return share.has_value(); });
    if (found.best)
        tell(tr("The sharpest is %1: %2. %3")
                 .arg(m_grid->item(static_cast<int>(*found.best))->text(), where, how),
             SentenceKind::good);
    else if (isScored)
        tell(tr("This slice is as sharp with every value: %1. Try another place. %2")
                 .arg(where, how),
             SentenceKind::plain);
    else
        tell(tr("The %1. %2").arg(where, how), SentenceKind::plain);
}

void MontageWindow::cancel() {
    m_run.cancel();
    const auto count = static_cast<int>(m_made->images.size());
    endAfter(
        count,
        tr("Cancelled: %1 of %2 pictures were made.").arg(count).arg(m_made->values.values.size()),
        SentenceKind::muted);
}

// Keeps the pictures that are there.
void MontageWindow::endAfter(int count, const QString& sentence, SentenceKind kind) {
    showAtWork(false);
    if (count > 0) showResult();
    tell(sentence, kind);
    m_make->setFocus();
}

void MontageWindow::showProgress(double fraction) {
    m_progress->tell(tr("Picture %1 of %2, %3 %")
                         .arg(m_made->images.size() + 1)
                         .arg(m_made->values.values.size())
                         .arg(static_cast<int>(100 * fraction)),
                     fraction);
}

void MontageWindow::showAtWork(bool isAtWork) {
    m_line->setCurrentWidget(isAtWork ? static_cast<QWidget*>(m_progress) : m_state);
    m_make->setEnabled(!isAtWork);
    m_form->setEnabled(!isAtWork);
    m_save->setEnabled(!isAtWork && m_made && !m_made->images.empty());
}

void MontageWindow::showResult() {
    std::vector<std::span<const float>> pixels;
    for (const GreyImage& image : m_made->images)
        pixels.push_back(image.pixels);
    m_grid->setWindow(commonWindow(pixels));
    showMarks();
}

MontageScores MontageWindow::scores() const {
    return scoresOf(m_made->values.field, m_made->sharpness);
}

// Whether the scan has the field that the pictures are about.
bool MontageWindow::isOfScan() const {
    const std::vector<VariedField> fields = comparedFields(m_workspace.scan().request().job);
    return std::ranges::find(fields, m_made->values.field.path, &VariedField::path) != fields.end();
}

void MontageWindow::showMarks() {
    m_outdated->hide();
    if (!m_made || !isOfScan()) return;
    const MontageValues& values = m_made->values;
    JobSpec job = m_workspace.scan().request().job;
    const FieldValue now = values.field.value(job);
    const MontageScores found = m_run.isBusy() ? MontageScores() : scores();
    for (std::size_t i = 0; i < values.values.size(); ++i) {
        MontageGrid::Mark mark;
        mark.isNow = isSameValue(now, values.values[i]);
        mark.isBest = found.best == i;
        if (i < found.shares.size() && found.shares[i])
            mark.note = tr("sharpness %1").arg(*found.shares[i], 0, 'f', 2);
        m_grid->setMark(static_cast<int>(i), mark);
    }
    values.field.assign(job, values.values.front());
    if (!haveSameSlices(job, values.jobs.front()))
        showSentence(*m_outdated,
                     tr("The scan or its options have changed since these pictures were made."),
                     SentenceKind::warning);
}

void MontageWindow::tell(const QString& sentence, SentenceKind kind) {
    showSentence(*m_state, sentence, kind);
    if (m_run.isBusy()) m_state->hide();  // the progress is in its place
}

void MontageWindow::takeValue(int number) {
    if (!m_made || !isOfScan()) return;
    const auto at = static_cast<std::size_t>(number);
    if (at >= m_made->images.size()) return;  // its picture is not there
    const VariedField& field = m_made->values.field;
    const QString name = optionText(field.label);
    const QString text = m_grid->item(number)->text();
    if (m_grid->mark(number).isNow)
        return tell(tr("%1 is %2 already.").arg(name, text), SentenceKind::plain);
    const FieldValue value = m_made->values.values[at];
    m_workspace.scan().editJob([&](JobSpec& job) { field.assign(job, value); },
                               tr("Take %1 %2").arg(lowered(field.label), text));
    tell(tr("%1 is %2 now. Ctrl+Z takes that back.").arg(name, text), SentenceKind::good);
}

void MontageWindow::saveSheet() {
    const ScanFile& scan = m_workspace.scan().request().job.scan;
    const QString name = tr("%1 %2.png").arg(m_made->scan, lowered(m_made->values.field.label));
    chooseSavePath(*this, QStringLiteral("montageDialog"), tr("Save the sheet of pictures"),
                   toText(scan.folder) + '/' + QString(name).replace('/', '-'),
                   {{tr("PNG picture"), {"png"}}},
                   [this](const QString& path) { writeSheet(path); });
}

void MontageWindow::writeSheet(const QString& path) {
    if (!m_made || m_made->images.empty()) return;
    MontageResult result = {{}, m_made->binning, scores()};
    for (const GreyImage& image : m_made->images)
        result.pixels.push_back(image.pixels);
    MontageSheet sheet =
        montageSheet(m_made->values, m_made->slice, result, m_made->scan.toStdString(), kSheetPx);
    m_save->setEnabled(false);
    m_saving.start(
        [sheet = std::move(sheet), images = m_made->images, path](const std::stop_token&) {
            writeFileAtomically(toPath(path), toPng(sheet));
            return path;
        },
        [this](const QString& written) {
            m_save->setEnabled(!m_run.isBusy());
            tell(tr("Saved as %1.").arg(written), SentenceKind::good);
        },
        [this](const QString& sentence) {
            m_save->setEnabled(!m_run.isBusy());
            tell(sentence, SentenceKind::error);
        });
}

// The pictures are of another scan.
void MontageWindow::forget() {
    m_run.cancel();
    m_made.reset();
    m_middle->setCurrentIndex(0);
    m_outdated->hide();
    showAtWork(false);
    tell({}, SentenceKind::plain);
    m_form->followScan();
}

void MontageWindow::followScan() {
    if (!m_workspace.scan().hasScan()) return forget();
    m_form->followScan();
    showAtWork(m_run.isBusy());
}

void MontageWindow::followEdit() {
    m_form->followEdit();
    if (m_made) showMarks();
}

}  // namespace gantry
