#include "ui/panels/reconstruction/reconstruction_forecast.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/this_machine.h"
#include "core/work/measure_request.h"
#include "ui/models/job/forecast_text.h"
#include "ui/models/text.h"
#include "ui/panels/reconstruction/reconstruction_stage_bar.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

QString needsScan() {
    return tr("Open a scan to see how much time, memory and disk space its reconstruction takes.");
}

QString askedOf(const QString& host, int nodes, int ranks, int minutes) {
    const QString machines = nodes == 1 ? tr("one node") : tr("%1 nodes").arg(nodes);
    const QString processes =
        ranks == 1 ? tr("one process") : tr("%1 processes (ranks)").arg(ranks);
    const QString words = tr("%1: %2, %3").arg(host, machines, processes);
    return minutes > 0 ? tr("%1, at most %2").arg(words, timeLimitText(minutes)) : words;
}

QString hostReason(const QString& reason) {
    if (reason.isEmpty()) return {};
    return reason.left(1).toUpper() + reason.mid(1) + '.';
}

constexpr int kDebounceMs = 300;
constexpr int kSettlingMs = 3000;
constexpr int kPollDiskMs = 5000;

// Whether both, which are about the same request, offer the same buttons.
bool haveSameRemedies(const Refusal* a, const Refusal* b) {
    return a && b && std::ranges::equal(a->remedies, b->remedies, {}, &Remedy::text, &Remedy::text);
}

}  // namespace

ReconstructionForecast::ReconstructionForecast(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_measurement(workspace.program()) {
    buildLabels();
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(kDebounceMs);
    m_settling.setSingleShot(true);
    m_settling.setInterval(kSettlingMs);
    connect(&m_debounce, &QTimer::timeout, this, &ReconstructionForecast::compute);
    connect(&m_settling, &QTimer::timeout, this, &ReconstructionForecast::measure);
    m_pollingDisk.setInterval(kPollDiskMs);
    connect(&m_pollingDisk, &QTimer::timeout, this, &ReconstructionForecast::checkDisk);
    ScanDocument& scan = m_workspace.scan();
    connect(&scan, &ScanDocument::requestChanged, this, &ReconstructionForecast::requestSoon);
    connect(&scan, &ScanDocument::openScanChanged, this, &ReconstructionForecast::requestSoon);
    connect(&scan, &ScanDocument::stateChanged, this, [this] {
        m_settling.start();
        requestSoon();
    });
    connect(&scan, &ScanDocument::inspectionChanged, this, &ReconstructionForecast::measure);
    connect(&m_workspace, &Workspace::machineChanged, this, &ReconstructionForecast::compute);
    connect(&m_workspace.jobs(), &JobStore::finished, this, [this] {
        forgetFailures();
        requestSoon();
    });
    // Measuring is possible only while no job runs.
    connect(&m_workspace.jobs(), &JobStore::reset, this, [this] {
        followJobs();
        showAnswer();
        measure();
    });
    connect(&m_workspace.jobs(), &JobStore::changed, this, &ReconstructionForecast::followJobs);
    connect(&m_workspace.hosts(), &HostPlan::changed, this, [this] {
        clear({});
        showAnswer();
        if (m_workspace.hosts().host())
            stopMeasuring();
        else
            requestSoon();
        emit changed();
    });
    clear({});
}

void ReconstructionForecast::buildLabels() {
    auto* column = spaced(new QVBoxLayout(this), kSpacing / 2);
    column->addWidget(heading(tr("Forecast")));
    const auto label = [&](const char* name) {
        auto* made = named(new QLabel, name);
        made->setWordWrap(true);
        made->setMinimumWidth(1);  // not that of its longest word, which may be a name
        column->addWidget(made);
        return made;
    };
    m_total = label("forecastTotal");
    QFont large = m_total->font();
    large.setWeight(QFont::DemiBold);
    m_total->setFont(large);
    m_bar = named(
        new ReconstructionStageBar, "forecastBar",
        tr("How long each stage works. The stages work at the same time on different projections, "
           "so the whole takes less than their sum."));
    column->addWidget(m_bar);
    m_engine = label("forecastEngine");
    m_memory = label("forecastMemory");
    m_memoryBar = named(new QProgressBar, "forecastMemoryBar");
    m_memoryBar->setTextVisible(false);
    constexpr int kBarHeight = 6;
    m_memoryBar->setFixedHeight(kBarHeight);
    constexpr int kSteps = 1000;
    m_memoryBar->setRange(0, kSteps);
    column->addWidget(m_memoryBar);
    m_deviceMemory = label("forecastDeviceMemory");
    m_passes = label("forecastPasses");
    m_disk = label("forecastDisk");
    m_refusal = label("forecastRefusal");
    auto* remedies = new QWidget;
    m_remedies = spaced(new QVBoxLayout(remedies), kSpacing / 2);
    column->addWidget(remedies);
}

QString ReconstructionForecast::refusal() const {
    if (m_workspace.hosts().host()) return m_workspace.hosts().problem();
    const Refusal* refusal = m_answer ? std::get_if<Refusal>(&*m_answer) : nullptr;
    return refusal ? refusal->sentence : QString();
}

const JobForecast* ReconstructionForecast::predicted() const {
    return m_answer ? std::get_if<JobForecast>(&*m_answer) : nullptr;
}

std::optional<Forecast> ReconstructionForecast::forecast() const {
    const JobForecast* forecast = predicted();
    if (!forecast || !forecast->isComplete() || m_debounce.isActive() || m_work.isBusy()) return {};
    return forecast->seconds;
}

void ReconstructionForecast::requestSoon() {
    m_wasMeasured = false;
    m_isCheckingDisk = false;
    if (!refusal().isEmpty()) forgetFailures();
    m_debounce.start();
}

// A GPU that another program held may be free again, and a full disk may have room for the test of
// its speed.
void ReconstructionForecast::forgetFailures() {
    const auto isFailure = [](const auto& answer) {
        const auto* storage = std::get_if<StorageRate>(&answer);
        return std::holds_alternative<DeviceFailure>(answer) || (storage && storage->bytes <= 0);
    };
    Facts kept;
    for (const Facts::Fact& fact : m_facts.all())
        if (!isFailure(fact.answer)) kept.add(fact.question, fact.answer);
    m_facts = std::move(kept);
}

// A job must not share its GPUs with trials that began before it.
void ReconstructionForecast::followJobs() {
    const bool isAnyActive = m_workspace.jobs().activeCount() > 0;
    const bool hasBegun = isAnyActive && !m_isAnyJobActive;
    m_isAnyJobActive = isAnyActive;
    if (!hasBegun || !m_measurement.isBusy()) return;
    stopMeasuring();
    requestSoon();
}

// Computes the forecast from what is known of the machine; measures nothing.
void ReconstructionForecast::compute() {
    ScanDocument& document = m_workspace.scan();
    const std::shared_ptr<const OpenScan> scan = document.openScan();
    const JobSpec& job = document.request().job;
    stopMeasuring();
    if (!scan || document.hasErrors()) {
        showNone(document.hasScan() ? QString() : needsScan());
        return;
    }
    if (m_workspace.isLookingForGpus() && asksForDevices(job)) {
        showNone(tr("Looking for the GPUs of this machine…"));
        return;
    }
    if (m_source != scan->source) {
        m_source = scan->source;
        m_facts = {};
    }
    m_work.start(
        [scan, job, machine = m_workspace.machine(),
         facts = m_facts](const std::stop_token&) mutable {
            machine.freeBytes = availableMemoryBytes();
            return forecastOrRefusal(*scan, job, machine, facts);
        },
        [this](Answer answer) { take(std::move(answer)); },
        [this](const QString& sentence) {
            take(Refusal{sentence, {}});
        });
}

bool ReconstructionForecast::isQuiet() const {
    return m_workspace.jobs().activeCount() == 0 && !m_workspace.isLookingForGpus() &&
           (m_workspace.scan().inspection() || !m_settling.isActive());
}

void ReconstructionForecast::measure() {
    const JobForecast* forecast = predicted();
    if (m_workspace.hosts().host()) return;
    if (!forecast || forecast->isComplete() || m_wasMeasured || m_measurement.isBusy() ||
        m_work.isBusy() || m_debounce.isActive() || !isQuiet())
        return;
    m_measurement.start(
        measureRequest(m_workspace.scan().request().job, m_facts),
        [this](const Measured& measured) { takeMeasured(measured); },
        [this](const QString& sentence) {
            take(Refusal{sentence, {}});
        });
    showAnswer();
}

void ReconstructionForecast::takeMeasured(const Measured& measured) {
    for (const Facts::Fact& fact : measured.facts.all())
        m_facts.add(fact.question, fact.answer);
    // A second measurement of the same request would show no more. An edit that is not computed yet
    // is another request.
    m_wasMeasured = !m_debounce.isActive();
    m_workspace.takeGpus(measured);  // computes
}

void ReconstructionForecast::checkDisk() {
    if (!isOfDisk() || m_work.isBusy() || m_debounce.isActive()) return;
    forgetFailures();
    compute();
    m_isCheckingDisk = true;
}

bool ReconstructionForecast::isOfDisk() const {
    const Refusal* refusal = m_answer ? std::get_if<Refusal>(&*m_answer) : nullptr;
    return refusal && refusal->isOfDisk && !m_workspace.hosts().host();
}

void ReconstructionForecast::take(Answer answer) {
    const std::optional<Answer> before = std::exchange(m_answer, std::move(answer));
    const Refusal* refusal = std::get_if<Refusal>(&*m_answer);
    // Buttons stay while one of them may be pressed.
    if (std::exchange(m_isCheckingDisk, false) && before &&
        haveSameRemedies(refusal, std::get_if<Refusal>(&*before)))
        showSentence(*m_refusal, refusal->sentence, SentenceKind::error);
    else
        showAnswer();
    if (!isOfDisk())
        m_pollingDisk.stop();
    else if (!m_pollingDisk.isActive())
        m_pollingDisk.start();
    emit changed();
    measure();
}

// Shows the forecast of the cluster's model, and the reason for it.
void ReconstructionForecast::showHost() {
    const HostPlan& plan = m_workspace.hosts();
    clear({});
    if (!m_workspace.scan().hasScan())
        return showSentence(*m_total, needsScan(), SentenceKind::muted);
    if (!plan.problem().isEmpty())
        return showSentence(*m_refusal, plan.problem(), SentenceKind::error);
    if (!plan.order())
        return showSentence(*m_total, tr("Planning for %1…").arg(plan.chosen()),
                            SentenceKind::muted);
    const JobResources& asked = plan.order()->resources;
    showSentence(*m_total, askedOf(plan.chosen(), asked.nodes, asked.ranks(), asked.minutes));
    showSentence(*m_engine, hostReason(QString::fromStdString(asked.reason)), SentenceKind::muted);
}

void ReconstructionForecast::showAnswer() {
    if (m_workspace.hosts().host()) return showHost();
    if (!m_answer) return;
    clear({});
    if (const JobForecast* forecast = predicted())
        showForecast(*forecast);
    else
        showRefusal(std::get<Refusal>(*m_answer));
}

void ReconstructionForecast::showForecast(const JobForecast& forecast) {
    if (forecast.isComplete()) {
        showSentence(*m_total, forecastSentence(forecast.seconds));
        m_total->setToolTip(engineSentence(forecast));
        m_bar->setParts(forecastParts(forecast.seconds));
        m_bar->show();
    } else if (m_workspace.jobs().activeCount() > 0) {
        showSentence(*m_total, tr("How long it takes is measured when no job runs."),
                     SentenceKind::muted);
    } else if (m_wasMeasured) {
        showSentence(*m_total, tr("How long it takes cannot be predicted."), SentenceKind::muted);
    } else {
        showSentence(*m_total, tr("Measuring how fast this machine is…"), SentenceKind::muted);
    }
    const JobPlan& plan = forecast.plan;
    // A kernel that was not tried is not yet the one that the job takes.
    const bool isChosen = plan.engine == EngineKind::gpu && forecast.isComplete();
    showSentence(*m_engine, withNotes(isChosen ? engineSentence(forecast) : QString(), plan),
                 SentenceKind::muted);
    showSentence(*m_deviceMemory, deviceMemorySentence(plan), SentenceKind::muted);
    showSentence(*m_memory, memorySentence(plan), SentenceKind::muted);
    const double share = static_cast<double>(plan.hostBytes) /
                         static_cast<double>(std::max<Index>(1, plan.budgetBytes));
    m_memoryBar->setValue(static_cast<int>(share * m_memoryBar->maximum()));
    m_memoryBar->show();
    showSentence(*m_passes, passesSentence(plan), SentenceKind::muted);
    const JobSpec& job = m_workspace.scan().request().job;
    showSentence(*m_disk,
                 diskSentence(diskBytesNeeded(job.output, job.volume), forecast.freeDiskBytes),
                 SentenceKind::muted);
}

void ReconstructionForecast::showRefusal(const Refusal& refusal) {
    showSentence(*m_refusal, refusal.sentence, SentenceKind::error);
    m_refusal->setToolTip(refusal.sentence);
    int number = 0;
    for (const Remedy& remedy : refusal.remedies) {
        auto* button = named(new QPushButton(remedy.text), QString("remedy%1").arg(number++));
        connect(button, &QPushButton::clicked, this, [this, remedy] { apply(remedy); });
        m_remedies->addWidget(button, 0, Qt::AlignLeft);
    }
}

void ReconstructionForecast::showNone(const QString& why) {
    m_work.cancel();
    m_answer.reset();
    m_pollingDisk.stop();
    clear(why);
    if (m_workspace.hosts().host()) showHost();
    emit changed();
}

void ReconstructionForecast::clear(const QString& sentence) {
    showSentence(*m_total, sentence, SentenceKind::muted);
    m_total->setToolTip({});
    for (QLabel* label : {m_engine, m_memory, m_deviceMemory, m_passes, m_disk, m_refusal})
        showSentence(*label, {});
    m_bar->hide();
    m_memoryBar->hide();
    while (QLayoutItem* item = m_remedies->takeAt(0)) {
        // This may run from the click of this very button, so it is deleted later.
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
}

void ReconstructionForecast::apply(const Remedy& remedy) {
    if (!remedy.spec) {
        emit placeWanted();
        return;
    }
    Request request = m_workspace.scan().request();
    if (!(request.job.volume == remedy.spec->volume)) request.volumeIsFitted = false;
    request.job = *remedy.spec;
    m_workspace.scan().edit(std::move(request), remedy.text);
}

}  // namespace gantry
