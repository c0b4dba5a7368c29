#include "ui/panels/reconstruction/reconstruction_engine.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/parallel.h"
#include "core/base/system_memory.h"
#include "core/cluster/local_ranks.h"
#include "core/engine/backends.h"
#include "ui/models/job/engine_text.h"
#include "ui/panels/reconstruction/reconstruction_engine_texts.h"
#include "ui/panels/reconstruction/reconstruction_host_texts.h"
#include "ui/panels/shared/form_row.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

constexpr double kBytesPerGb = 1e9;

// The engines' possibilities, as one choice.
enum class PrecisionChoice { exact, fast, reference };

PrecisionChoice precisionOf(const JobSpec& job) {
    if (asksForCpu(job)) return PrecisionChoice::reference;
    return job.fast ? PrecisionChoice::fast : PrecisionChoice::exact;
}

// isFastKernel: of the job
void choosePrecision(JobSpec& job, PrecisionChoice choice, bool isFastKernel) {
    const bool isReference = choice == PrecisionChoice::reference;
    job.cpuKernel = isReference ? kReferenceKernel : kUsualCpuKernel;
    job.fast = choice == PrecisionChoice::fast;
    if (isReference) {
        leaveGpus(job);
        if (job.engine == Engine::gpu) job.engine = Engine::automatic;
    } else if (job.fast) {
        if (job.engine == Engine::cpu) job.engine = Engine::automatic;
    } else if (isFastKernel) {
        job.gpuKernel = kAnyKernel;
    }
}

void chooseEngine(JobSpec& job, Engine engine) {
    job.engine = engine;
    if (engine == Engine::cpu) leaveGpus(job);
    if (engine == Engine::gpu) job.cpuKernel = kUsualCpuKernel;
}

template <class Data>
void choose(QComboBox& box, const Data& data) {
    const int index = box.findData(data);
    if (index >= 0) box.setCurrentIndex(index);
}

void setPossible(QComboBox& box, int index, const QString& help, const QString& whyNot) {
    auto* item = qobject_cast<QStandardItemModel*>(box.model())->item(index);
    item->setEnabled(whyNot.isEmpty());
    item->setToolTip(whyNot.isEmpty() ? help : whyNot);
}

}  // namespace

ReconstructionEngine::ReconstructionEngine(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_scan(workspace.scan()),
      m_hosts(workspace.hosts()),
      m_machine(workspace.machine()) {
    makeEngine();
    makePrecision();
    makeKernel();
    makeFilterPlace();
    makeFilterRows();
    makeThreads();
    makeRanks();
    makeMemory();
    makeDeviceMemory();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpacing);
    column->addWidget(heading(texts::engine()));
    column->addWidget(makeForm());
    connect(&m_scan, &ScanDocument::requestChanged, this, &ReconstructionEngine::show);
    connect(&m_scan, &ScanDocument::stateChanged, this, &ReconstructionEngine::show);
    connect(&workspace, &Workspace::machineChanged, this, &ReconstructionEngine::show);
    connect(&m_hosts, &HostPlan::changed, this, &ReconstructionEngine::show);
    connect(&m_hosts, &HostPlan::knownChanged, this, &ReconstructionEngine::fillHosts);
    fillHosts();
}

QWidget* ReconstructionEngine::makeForm() {
    auto* fields = new QWidget;
    auto* form = m_form = new QFormLayout(fields);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(kSpacing);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->addRow(texts::engine(), m_engine);
    form->addRow(m_devices);
    form->addRow(texts::precision(), m_precision);
    form->addRow(texts::gpuKernel(), m_kernel);
    form->addRow(texts::filterOn(), m_filterOn);
    form->addRow(texts::filterAlong(), m_filterRows);
    form->addRow(texts::threads(), m_threads);
    form->addRow(texts::ranks(), m_ranks);
    form->addRow(m_memory.box, m_memory.size);
    form->addRow(m_deviceMemory.box, m_deviceMemory.size);
    return fields;
}

bool ReconstructionEngine::hasGpu() const {
    return !m_machine.gpu.devices.empty();
}

bool ReconstructionEngine::isFast(const std::string& kernel) const {
    const std::vector<Kernel>& kernels = m_machine.gpu.kernels;
    return std::any_of(kernels.begin(), kernels.end(),
                       [&](const Kernel& each) { return each.name == kernel && each.isFast; });
}

void ReconstructionEngine::makeEngine() {
    m_engine = new QComboBox;
    m_engine->setObjectName("engine");
    m_engine->setToolTip(texts::engineHelp());
    m_engine->addItem(texts::chosenByItself(), static_cast<int>(Engine::automatic));
    m_engine->addItem(texts::cpu(), static_cast<int>(Engine::cpu));
    m_engine->addItem(texts::gpu(), static_cast<int>(Engine::gpu));
    m_engine->setItemData(0, texts::automaticEngineHelp(), Qt::ToolTipRole);
    m_engine->setItemData(1, QString::fromStdString(m_machine.cpu.devices.front().name),
                          Qt::ToolTipRole);
    m_devices = new QLabel;
    m_devices->setObjectName("devices");
    m_devices->setWordWrap(true);
    // A host's name must not widen the panel.
    m_engine->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    constexpr int kLetters = 12;
    m_engine->setMinimumContentsLength(kLetters);
    connect(m_engine, &QComboBox::activated, this, &ReconstructionEngine::chooseEntry);
}

// A host's entry has its name as data. What a host computes with is its own choice.
void ReconstructionEngine::chooseEntry() {
    const QVariant entry = m_engine->currentData();
    const bool isHost = entry.typeId() == QMetaType::QString;
    m_hosts.choose(isHost ? entry.toString() : QString());
    const Engine engine = isHost ? Engine::automatic : static_cast<Engine>(entry.toInt());
    if (m_scan.request().job.engine != engine)
        m_scan.editJob([=](JobSpec& job) { chooseEngine(job, engine); }, texts::editEngine());
}

void ReconstructionEngine::fillHosts() {
    constexpr int kOfThisMachine = 3;
    while (m_engine->count() > kOfThisMachine)
        m_engine->removeItem(m_engine->count() - 1);
    bool isFirst = true;
    for (const KnownHost& each : m_hosts.known()) {
        if (!each.host) continue;
        if (std::exchange(isFirst, false)) m_engine->insertSeparator(m_engine->count());
        const bool isCluster = each.host->scheduler == Scheduler::slurm;
        m_engine->addItem(isCluster ? texts::cluster(each.name) : each.name, each.name);
        const std::string& address = each.host->address;
        m_engine->setItemData(m_engine->count() - 1,
                              texts::hostEngineHelp(QString::fromStdString(address)),
                              Qt::ToolTipRole);
    }
    show();
}

void ReconstructionEngine::makePrecision() {
    m_precision = new QComboBox;
    m_precision->setObjectName("precision");
    m_precision->addItem(texts::exact(), static_cast<int>(PrecisionChoice::exact));
    m_precision->addItem(texts::fast(), static_cast<int>(PrecisionChoice::fast));
    m_precision->addItem(texts::reference(), static_cast<int>(PrecisionChoice::reference));
    m_precision->setItemData(0, texts::exactHelp(), Qt::ToolTipRole);
    m_precision->setItemData(2, texts::referenceHelp(), Qt::ToolTipRole);
    m_precision->setToolTip(texts::precisionHelp(fastErrorText()));
    connect(m_precision, &QComboBox::activated, this, [this] {
        const auto choice = static_cast<PrecisionChoice>(m_precision->currentData().toInt());
        m_scan.editJob(
            [=, this](JobSpec& job) { choosePrecision(job, choice, isFast(job.gpuKernel)); },
            texts::editPrecision());
    });
}

void ReconstructionEngine::makeKernel() {
    m_kernel = new QComboBox;
    m_kernel->setObjectName("gpuKernel");
    m_kernel->addItem(texts::chosenByItself(), QString(kAnyKernel));
    m_kernel->setItemData(0, texts::automaticKernelHelp(), Qt::ToolTipRole);
    for (const Kernel& kernel : m_machine.gpu.kernels) {
        const QString name = QString::fromStdString(kernel.name);
        m_kernel->addItem(kernel.isFast ? texts::fastKernel(name) : name, name);
    }
    connect(m_kernel, &QComboBox::activated, this, [this] {
        const std::string kernel = m_kernel->currentData().toString().toStdString();
        m_scan.editJob(
            [&](JobSpec& job) {
                job.gpuKernel = kernel;
                if (isFast(kernel)) job.fast = true;
            },
            texts::editGpuKernel());
    });
}

void ReconstructionEngine::makeFilterPlace() {
    m_filterOn = new QComboBox;
    m_filterOn->setObjectName("filterOn");
    m_filterOn->addItem(texts::chosenByItself(), static_cast<int>(FilterOn::automatic));
    m_filterOn->addItem(texts::cpu(), static_cast<int>(FilterOn::cpu));
    m_filterOn->addItem(texts::gpu(), static_cast<int>(FilterOn::gpu));
    m_filterOn->setItemData(0, texts::automaticFilterOnHelp(), Qt::ToolTipRole);
    connect(m_filterOn, &QComboBox::activated, this, [this] {
        const auto place = static_cast<FilterOn>(m_filterOn->currentData().toInt());
        m_scan.editJob([=](JobSpec& job) { job.filterOn = place; }, texts::editFilterOn());
    });
}

void ReconstructionEngine::makeFilterRows() {
    m_filterRows = new QComboBox;
    m_filterRows->setObjectName("filterRows");
    m_filterRows->setToolTip(texts::filterAlongHelp());
    m_filterRows->addItem(texts::chosenByItself());
    m_filterRows->addItem(texts::ownRows(), static_cast<int>(FilterRows::own));
    m_filterRows->addItem(texts::uprightRows(), static_cast<int>(FilterRows::upright));
    m_filterRows->setItemData(0, texts::automaticRowsHelp(), Qt::ToolTipRole);
    m_filterRows->setItemData(1, texts::ownRowsHelp(), Qt::ToolTipRole);
    m_filterRows->setItemData(2, texts::uprightRowsHelp(), Qt::ToolTipRole);
    connect(m_filterRows, &QComboBox::activated, this, [this] {
        const QVariant chosen = m_filterRows->currentData();
        std::optional<FilterRows> rows;
        if (chosen.isValid()) rows = static_cast<FilterRows>(chosen.toInt());
        m_scan.editJob([=](JobSpec& job) { job.rows = rows; }, texts::editFilterRows());
    });
}

void ReconstructionEngine::makeThreads() {
    m_threads = new QComboBox;
    m_threads->setObjectName("threads");
    m_threads->setToolTip(texts::threadsHelp());
    const int all = availableThreads();
    m_threads->addItem(texts::allThreads(all), 0);
    for (int threads = 1; threads < all; threads *= 2)
        m_threads->addItem(QString::number(threads), threads);
    connect(m_threads, &QComboBox::activated, this, [this] {
        const int threads = m_threads->currentData().toInt();
        m_scan.editJob([=](JobSpec& job) { job.threads = threads; }, texts::editThreads());
    });
}

void ReconstructionEngine::makeRanks() {
    m_ranks = new QComboBox;
    m_ranks->setObjectName("ranks");
    for (int ranks = 1; ranks <= std::max(4, availableThreads()); ranks *= 2)
        m_ranks->addItem(texts::processes(ranks), ranks);
    connect(m_ranks, &QComboBox::activated, this, [this] {
        const int ranks = m_ranks->currentData().toInt();
        m_scan.editJob([=](JobSpec& job) { job.ranks = ranks; }, texts::editRanks());
    });
}

void ReconstructionEngine::makeMemory() {
    m_memory = makeLimit(texts::memoryLimit(), texts::editMemoryLimit(), "memory",
                         texts::memoryLimitHelp(), &JobSpec::memoryBytes);
}

void ReconstructionEngine::makeDeviceMemory() {
    m_deviceMemory = makeLimit(texts::gpuMemoryLimit(), texts::editGpuMemoryLimit(), "deviceMemory",
                               texts::gpuMemoryLimitHelp(), &JobSpec::deviceMemoryBytes);
}

ReconstructionEngine::Limit ReconstructionEngine::makeLimit(const QString& label,
                                                            const QString& text,
                                                            const QString& name,
                                                            const QString& help,
                                                            Index JobSpec::*bytes) {
    Limit limit = {new QCheckBox(label), nullptr, bytes};
    limit.box->setObjectName(name + "Limit");
    limit.box->setToolTip(help);
    NumberField::Style style;
    style.unit = "GB";
    style.digits = 4;
    style.range = NumberField::Range{0.05, 1e6};
    limit.size = new NumberField(style);
    limit.size->setObjectName(name);
    limit.size->setToolTip(help);
    connect(limit.box, &QCheckBox::clicked, this, [=, this](bool isLimited) {
        constexpr double kBegin = 0.5;
        constexpr Index kLeast = 500'000'000;
        const Index free =
            bytes == &JobSpec::memoryBytes ? availableMemoryBytes() : freeDeviceBytes();
        const auto some = static_cast<Index>(kBegin * static_cast<double>(free));
        const Index most = isLimited ? std::max(kLeast, some / kLeast * kLeast) : 0;
        m_scan.editJob([=](JobSpec& job) { job.*bytes = most; }, text);
    });
    connect(limit.size, &NumberField::valueEdited, this, [=, this](double gigabytes, bool isFinal) {
        const auto most = static_cast<Index>(std::llround(gigabytes * kBytesPerGb));
        m_scan.editJob([=](JobSpec& job) { job.*bytes = most; }, text,
                       m_gesture.key(name, isFinal));
    });
    return limit;
}

// Of the GPU that has least.
Index ReconstructionEngine::freeDeviceBytes() const {
    const std::vector<DeviceFacts>& devices = m_machine.gpu.devices;
    const auto least = std::min_element(
        devices.begin(), devices.end(),
        [](const DeviceFacts& a, const DeviceFacts& b) { return a.freeBytes < b.freeBytes; });
    return least == devices.end() ? 0 : least->freeBytes;
}

void ReconstructionEngine::showLimit(const Limit& limit, Index freeBytes, const QString& whyNot) {
    const bool isPossible = m_scan.hasScan() && whyNot.isEmpty();
    const Index bytes = m_scan.request().job.*limit.bytes;
    limit.box->setChecked(bytes > 0);
    limit.box->setEnabled(isPossible);
    limit.box->setToolTip(whyNot.isEmpty() ? limit.size->toolTip() : whyNot);
    limit.size->setEnabled(isPossible && bytes > 0);
    // Without a limit, the free memory suggests one.
    limit.size->setValue(static_cast<double>(bytes > 0 ? bytes : freeBytes) / kBytesPerGb);
}

// They may be found while the panel is shown.
void ReconstructionEngine::showGpus() {
    const QString whyNot = QString::fromStdString(hasGpu() ? "" : m_machine.whyNoGpu);
    setPossible(*m_engine, 2, devicesText(m_machine.gpu.devices), whyNot);
    setPossible(*m_precision, 1, texts::fastHelp(fastErrorText()),
                m_hosts.host() ? QString() : whyNot);
}

void ReconstructionEngine::show() {
    showGpus();
    setEnabled(m_scan.hasScan());
    const JobSpec& job = m_scan.request().job;
    const bool isHere = !m_hosts.host();
    if (isHere)
        choose(*m_engine, static_cast<int>(job.engine));
    else
        choose(*m_engine, m_hosts.chosen());
    for (QWidget* field : {static_cast<QWidget*>(m_threads), static_cast<QWidget*>(m_ranks),
                           static_cast<QWidget*>(m_devices), static_cast<QWidget*>(m_memory.size),
                           static_cast<QWidget*>(m_deviceMemory.size)})
        showRow(*m_form, *field, isHere);
    choose(*m_precision, static_cast<int>(precisionOf(job)));
    const QString kernel = QString::fromStdString(job.gpuKernel);
    if (m_kernel->findData(kernel) < 0) m_kernel->addItem(kernel, kernel);
    choose(*m_kernel, kernel);
    choose(*m_filterOn, static_cast<int>(job.filterOn));
    choose(*m_filterRows, job.rows ? QVariant(static_cast<int>(*job.rows)) : QVariant());
    showRow(*m_form, *m_filterRows, !job.scan.geometry.isAligned());
    m_kernel->setEnabled(true);
    m_filterOn->setEnabled(true);
    if (isHere) showHere(job);
}

void ReconstructionEngine::showHere(const JobSpec& job) {
    if (m_threads->findData(job.threads) < 0)
        m_threads->addItem(QString::number(job.threads), job.threads);
    choose(*m_threads, job.threads);
    if (m_ranks->findData(job.ranks) < 0) m_ranks->addItem(texts::processes(job.ranks), job.ranks);
    choose(*m_ranks, job.ranks);
    const QString whyNoRanks = QString::fromStdString(whyNoLocalRanks());
    m_ranks->setEnabled(whyNoRanks.isEmpty() || job.ranks > 1);
    m_ranks->setToolTip(whyNoRanks.isEmpty() ? texts::ranksHelp() : whyNoRanks);
    const bool isOnGpu = hasGpu() && job.engine != Engine::cpu && !asksForCpu(job);
    showSentence(*m_devices, isOnGpu ? devicesText(m_machine.gpu.devices) : QString(),
                 SentenceKind::muted);
    showLimit(m_memory, availableMemoryBytes(), {});
    const QString whyNot = !hasGpu() ? QString::fromStdString(m_machine.whyNoGpu)
                           : isOnGpu ? QString()
                                     : texts::jobRunsOnCpu();
    const auto grey = [&](QWidget& field, const QString& help) {
        field.setEnabled(isOnGpu);
        field.setToolTip(isOnGpu ? help : whyNot);
    };
    grey(*m_kernel, texts::gpuKernelHelp());
    grey(*m_filterOn, texts::filterOnHelp());
    showLimit(m_deviceMemory, freeDeviceBytes(), whyNot);
}

}  // namespace gantry
