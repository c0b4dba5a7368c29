#include "ui/panels/reconstruction/reconstruction_engine.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/parallel.h"
#include "core/base/this_machine.h"
#include "core/cluster/local_ranks.h"
#include "core/engine/backends.h"
#include "core/job/job_fields.h"
#include "ui/models/job/engine_text.h"
#include "ui/models/job/option_text.h"
#include "ui/panels/shared/form_row.h"
#include "ui/panels/shared/option_controls.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
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

// Rows with a control of another kind here, and those that are left to the command line.
constexpr std::string_view kOtherRows[] = {
    "engine",  "precision", "cpuKernel",         "gpuKernel",   "threads",
    "devices", "ranks",     "deviceMemoryBytes", "memoryBytes", "batchViews"};

bool isControl(const FileField<JobSpec>& row) {
    return row.option.group == kMethodOptions &&
           std::ranges::find(kOtherRows, row.shape.name) == std::end(kOtherRows);
}

QString labelOf(std::string_view path) {
    return optionText(jobOption(path).option.label);
}

QString helpOf(std::string_view path) {
    const FileField<JobSpec>& row = jobOption(path);
    return optionHelp(row.shape, row.option);
}

QString editOf(std::string_view path) {
    return optionEdit(jobOption(path).option);
}

Index numberOf(const QComboBox& box) {
    return box.currentData().toInt();
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
      m_machine(workspace.machine()),
      m_controls(new OptionControls(m_scan, this)) {
    makeRunOn();
    makeEngine();
    makePrecision();
    makeKernel();
    makeCounts();
    m_memory = makeLimit(jobOption("memoryBytes"), "memory");
    m_deviceMemory = makeLimit(jobOption("deviceMemoryBytes"), "deviceMemory");
    auto* column = spaced(new QVBoxLayout(this), kSpacing);
    column->addWidget(heading(labelOf("engine")));
    column->addWidget(makeForm());
    connect(&m_scan, &ScanDocument::engineChanged, this, &ReconstructionEngine::show);
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
    form->addRow(tr("Run on"), m_runOn);
    form->addRow(labelOf("engine"), m_engine);
    form->addRow(m_devices);
    form->addRow(labelOf("precision"), m_precision);
    form->addRow(labelOf("gpuKernel"), m_kernel);
    for (const FileField<JobSpec>* row : rowsOf(jobFields(), "")) {
        if (!isControl(*row)) continue;
        QWidget* control = m_controls->add(*form, *row);
        if (row->shape.name == "filterOn") m_filterOn = control;
    }
    form->addRow(labelOf("threads"), m_threads);
    form->addRow(labelOf("ranks"), m_ranks);
    form->addRow(m_memory.box, m_memory.size);
    form->addRow(m_deviceMemory.box, m_deviceMemory.size);
    return fields;
}

bool ReconstructionEngine::hasGpu() const {
    return !m_machine.gpu.devices.empty();
}

bool ReconstructionEngine::isFast(const std::string& kernel) const {
    const std::vector<Kernel>& kernels = m_machine.gpu.kernels;
    return std::ranges::any_of(
        kernels, [&](const Kernel& each) { return each.name == kernel && each.isFast; });
}

void ReconstructionEngine::makeEngine() {
    m_engine = named(choiceBox(jobOption("engine").words(), helpOf("engine")), "engine");
    m_engine->setItemData(1, QString::fromStdString(m_machine.cpu.devices.front().name),
                          Qt::ToolTipRole);
    m_devices = named(wrapped(new QLabel), "devices");
    connect(m_engine, &QComboBox::activated, this, [this] {
        const std::string engine = m_engine->currentData().toString().toStdString();
        m_controls->edit(jobOption("engine"), engine, true);
    });
}

void ReconstructionEngine::makeRunOn() {
    m_runOn = named(
        new QComboBox, "runOn",
        tr("The machine that does the job: this computer, or another machine or cluster that ssh "
           "reaches. What a host computes with is its own choice."));
    // A host's name must not widen the panel.
    m_runOn->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    constexpr int kLetters = 12;
    m_runOn->setMinimumContentsLength(kLetters);
    connect(m_runOn, &QComboBox::activated, this, &ReconstructionEngine::choosePlace);
}

void ReconstructionEngine::choosePlace() {
    const bool isToAdd = m_runOn->currentIndex() == m_runOn->count() - 1;
    if (!isToAdd) return m_hosts.choose(m_runOn->currentData().toString());
    choose(*m_runOn, m_hosts.chosen());
    emit hostsWanted();
}

void ReconstructionEngine::fillHosts() {
    m_runOn->clear();
    m_runOn->addItem(tr("This computer"), QString());
    for (const KnownHost& each : m_hosts.known()) {
        if (!each.host) continue;
        const bool isCluster = each.host->hasQueue();
        m_runOn->addItem(isCluster ? tr("Cluster %1").arg(each.name) : each.name, each.name);
        const std::string& address = each.host->address;
        m_runOn->setItemData(
            m_runOn->count() - 1,
            tr("Another machine or cluster does the job: %1. The volume comes back here.")
                .arg(QString::fromStdString(address)),
            Qt::ToolTipRole);
    }
    m_runOn->insertSeparator(m_runOn->count());
    m_runOn->addItem(tr("Add a host…"));
    show();
}

void ReconstructionEngine::makePrecision() {
    m_precision = named(choiceBox(jobOption("precision").words(), {}), "precision",
                        tr("How exactly the volume is computed. Exact is right for every "
                           "purpose; Reference is for checking the program itself. Fast: %1.")
                            .arg(fastErrorText()));
    m_precision->addItem(tr("Reference, 64-bit"));
    m_precision->setItemData(2,
                             tr("Computes with 64-bit numbers on the CPU, many times slower: to "
                                "check the results of the others."),
                             Qt::ToolTipRole);
    connect(m_precision, &QComboBox::activated, this, [this] {
        const auto choice = static_cast<PrecisionChoice>(m_precision->currentIndex());
        m_scan.editJob(
            [=, this](JobSpec& job) { choosePrecision(job, choice, isFast(job.gpuKernel)); },
            editOf("precision"));
    });
}

void ReconstructionEngine::makeKernel() {
    m_kernel = named(new QComboBox, "gpuKernel");
    m_kernel->addItem(tr("Automatic"), QString(kAnyKernel));
    m_kernel->setItemData(
        0, tr("The fastest one that keeps the chosen precision, found by a short trial."),
        Qt::ToolTipRole);
    for (const Kernel& kernel : m_machine.gpu.kernels) {
        const QString name = QString::fromStdString(kernel.name);
        m_kernel->addItem(kernel.isFast ? tr("%1 (fast)").arg(name) : name, name);
    }
    connect(m_kernel, &QComboBox::activated, this, [this] {
        const std::string kernel = m_kernel->currentData().toString().toStdString();
        m_scan.editJob(
            [&](JobSpec& job) {
                job.gpuKernel = kernel;
                if (isFast(kernel)) job.fast = true;
            },
            editOf("gpuKernel"));
    });
}

QComboBox* ReconstructionEngine::makeCount(std::string_view path) {
    auto* box =
        named(new QComboBox, QString::fromUtf8(path.data(), static_cast<qsizetype>(path.size())),
              helpOf(path));
    connect(box, &QComboBox::activated, this,
            [this, box, path] { m_controls->edit(jobOption(path), numberOf(*box), true); });
    return box;
}

void ReconstructionEngine::makeCounts() {
    m_threads = makeCount("threads");
    const int all = availableThreads();
    m_threads->addItem(tr("All %1").arg(all), 0);
    for (int threads = 1; threads < all; threads *= 2)
        m_threads->addItem(QString::number(threads), threads);
    m_ranks = makeCount("ranks");
    for (int ranks = 1; ranks <= std::max(4, all); ranks *= 2)
        m_ranks->addItem(ranks == 1 ? tr("One") : QString::number(ranks), ranks);
}

ReconstructionEngine::Limit ReconstructionEngine::makeLimit(const FileField<JobSpec>& row,
                                                            const QString& name) {
    const QString help = optionHelp(row.shape, row.option);
    Limit limit = {new QCheckBox(optionText(row.option.label)), nullptr, &row};
    limit.box->setObjectName(name + "Limit");
    limit.box->setToolTip(help);
    limit.size =
        named(new NumberField({.unit = "GB", .digits = 4, .range = NumberField::Range{0.05, 1e6}}),
              name, help);
    connect(limit.box, &QCheckBox::clicked, this, [=, this, &row](bool isLimited) {
        constexpr double kBegin = 0.5;
        constexpr Index kMin = 500'000'000;
        const Index free = name == "memory" ? availableMemoryBytes() : freeDeviceBytes();
        const auto some = static_cast<Index>(kBegin * static_cast<double>(free));
        const Index max = isLimited ? std::max(kMin, some / kMin * kMin) : 0;
        m_controls->edit(row, max, true);
    });
    connect(limit.size, &NumberField::valueEdited, this,
            [this, &row](double gigabytes, bool isFinal) {
                m_controls->edit(row, Index{std::llround(gigabytes * kBytesPerGb)}, isFinal);
            });
    return limit;
}

// Returns the free memory of the GPU that has the least.
Index ReconstructionEngine::freeDeviceBytes() const {
    const std::vector<DeviceFacts>& devices = m_machine.gpu.devices;
    const auto min = std::ranges::min_element(
        devices,
        [](const DeviceFacts& a, const DeviceFacts& b) { return a.freeBytes < b.freeBytes; });
    return min == devices.end() ? 0 : min->freeBytes;
}

void ReconstructionEngine::showLimit(const Limit& limit, Index freeBytes, const QString& whyNot) {
    const bool isPossible = m_scan.hasScan() && whyNot.isEmpty();
    const Index bytes = std::get<Index>(limit.row->value(m_scan.request().job));
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
    setPossible(
        *m_precision, 1,
        tr("The GPU's texture hardware interpolates between pixels, in steps of 1/256 pixel: %1.")
            .arg(fastErrorText()),
        m_hosts.host() ? QString() : whyNot);
}

void ReconstructionEngine::show() {
    showGpus();
    setEnabled(m_scan.hasScan());
    const JobSpec& job = m_scan.request().job;
    const bool isHere = !m_hosts.host();
    choose(*m_runOn, m_hosts.chosen());
    m_engine->setCurrentIndex(static_cast<int>(job.engine));
    for (QWidget* field :
         {static_cast<QWidget*>(m_engine), static_cast<QWidget*>(m_threads),
          static_cast<QWidget*>(m_ranks), static_cast<QWidget*>(m_devices),
          static_cast<QWidget*>(m_memory.size), static_cast<QWidget*>(m_deviceMemory.size)})
        showRow(*m_form, *field, isHere);
    m_precision->setCurrentIndex(static_cast<int>(precisionOf(job)));
    const QString kernel = QString::fromStdString(job.gpuKernel);
    if (m_kernel->findData(kernel) < 0) m_kernel->addItem(kernel, kernel);
    choose(*m_kernel, kernel);
    m_kernel->setEnabled(true);
    m_filterOn->setEnabled(true);
    if (isHere) showHere(job);
}

void ReconstructionEngine::showHere(const JobSpec& job) {
    if (m_threads->findData(job.threads) < 0)
        m_threads->addItem(QString::number(job.threads), job.threads);
    choose(*m_threads, job.threads);
    if (m_ranks->findData(job.ranks) < 0) m_ranks->addItem(QString::number(job.ranks), job.ranks);
    choose(*m_ranks, job.ranks);
    const QString whyNoRanks = QString::fromStdString(whyNoLocalRanks());
    m_ranks->setEnabled(whyNoRanks.isEmpty() || job.ranks > 1);
    m_ranks->setToolTip(whyNoRanks.isEmpty() ? helpOf("ranks") : whyNoRanks);
    const bool isOnGpu = hasGpu() && job.engine != Engine::cpu && !asksForCpu(job);
    showSentence(*m_devices, isOnGpu ? devicesText(m_machine.gpu.devices) : QString(),
                 SentenceKind::muted);
    showLimit(m_memory, availableMemoryBytes(), {});
    const QString whyNot = !hasGpu() ? QString::fromStdString(m_machine.whyNoGpu)
                           : isOnGpu ? QString()
                                     : tr("The job runs on the CPU. To use this, set Engine to "
                                          "Automatic or GPU, and Precision to Exact or Fast.");
    const auto grey = [&](QWidget& field, const QString& help) {
        field.setEnabled(isOnGpu);
        field.setToolTip(isOnGpu ? help : whyNot);
    };
    grey(*m_kernel, helpOf("gpuKernel"));
    grey(*m_filterOn, helpOf("filterOn"));
    showLimit(m_deviceMemory, freeDeviceBytes(), whyNot);
}

}  // namespace gantry
