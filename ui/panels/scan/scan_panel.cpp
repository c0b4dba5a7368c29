#include "ui/panels/scan/scan_panel.h"

#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedLayout>
#include <QString>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "ui/models/scan/geometry_form.h"
#include "ui/models/text.h"
#include "ui/panels/scan/question_rows.h"
#include "ui/panels/scan/scan_summary.h"
#include "ui/panels/shared/makers_preset.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/panels/shared/scan_form.h"
#include "ui/panels/shared/scan_problems.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

// Asked for with bare images, whether they could be guessed or not.
const char* const kAsked[] = {
    "trajectory.type",
    "trajectory.sourceToIsocenterMm",
    "trajectory.sourceToDetectorMm",
    "detector.pitchMm[0]",
    "detector.pitchMm[1]",
    "trajectory.arcDeg",
    "trajectory.direction",
    "detector.axisColumn",
    "projections.kind",
    "projections.dark",
    "projections.flat",
    "projections.flatValue",
};

// Guesses that are asked about in other terms, or so seldom wrong that the geometry panel does.
const char* const kLeftToGeometry[] = {"detector.offsetMm[0]", "detector.offsetMm[1]"};

// The names of the fields that are asked about where images have no scan.json.
// Tests: tests/ui/panels/scan_panel_test.cpp
std::set<QString> askedFields(const std::vector<ScanField>& fields,
                              const std::vector<GuessedScan::Guess>& guesses) {
    std::set<QString> asked(std::begin(kAsked), std::end(kAsked));
    for (const GuessedScan::Guess& guess : guesses)
        for (const ScanField& field : fields)
            if (isNamed(field, guess.field)) asked.insert(field.name);
    for (const char* name : kLeftToGeometry)
        asked.erase(name);
    return asked;
}

// Where the values that are asked about are from.
QString readFrom(const ScanDocument& scan) {
    if (!scan.description()) return ScanPanel::tr("No scan.json: check what is marked 'guess'.");
    return ScanPanel::tr("Read from %1: %2; check what is marked 'guess'.")
        .arg(QString::fromStdString(scan.description()->format),
             toText(scan.description()->file.filename()));
}

// A link to a view; those to fields have none of this before them.
const QLatin1String kViewTarget("view:");

QString viewTarget(Index view) {
    return kViewTarget + QString::number(view);
}

// Long paths may be broken behind every folder.
QString breakable(QString path) {
    return path.replace('/', QStringLiteral("/\u200b"));
}

}  // namespace

struct ScanPanel::Parts {
    Workspace& workspace;
    std::vector<ScanField> fields;
    QStackedLayout* pages = nullptr;
    QWidget* placeholder = nullptr;
    QScrollArea* content = nullptr;
    QWidget* busy = nullptr;
    QLabel* busyText = nullptr;
    QWidget* description = nullptr;
    QLabel* name = nullptr;
    QLabel* place = nullptr;
    QWidget* questions = nullptr;
    QLabel* readFrom = nullptr;
    ScanForm* form = nullptr;
    QPushButton* accept = nullptr;
    QGridLayout* summary = nullptr;
    std::vector<std::pair<QLabel*, QLabel*>> lines = {};  // of the summary
    ScanNotes* problems = nullptr;
    QWidget* remedies = nullptr;
    QPushButton* leaveOut = nullptr;  // all bad views
    QPushButton* firstLacks = nullptr;
    QPushButton* lastLacks = nullptr;
    ScanNotes* suspects = nullptr;

    [[nodiscard]] ScanDocument& scan() const { return workspace.scan(); }
};

ScanPanel::ScanPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(Parts{workspace, scanFields()})) {
    auto* placeholder =
        new Placeholder(tr("No scan is open. Drop a scan.json or a folder of projections here."));
    m_parts->placeholder = placeholder;
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumHeight(7 * kSpacing);  // name, place and a line
    scroll->setWidget(makeContent());
    m_parts->content = scroll;
    m_parts->pages = new QStackedLayout(this);
    m_parts->pages->addWidget(m_parts->placeholder);
    m_parts->pages->addWidget(m_parts->content);
    ScanDocument& scan = workspace.scan();
    connect(&scan, &ScanDocument::stateChanged, this, &ScanPanel::newScan);
    for (auto change : {&ScanDocument::scanChanged, &ScanDocument::inspectionChanged,
                        &ScanDocument::openScanChanged})
        connect(&scan, change, this, &ScanPanel::refresh);
    connect(m_parts->problems, &ScanNotes::chosen, this, [this](const QString& target) {
        if (target.startsWith(kViewTarget))
            m_parts->workspace.selection().setView(target.sliced(kViewTarget.size()).toLongLong());
        else
            emit fieldWanted(target);
    });
    connect(m_parts->suspects, &ScanNotes::chosen, this, [this](const QString& view) {
        m_parts->workspace.selection().setView(view.toLongLong());
    });
    newScan();
}

ScanPanel::~ScanPanel() = default;

QWidget* ScanPanel::makeContent() {
    auto* content = new QWidget(this);
    auto* column =
        spaced(new QVBoxLayout(content), kSpacing, {kSpacing, kSpacing / 2, kSpacing, kSpacing});
    m_parts->busy = named(new QWidget(content), "busy");
    auto* busy = spaced(new QVBoxLayout(m_parts->busy), kSpacing / 2);
    m_parts->busyText = remark({}, m_parts->busy);
    auto* bar = new QProgressBar(m_parts->busy);
    bar->setRange(0, 0);
    bar->setTextVisible(false);
    bar->setFixedHeight(kSpacing / 2 + 2);
    busy->addWidget(m_parts->busyText);
    busy->addWidget(bar);
    column->addWidget(m_parts->busy);
    m_parts->description = new QWidget(content);
    auto* description = spaced(new QVBoxLayout(m_parts->description), kSpacing);
    m_parts->name = named(wrapped(new QLabel(content)), "scanName");
    m_parts->name->setProperty("heading", true);
    m_parts->name->setIndent(0);
    m_parts->place = named(remark({}, content), "scanPlace");
    m_parts->problems = named(new ScanNotes(tr("Problems"), content), "problems");
    m_parts->suspects = named(new ScanNotes(tr("Suspect views"), content), "suspects");
    auto* summary = new QWidget(content);
    m_parts->summary = spaced(new QGridLayout(summary), QSize(2 * kSpacing, kSpacing / 2));
    m_parts->summary->setColumnStretch(1, 1);
    auto* title = spaced(new QVBoxLayout, 0);
    title->addWidget(m_parts->name);
    title->addWidget(m_parts->place);
    description->addLayout(title);
    // Above the questions, of which there may be more than the panel shows.
    description->addWidget(
        new MakersPreset(tr("Filter as the scanner's program had it"), m_parts->scan(), content), 0,
        Qt::AlignLeft);
    auto* open = new QuestionRows(m_parts->workspace.openQuestions(), content);
    connect(open, &QuestionRows::liveWanted, this, &ScanPanel::liveWanted);
    description->addWidget(open);
    description->addWidget(makeQuestions());
    description->addWidget(m_parts->problems);
    m_parts->remedies = makeRemedies();
    description->addWidget(m_parts->remedies);
    description->addWidget(summary);
    description->addWidget(m_parts->suspects);
    column->addWidget(m_parts->description);
    column->addStretch();
    return content;
}

// Buttons for what the problems above them are about.
QWidget* ScanPanel::makeRemedies() {
    auto* remedies = new QWidget(this);
    auto* column = spaced(new QVBoxLayout(remedies), kSpacing / 2);
    const auto add = [&](const char* name, const QString& text, auto viewsToLeaveOut) {
        auto* button = named(
            new QPushButton(text, remedies), name,
            tr("Reconstructs without what is left out: the neighbouring views take over its part "
               "of the arc. The job's record and report name it. This can be undone."));
        connect(button, &QPushButton::clicked, this, [this, viewsToLeaveOut] {
            m_parts->scan().leaveOut(viewsToLeaveOut(m_parts->scan()));
        });
        column->addWidget(button, 0, Qt::AlignLeft);
        return button;
    };
    using Views = std::vector<Index>;
    m_parts->leaveOut = add("leaveOutViews", {}, [](const ScanDocument& scan) {
        Views views;
        for (const LeftOutView& bad : scan.badViews())
            views.push_back(bad.view);
        return views;
    });
    m_parts->firstLacks = add("firstViewLacks", tr("The first view is missing: leave it out"),
                              [](const ScanDocument&) { return Views{0}; });
    m_parts->lastLacks =
        add("lastViewLacks", tr("The last view is missing: leave it out"),
            [](const ScanDocument& scan) { return Views{scan.geometry().views() - 1}; });
    return remedies;
}

QWidget* ScanPanel::makeQuestions() {
    m_parts->questions = named(new QWidget(this), "questions");
    auto* column = spaced(new QVBoxLayout(m_parts->questions), kSpacing);
    m_parts->readFrom = named(wrapped(new QLabel(m_parts->questions)), "readFrom");
    column->addWidget(m_parts->readFrom);
    m_parts->form = new ScanForm(m_parts->scan(), m_parts->fields);
    column->addWidget(m_parts->form);
    m_parts->accept =
        named(new QPushButton(tr("Use these values"), m_parts->questions), "acceptGuesses");
    m_parts->accept->setProperty("primary", true);
    column->addWidget(m_parts->accept);
    connect(m_parts->accept, &QPushButton::clicked, this,
            [this] { m_parts->scan().acceptGuesses(); });
    return m_parts->questions;
}

// A field that was guessed stays in the form when it is no longer a guess.
void ScanPanel::newScan() {
    const std::set<QString> asked = askedFields(m_parts->fields, m_parts->scan().guesses());
    m_parts->form->setFilter([asked](const ScanField& field) { return asked.count(field.name); });
    refresh();
}

void ScanPanel::refresh() {
    ScanDocument& scan = m_parts->scan();
    const bool isOpening = scan.state() == ScanDocument::State::opening;
    m_parts->pages->setCurrentWidget(scan.hasScan() || isOpening ? m_parts->content
                                                                 : m_parts->placeholder);
    showBusy();
    m_parts->description->setVisible(scan.hasScan());
    if (!scan.hasScan()) return;
    const bool isIncomplete = scan.state() == ScanDocument::State::incomplete;
    m_parts->name->setText(scan.title());
    showPlace();
    m_parts->questions->setVisible(isIncomplete);
    m_parts->readFrom->setText(readFrom(scan));
    m_parts->accept->setEnabled(!scan.hasErrors());
    m_parts->accept->setToolTip(
        scan.hasErrors() ? tr("Fix the fields that are marked first.")
                         : tr("Takes the form as it is; every field can be changed later, too."));
    showProblems();
    showSummary();
    showSuspects();
}

// While there are questions they need the height: a line, the rest as a tool tip.
void ScanPanel::showPlace() {
    const ScanDocument& scan = m_parts->scan();
    QString path = toText(scan.request().job.scan.folder);
    if (const std::optional<HostScan>& there = scan.there())
        path = tr("On %1: %2")
                   .arg(QString::fromStdString(there->host), QString::fromStdString(there->place));
    constexpr int kBesideLine = 4 * kSpacing;  // margins and scroll bar
    if (scan.state() == ScanDocument::State::incomplete)
        m_parts->place->setText(
            m_parts->place->fontMetrics().elidedText(path, Qt::ElideMiddle, width() - kBesideLine));
    else
        m_parts->place->setText(scan.isSaved() ? breakable(path)
                                               : tr("%1 · edited").arg(breakable(path)));
    m_parts->place->setToolTip(path);
}

void ScanPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (m_parts->scan().hasScan()) showPlace();
}

int ScanPanel::heightOfWholeLines(int limit) const {
    // The texts are of now; the scroll area gives them their places later.
    QWidget& content = *m_parts->content->widget();
    content.layout()->activate();
    content.resize(
        content.width(),
        std::max(content.height(), content.layout()->totalHeightForWidth(content.width())));
    constexpr int kBelow = 2;
    std::vector<std::pair<int, int>> lines;
    for (const QWidget* each : content.findChildren<QWidget*>())
        if (each->isVisibleTo(&content) &&
            (qobject_cast<const QLabel*>(each) || qobject_cast<const QPushButton*>(each))) {
            const int top = each->mapTo(&content, QPoint()).y();
            lines.emplace_back(top, top + each->height() + kBelow);
        }
    int height = 0;
    for (const auto& [top, end] : lines)
        if (end <= limit && end > height &&
            std::ranges::none_of(lines, [end = end](const auto& line) {
                return line.first < end - kBelow && line.second > end;
            }))
            height = end;
    return height > 0 ? height : limit;
}

void ScanPanel::showBusy() {
    ScanDocument& scan = m_parts->scan();
    QString text;
    if (scan.state() == ScanDocument::State::opening)
        text = tr("Opening…");
    else if (scan.hasScan() && !scan.openScan() && !scan.hasErrors())
        text = tr("Opening the images…");
    m_parts->busy->setVisible(!text.isEmpty());
    m_parts->busyText->setText(text);
}

void ScanPanel::showSummary() {
    const std::vector<SummaryLine> lines = summaryOf(m_parts->scan());
    while (m_parts->lines.size() < lines.size()) {
        auto* label = remark({}, m_parts->description);
        label->setWordWrap(false);
        auto* text = copyable(new QLabel(m_parts->description));
        const int row = static_cast<int>(m_parts->lines.size());
        m_parts->summary->addWidget(label, row, 0, Qt::AlignTop);
        m_parts->summary->addWidget(text, row, 1, Qt::AlignTop);
        m_parts->lines.emplace_back(label, text);
    }
    for (std::size_t row = 0; row < m_parts->lines.size(); ++row) {
        const SummaryLine line = row < lines.size() ? lines[row] : SummaryLine{};
        const auto [label, text] = m_parts->lines[row];
        label->setText(line.label);
        text->setObjectName(line.name);
        text->setText(line.text);
        label->setVisible(row < lines.size());
        text->setVisible(row < lines.size());
    }
}

// What leads to the field is its name: the sentence's subject, or before the sentence.
ScanNotes::Note ScanPanel::noteOf(const Problem& problem) const {
    const auto field = std::ranges::find_if(
        m_parts->fields, [&](const ScanField& each) { return isNamed(each, problem.field); });
    const bool isKnown = field != m_parts->fields.end();
    const QString target = QString::fromStdString(problem.field);
    ScanNotes::Note note;
    note.isError = problem.severity == Problem::Severity::error;
    if (isKnown || target.startsWith("volume")) note.target = target;
    const ProblemText text = problemText(problem, m_parts->fields);
    if (isKnown && !text.subject.isEmpty()) {
        note.link = text.subject;
        note.text = text.rest;
    } else {
        note.link = (isKnown ? field->label : tr("Volume")) + ':';
        note.text = problemSentence(problem, m_parts->fields);
    }
    return note;
}

void ScanPanel::showProblems() {
    std::vector<ScanNotes::Note> notes;
    for (const Problem& problem : problemsOfScan(m_parts->scan()))
        if (problem.field != kSkipViews) notes.push_back(noteOf(problem));
    showBadViews(notes);
    m_parts->problems->setNotes(notes);
    showRemedies();
}

// Each by its file, and one button for all.
void ScanPanel::showBadViews(std::vector<ScanNotes::Note>& notes) {
    constexpr std::size_t kMax = 5;
    const std::vector<LeftOutView>& bad = m_parts->scan().badViews();
    const bool isOne = bad.size() == 1;
    for (std::size_t i = 0; i < std::min(kMax, bad.size()); ++i) {
        const QString sentence = QString::fromStdString(bad[i].sentence);
        notes.push_back({true, viewTarget(bad[i].view), tr("View %1:").arg(bad[i].view),
                         isOne ? tr("%1 Leave this view out?").arg(sentence) : sentence});
    }
    if (bad.size() <= kMax) return;
    const std::size_t more = bad.size() - kMax;
    notes.push_back(
        {true,
         {},
         {},
         more == 1 ? tr("… and one more view.") : tr("… and %1 more views.").arg(more)});
}

void ScanPanel::showRemedies() {
    const ScanDocument& scan = m_parts->scan();
    const std::size_t bad = scan.badViews().size();
    m_parts->leaveOut->setVisible(bad > 0);
    m_parts->leaveOut->setText(bad == 1 ? tr("Leave this view out")
                                        : tr("Leave these %1 views out").arg(bad));
    // With one image too few it is unknown which end lacks it.
    const std::shared_ptr<const Inspection> inspection = scan.inspection();
    const SeriesInspection* views = inspection ? viewsOf(*inspection) : nullptr;
    const bool oneLacks = views && !scan.openScan() &&
                          views->info.views + 1 == scan.geometry().views() &&
                          scan.request().job.scan.projections.skipViews.empty();
    m_parts->firstLacks->setVisible(oneLacks);
    m_parts->lastLacks->setVisible(oneLacks);
    m_parts->remedies->setVisible(bad > 0 || oneLacks);
    // Decisions and their buttons are visible without scrolling.
    constexpr int kRoomForRemedies = 23 * kSpacing;
    setMinimumHeight(bad > 0 || oneLacks ? kRoomForRemedies : 0);
}

void ScanPanel::showSuspects() {
    constexpr std::size_t kMax = 20;
    std::vector<ScanNotes::Note> notes;
    std::size_t left = 0;
    const std::shared_ptr<const Inspection> inspection = m_parts->scan().inspection();
    const SeriesInspection* views = inspection ? viewsOf(*inspection) : nullptr;
    if (inspection)
        for (const SeriesInspection& series : inspection->series)
            for (const SuspectFrame& frame : series.suspects) {
                // It is listed among the problems, or left out.
                if (frame.suspicion == Suspicion::damaged && series.kind == "projections") continue;
                if (notes.size() == kMax) {
                    ++left;
                    continue;
                }
                const QString reason = QString::fromStdString(frame.reason);
                if (&series == views)
                    notes.push_back({false, QString::number(frame.number),
                                     tr("View %1:").arg(frame.number), reason});
                else
                    notes.push_back(
                        {false, {}, {}, QString::fromStdString(frame.name) + ": " + reason});
            }
    if (left > 0) notes.push_back({false, {}, {}, tr("… and %1 more.").arg(left)});
    m_parts->suspects->setNotes(notes);
}

}  // namespace gantry
