#include "ui/panels/reconstruction/reconstruction_forecast.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/models/job/forecast_text.h"
#include "ui/panels/reconstruction/reconstruction_stage_bar.h"
#include "ui/panels/reconstruction/reconstruction_texts.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

constexpr int kDebounceMs = 300;
constexpr int kSettlingMs = 3000;
// Any speed will do where none is shown.
constexpr double kAnyUpdates = 1e11;
// Any rates will do where only memory and disk are asked for.
const MachineRates kAnyRates = {1, 1, 1, 1, 1};

// No kernel is tried: the kernels of the plan before are kept.
Backends withoutTrials(Backends backends, const std::vector<DevicePlan>& before) {
    backends.gpu.chooseKernel = [before](int number, const DeviceJob& job, bool) {
        for (const DevicePlan& device : before)
            if (device.device == number) return device.kernel;
        const std::string any(kGpuKernels.back().name);
        return KernelChoice{job.kernel.empty() ? any : job.kernel, kAnyUpdates};
    };
    return backends;
}

// No trial begins after a request to stop.
Backends stoppable(Backends backends, const std::stop_token& stop) {
    backends.gpu.chooseKernel = [choose = std::move(backends.gpu.chooseKernel), stop](
                                    int number, const DeviceJob& job, bool fast) {
        if (stop.stop_requested()) throw Cancelled();
        return choose(number, job, fast);
    };
    return backends;
}

// Whether the known rates cover all that the job runs on.
bool areRatesComplete(const std::variant<JobForecast, Refusal>& answer) {
    const auto* forecast = std::get_if<JobForecast>(&answer);
    if (!forecast) return false;
    const std::size_t devices = forecast->plan.devices.size();
    return devices == forecast->rates.devices.size() &&
           (devices > 0 || forecast->rates.updates > 0);
}

}  // namespace

ReconstructionForecast::ReconstructionForecast(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace) {
    buildLabels();
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(kDebounceMs);
    m_settling.setSingleShot(true);
    m_settling.setInterval(kSettlingMs);
    connect(&m_debounce, &QTimer::timeout, this, &ReconstructionForecast::compute);
    connect(&m_settling, &QTimer::timeout, this, &ReconstructionForecast::measure);
    ScanDocument& scan = m_workspace.scan();
    connect(&scan, &ScanDocument::requestChanged, this, &ReconstructionForecast::requestSoon);
    connect(&scan, &ScanDocument::openScanChanged, this, &ReconstructionForecast::requestSoon);
    connect(&scan, &ScanDocument::stateChanged, this, [this] {
        m_settling.start();
        requestSoon();
    });
    connect(&scan, &ScanDocument::inspectionChanged, this, &ReconstructionForecast::measure);
    connect(&m_workspace.jobs(), &JobStore::finished, this, &ReconstructionForecast::requestSoon);
    // Measuring is possible only while no job runs.
    connect(&m_workspace.jobs(), &JobStore::reset, this, [this] {
        followJobs();
        showAnswer();
        measure();
    });
    connect(&m_workspace.jobs(), &JobStore::changed, this, &ReconstructionForecast::followJobs);
    clear({});
}

ReconstructionForecast::~ReconstructionForecast() = default;

void ReconstructionForecast::buildLabels() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpacing / 2);
    column->addWidget(heading(texts::forecastSection()));
    const auto label = [&](const char* name) {
        auto* made = new QLabel;
        made->setObjectName(name);
        made->setWordWrap(true);
        column->addWidget(made);
        return made;
    };
    m_total = label("forecastTotal");
    QFont large = m_total->font();
    large.setWeight(QFont::DemiBold);
    m_total->setFont(large);
    m_bar = new ReconstructionStageBar;
    m_bar->setObjectName("forecastBar");
    m_bar->setToolTip(texts::stagesHelp());
    column->addWidget(m_bar);
    m_engine = label("forecastEngine");
    m_memory = label("forecastMemory");
    m_memoryBar = new QProgressBar;
    m_memoryBar->setObjectName("forecastMemoryBar");
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
    m_remedies = new QVBoxLayout(remedies);
    m_remedies->setContentsMargins(0, 0, 0, 0);
    m_remedies->setSpacing(kSpacing / 2);
    column->addWidget(remedies);
}

QString ReconstructionForecast::refusal() const {
    const Refusal* refusal = m_answer ? std::get_if<Refusal>(&*m_answer) : nullptr;
    return refusal ? refusal->sentence : QString();
}

std::optional<Forecast> ReconstructionForecast::forecast() const {
    const JobForecast* forecast = m_answer ? std::get_if<JobForecast>(&*m_answer) : nullptr;
    if (!forecast || !m_isMeasured || m_debounce.isActive()) return {};
    return forecast->seconds;
}

void ReconstructionForecast::requestSoon() {
    m_debounce.start();
}

void ReconstructionForecast::stopMeasuring() {
    if (m_isMeasuring) m_work.cancel();
    m_isMeasuring = false;
}

// A job must not share its GPUs with trials that began before it.
void ReconstructionForecast::followJobs() {
    const bool isAnyActive = m_workspace.jobs().activeCount() > 0;
    const bool hasBegun = isAnyActive && !m_isAnyJobActive;
    m_isAnyJobActive = isAnyActive;
    if (!hasBegun || !m_work.isBusy()) return;
    m_isMeasuring = false;
    m_work.cancel();
    requestSoon();
}

ReconstructionForecast::RatesKey ReconstructionForecast::keyNow() const {
    const std::shared_ptr<const OpenScan> scan = m_workspace.scan().openScan();
    const JobSpec& job = m_workspace.scan().request().job;
    const std::filesystem::path& output = job.output.path;
    return {scan ? scan->source.get() : nullptr,
            job.engine,
            job.cpuKernel,
            job.gpuKernel,
            job.fast,
            job.filterOn,
            job.devices,
            job.threads,
            (output.has_filename() ? output : output.parent_path()).parent_path()};
}

// Needs and refusals, without measuring anything.
void ReconstructionForecast::compute() {
    ScanDocument& document = m_workspace.scan();
    const std::shared_ptr<const OpenScan> scan = document.openScan();
    m_isMeasuring = false;
    if (!scan || document.hasErrors()) {
        m_work.cancel();
        m_answer.reset();
        clear(document.hasScan() ? QString() : texts::forecastNeedsScan());
        emit changed();
        return;
    }
    const bool isKnown = m_rates && m_ratesKey == keyNow();
    const bool mayTry = m_workspace.jobs().activeCount() == 0;
    const Backends& all = m_workspace.backends();
    m_work.start(
        [scan, job = document.request().job,
         backends =
             mayTry ? all : withoutTrials(all, isKnown ? m_kernels : std::vector<DevicePlan>()),
         rates = isKnown ? *m_rates : kAnyRates](const std::stop_token& stop) {
            return forecastOrRefusal(*scan, job, stoppable(backends, stop), rates, stop);
        },
        [this, isKnown, mayTry](Answer answer) {
            const bool isMeasured = isKnown && areRatesComplete(answer);
            if (isMeasured && mayTry) m_kernels = std::get<JobForecast>(answer).plan.devices;
            take(std::move(answer), isMeasured);
        },
        [this](const QString& sentence) {
            take(Refusal{sentence, {}}, false);
        });
}

bool ReconstructionForecast::isQuiet() const {
    return m_workspace.jobs().activeCount() == 0 &&
           (m_workspace.scan().inspection() || !m_settling.isActive());
}

void ReconstructionForecast::measure() {
    const bool isWanted = m_answer && std::holds_alternative<JobForecast>(*m_answer);
    if (!isWanted || m_isMeasured || m_isMeasuring || m_debounce.isActive() || !isQuiet()) return;
    const std::shared_ptr<const OpenScan> scan = m_workspace.scan().openScan();
    if (!scan) return;
    m_isMeasuring = true;
    m_work.start(
        [scan, job = m_workspace.scan().request().job,
         backends = m_workspace.backends()](const std::stop_token& stop) {
            return forecastOrRefusal(*scan, job, stoppable(backends, stop), {}, stop);
        },
        [this, scan, key = keyNow()](Answer answer) {
            m_isMeasuring = false;
            if (const auto* forecast = std::get_if<JobForecast>(&answer)) {
                m_rates = forecast->rates;
                m_ratesKey = key;
                m_ratesOwner = scan->source;
                m_kernels = forecast->plan.devices;
            }
            take(std::move(answer), true);
        },
        [this](const QString& sentence) {
            take(Refusal{sentence, {}}, false);
        });
    showAnswer();
}

void ReconstructionForecast::take(Answer answer, bool isMeasured) {
    m_isMeasuring = false;
    m_answer = std::move(answer);
    m_isMeasured = isMeasured;
    showAnswer();
    emit changed();
    measure();
}

void ReconstructionForecast::showAnswer() {
    if (!m_answer) return;
    clear({});
    if (const auto* forecast = std::get_if<JobForecast>(&*m_answer))
        showForecast(*forecast);
    else
        showRefusal(std::get<Refusal>(*m_answer));
}

void ReconstructionForecast::showForecast(const JobForecast& forecast) {
    if (m_isMeasured) {
        showSentence(*m_total, forecastSentence(forecast.seconds));
        m_total->setToolTip(engineSentence(forecast));
        m_bar->setParts(forecastParts(forecast.seconds));
        m_bar->show();
    } else if (m_workspace.jobs().activeCount() > 0) {
        showSentence(*m_total, texts::measuredLater(), SentenceKind::muted);
    } else {
        showSentence(*m_total, texts::measuringMachine(), SentenceKind::muted);
    }
    const JobPlan& plan = forecast.plan;
    // Where no kernel may be tried, the plan has any.
    if (!plan.devices.empty() && (m_isMeasured || m_workspace.jobs().activeCount() == 0))
        showSentence(*m_engine, engineSentence(forecast), SentenceKind::muted);
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
    int number = 0;
    for (const Remedy& remedy : refusal.remedies) {
        auto* button = new QPushButton(remedy.text);
        button->setObjectName(QString("remedy%1").arg(number++));
        connect(button, &QPushButton::clicked, this, [this, remedy] { apply(remedy); });
        m_remedies->addWidget(button, 0, Qt::AlignLeft);
    }
}

void ReconstructionForecast::clear(const QString& sentence) {
    showSentence(*m_total, sentence, SentenceKind::muted);
    m_total->setToolTip({});
    for (QLabel* label : {m_engine, m_memory, m_deviceMemory, m_passes, m_disk, m_refusal})
        showSentence(*label, {});
    m_bar->hide();
    m_memoryBar->hide();
    while (QLayoutItem* item = m_remedies->takeAt(0)) {
        // It may be the button whose click led here.
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
