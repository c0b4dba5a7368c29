#include "ui/panels/reconstruction/reconstruction_panel.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/error.h"
#include "core/io/volume/open_sink.h"
#include "core/job/job_directory.h"
#include "ui/models/job/option_text.h"
#include "ui/models/scan/geometry_form.h"
#include "ui/models/text.h"
#include "ui/panels/reconstruction/reconstruction_engine.h"
#include "ui/panels/reconstruction/reconstruction_forecast.h"
#include "ui/panels/reconstruction/reconstruction_host.h"
#include "ui/panels/reconstruction/reconstruction_method.h"
#include "ui/panels/reconstruction/reconstruction_output.h"
#include "ui/panels/reconstruction/reconstruction_volume.h"
#include "ui/panels/shared/corrections_editor.h"
#include "ui/panels/shared/filter_editor.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/fields/pending_edit.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

struct ReconstructionPanel::Parts {
    explicit Parts(Workspace& space) : workspace(space) {}

    Workspace& workspace;
    ReconstructionOutput* output = nullptr;
    ReconstructionForecast* forecast = nullptr;
    FilterEditor* filter = nullptr;
    CorrectionsEditor* corrections = nullptr;
    ElidedLabel* place = nullptr;
    QLabel* reason = nullptr;
    QPushButton* button = nullptr;
    QString refusal;  // why it could not start, as the workspace said it
};

namespace {

const QString kTopic = QStringLiteral("reconstruct");

// An area that is wide enough for every field, since nothing in it can be scrolled sideways.
class FullWidthArea : public QScrollArea {
  public:
    FullWidthArea() {
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    }
    [[nodiscard]] QSize minimumSizeHint() const override {
        constexpr int kScrollBar = 12;
        constexpr int kMinWidth = 40 * kSpacing;
        const int fields = widget() ? widget()->minimumSizeHint().width() + kScrollBar : 0;
        return {std::max(kMinWidth, fields), QScrollArea::minimumSizeHint().height()};
    }
};

// An area that is as high as its content where there is room, and else scrolls.
class FullHeightArea : public QScrollArea {
  public:
    FullHeightArea() {
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
        policy.setHeightForWidth(true);
        setSizePolicy(policy);
    }
    [[nodiscard]] int heightForWidth(int width) const override {
        const int frame = 2 * frameWidth();
        return widget() ? std::max(widget()->heightForWidth(width - frame), 0) + frame : 0;
    }
    [[nodiscard]] QSize sizeHint() const override {
        return widget() ? widget()->sizeHint() : QSize();
    }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
        return QScrollArea::eventFilter(watched, event);
    }
};

}  // namespace

ReconstructionPanel::ReconstructionPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(new Parts(workspace)) {
    build();
    ScanDocument& scan = workspace.scan();
    JobStore& jobs = workspace.jobs();
    const auto showReady = [this] { this->showReady(); };
    connect(&scan, &ScanDocument::requestChanged, this, showReady);
    connect(&scan, &ScanDocument::stateChanged, this, showReady);
    connect(&scan, &ScanDocument::openScanChanged, this, showReady);
    const auto followJobs = [this] {
        m_parts->output->check();
        this->showReady();
    };
    connect(&jobs, &JobStore::reset, this, followJobs);
    connect(&jobs, &JobStore::finished, this, followJobs);
    connect(&jobs, &JobStore::changed, this, &ReconstructionPanel::followJob);
    connect(m_parts->output, &ReconstructionOutput::likelyPathChanged, this, showReady);
    connect(m_parts->output, &ReconstructionOutput::problemChanged, this, showReady);
    connect(m_parts->forecast, &ReconstructionForecast::changed, this, showReady);
    connect(&workspace.hosts(), &HostPlan::changed, this, showReady);
    connect(m_parts->forecast, &ReconstructionForecast::placeWanted, m_parts->output,
            &ReconstructionOutput::choosePlace);
    connect(&scan, &ScanDocument::opened, this, [this] {
        for (NumberField* field : findChildren<NumberField*>())
            field->forgetTyping();
    });
    connect(m_parts->button, &QPushButton::clicked, this, &ReconstructionPanel::reconstruct);
    showReady();
}

ReconstructionPanel::~ReconstructionPanel() = default;

QScrollArea* ReconstructionPanel::makeFields() {
    Workspace& workspace = m_parts->workspace;
    auto* fields = new QWidget;
    auto* sections = spaced(new QVBoxLayout(fields), 2 * kSpacing, kSpacing);
    m_parts->output = new ReconstructionOutput(workspace.scan());
    sections->addWidget(new ReconstructionVolume(workspace.scan()));
    sections->addWidget(new ReconstructionMethod(workspace.scan()));
    m_parts->filter = new FilterEditor(workspace.scan());
    sections->addWidget(m_parts->filter);
    m_parts->corrections = new CorrectionsEditor(workspace.scan());
    sections->addWidget(m_parts->corrections);
    connect(m_parts->corrections, &CorrectionsEditor::comparisonWanted, this,
            &ReconstructionPanel::comparisonWanted);
    auto* engine = new ReconstructionEngine(workspace);
    connect(engine, &ReconstructionEngine::hostsWanted, this, &ReconstructionPanel::hostsWanted);
    sections->addWidget(engine);
    auto* host = new ReconstructionHost(workspace.hosts());
    connect(host, &ReconstructionHost::hostsWanted, this, &ReconstructionPanel::hostsWanted);
    sections->addWidget(host);
    sections->addWidget(m_parts->output);
    sections->addStretch(1);
    auto* scroll = named(new FullWidthArea, "reconstructionFields");
    scroll->setWidget(fields);
    return scroll;
}

void ReconstructionPanel::build() {
    QScrollArea* const fields = makeFields();
    m_parts->forecast = new ReconstructionForecast(m_parts->workspace);
    auto* forecast = named(new FullHeightArea, "forecastArea");
    forecast->setWidget(m_parts->forecast);
    // The name and the type at the end say more than where the folder begins.
    m_parts->place = named(new ElidedLabel(Qt::ElideLeft), "outputPlace");
    m_parts->place->setProperty("muted", true);
    m_parts->place->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_parts->reason = named(wrapped(new QLabel), "reasonAgainst");
    m_parts->reason->setMinimumWidth(1);  // not that of its longest word, which may be a name
    m_parts->button = named(new QPushButton(tr("Reconstruct")), "reconstruct");
    m_parts->button->setProperty("primary", true);
    auto* line = new QWidget;
    line->setFixedHeight(1);
    line->setBackgroundRole(QPalette::Mid);
    line->setAutoFillBackground(true);
    auto* bottom = spaced(new QVBoxLayout, kSpacing, {kSpacing, 0, kSpacing, kSpacing});
    bottom->addWidget(forecast);
    bottom->addWidget(m_parts->place);
    bottom->addWidget(m_parts->reason);
    bottom->addWidget(m_parts->button);
    auto* column = spaced(new QVBoxLayout(this), kSpacing);
    column->addWidget(fields, 1);
    column->addWidget(line);
    column->addLayout(bottom);
}

QString ReconstructionPanel::reasonAgainst() const {
    const QString reason = reasonAgainstRequest();
    return reason.isEmpty() ? reasonAgainstOutput(m_parts->output->likelyPath()) : reason;
}

QString ReconstructionPanel::reasonAgainstRequest() const {
    ScanDocument& scan = m_parts->workspace.scan();
    if (scan.state() == ScanDocument::State::opening) return tr("The scan is being opened.");
    if (!scan.hasScan()) return tr("Open a scan first.");
    if (scan.state() == ScanDocument::State::incomplete)
        return tr(
            "Some values of the scan are guesses. Check them in the Scan panel, then press Use "
            "these values there.");
    const HostPlan& hosts = m_parts->workspace.hosts();
    const bool needsNoImages = hosts.takesScanThere() && scan.lacksImagesOnly();
    for (const Problem& problem : scan.problems())
        if (!needsNoImages && problem.severity == Problem::Severity::error)
            return tr("Fix this first: %1").arg(problemSentence(problem, scanFields()));
    if (QString problem = m_parts->output->problem(); !problem.isEmpty()) return problem;
    const OutputFormat& output = scan.request().job.output;
    try {
        checkVoxels(output);
    } catch (const InputError& error) {
        return toText(error.message());
    }
    if (const auto& range = output.range;
        output.type != PixelType::float32 && range && !((*range)[0] < (*range)[1]))
        return tr("Fixed range: the upper limit must be greater than the lower limit.");
    if (hosts.host() && hosts.problem().isEmpty() && (hosts.isPlanning() || !hosts.order()))
        return tr("Planning for %1…").arg(hosts.chosen());
    return m_parts->forecast->refusal();
}

QString ReconstructionPanel::reasonAgainstOutput(const std::filesystem::path& output) const {
    const QString folder = toText(jobFolderFor(output));
    const JobEntry* job = m_parts->workspace.jobs().find(folder);
    if (job && job->isActive())
        return tr(
            "A job is making this volume already. Wait for it, cancel it, or choose another name.");
    return {};
}

// A job's folder is made after the job is listed: from then on there is another name that is free.
void ReconstructionPanel::followJob(int row) {
    const JobEntry& job = m_parts->workspace.jobs().jobs()[row];
    if (job.isActive() && job.folder == toText(jobFolderFor(m_parts->output->likelyPath())))
        m_parts->output->check();
}

// Path and format of the next volume: also while its fields are not visible.
void ReconstructionPanel::showOutput() {
    ElidedLabel& label = *m_parts->place;
    const bool hasScan = m_parts->workspace.scan().hasScan();
    label.setVisible(hasScan);
    if (!hasScan) return;
    QString path = toText(m_parts->output->likelyPath());
    if (path.endsWith('/')) path.chop(1);
    const QString type = choiceText(m_parts->workspace.scan().request().job, "output.type");
    const QString text = tr("%1, %2").arg(path, type);
    label.setToolTip(tr("Output: %1").arg(text));
    label.setAccessibleName(label.toolTip());
    label.setWholeText(text);
}

void ReconstructionPanel::showReady() {
    const QString reason = reasonAgainst();
    showOutput();
    // The reason of an earlier refusal no longer holds.
    if (!m_parts->refusal.isEmpty() && reason != m_parts->refusal) {
        m_parts->refusal.clear();
        emit m_parts->workspace.withdrawn(kTopic);
    }
    enableButton(reason.isEmpty());
    m_parts->button->setToolTip(
        reason.isEmpty()
            ? tr("Makes the volume in the background. The job continues if you close this window.")
            : reason);
    // The forecast says its refusal itself, beside the buttons that mend it.
    const bool isSaid = !reason.isEmpty() && reason == m_parts->forecast->refusal();
    const bool hasScan = m_parts->workspace.scan().hasScan();
    showSentence(*m_parts->reason, isSaid ? QString() : reason,
                 hasScan ? SentenceKind::warning : SentenceKind::muted);
    m_parts->reason->setToolTip(reason);
    m_parts->filter->setEnabled(hasScan);
    m_parts->corrections->setEnabled(hasScan);
}

void ReconstructionPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::ActivationChange || !isActiveWindow()) return;
    m_parts->output->check();
    m_parts->forecast->checkDisk();
}

// Qt moves the keyboard to the next field when the button that has it becomes grey, as it does for
// a moment when a job starts. The panel keeps it for the button.
void ReconstructionPanel::enableButton(bool isEnabled) {
    QPushButton& button = *m_parts->button;
    if (!isEnabled && button.hasFocus()) setFocus();
    button.setEnabled(isEnabled);
    if (isEnabled && hasFocus()) button.setFocus();
}

QString ReconstructionPanel::start(const std::filesystem::path& output) {
    Workspace& workspace = m_parts->workspace;
    const std::optional<Forecast> forecast = m_parts->forecast->forecast();
    m_parts->forecast->stopMeasuring();
    JobSpec job = workspace.scan().request().job;
    job.output.path = output;
    const std::optional<HostOrder>& order = workspace.hosts().order();
    if (!workspace.hosts().host()) return workspace.jobs().start(job, forecast);
    return order ? workspace.jobs().start(HostPlan::specFor(job, *order), {}, order) : QString();
}

void ReconstructionPanel::reconstruct() {
    if (!takePendingEdits(*this)) return;
    Workspace& workspace = m_parts->workspace;
    QString reason = reasonAgainstRequest();
    std::filesystem::path output;
    if (reason.isEmpty()) {
        output = m_parts->output->pathToWrite();
        reason = reasonAgainstOutput(output);
    }
    if (!reason.isEmpty()) {
        Message message{Message::Kind::warning, reason};
        message.topic = kTopic;
        m_parts->refusal = reason;
        emit workspace.messageRaised(message);
        return;
    }
    const QString folder = start(output);
    if (folder.isEmpty()) return;
    m_parts->output->forgetReplacement();
    workspace.selection().setJobFolder(folder);
    emit started(folder);
}

}  // namespace gantry
