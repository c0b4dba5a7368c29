#include "ui/panels/reconstruction_engine.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/system_memory.h"
#include "core/recon/backends.h"
#include "ui/panels/scan_field_editor.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/scan_document.h"

namespace gantry {

namespace {

constexpr double kBytesPerGb = 1e9;

void choose(QComboBox& box, int data) {
    const int index = box.findData(data);
    if (index >= 0) box.setCurrentIndex(index);
}

}  // namespace

ReconstructionEngine::ReconstructionEngine(ScanDocument& scan, const Backends& backends,
                                           QWidget* parent)
    : QWidget(parent), m_scan(scan) {
    makeEngine(backends);
    makePrecision();
    makeThreads();
    makeMemory();
    for (QComboBox* box : {m_engine, m_precision, m_threads})
        leaveWheelToForm(*box);
    auto* form = new QFormLayout;
    form->setSpacing(kSpacing);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->addRow(tr("Engine"), m_engine);
    form->addRow(tr("Precision"), m_precision);
    form->addRow(tr("Threads"), m_threads);
    form->addRow(m_limit, m_memory);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpacing);
    column->addWidget(heading(tr("Engine")));
    column->addLayout(form);
    connect(&m_scan, &ScanDocument::requestChanged, this, &ReconstructionEngine::show);
    connect(&m_scan, &ScanDocument::stateChanged, this, &ReconstructionEngine::show);
    show();
}

template <class Change>
void ReconstructionEngine::edit(const Change& change, const QString& text,
                                const QString& mergeKey) {
    Request request = m_scan.request();
    change(request.job);
    m_scan.edit(std::move(request), text, mergeKey);
}

void ReconstructionEngine::makeEngine(const Backends& backends) {
    m_engine = new QComboBox;
    m_engine->setObjectName("engine");
    m_engine->setToolTip(
        tr("Where the views are added to the volume. The result is the same; the "
           "time is not."));
    m_engine->addItem(tr("Automatic"), static_cast<int>(Engine::automatic));
    m_engine->addItem(tr("CPU"), static_cast<int>(Engine::cpu));
    m_engine->addItem(tr("GPU"), static_cast<int>(Engine::gpu));
    m_engine->setItemData(0, tr("The graphics card where there is one, else the processor."),
                          Qt::ToolTipRole);
    m_engine->setItemData(1, QString::fromStdString(backends.cpuName), Qt::ToolTipRole);
    if (!backends.whyNoGpu.empty()) {
        auto* items = qobject_cast<QStandardItemModel*>(m_engine->model());
        items->item(2)->setEnabled(false);
        items->item(2)->setToolTip(QString::fromStdString(backends.whyNoGpu));
    }
    connect(m_engine, &QComboBox::activated, this, [this] {
        const auto engine = static_cast<Engine>(m_engine->currentData().toInt());
        edit([=](JobSpec& job) { job.engine = engine; }, tr("Change engine"));
    });
}

void ReconstructionEngine::makePrecision() {
    m_precision = new QComboBox;
    m_precision->setObjectName("precision");
    m_precision->addItem(tr("Exact, 32-bit"), static_cast<int>(CpuKernel::columns));
    m_precision->addItem(tr("Reference, 64-bit"), static_cast<int>(CpuKernel::reference));
    m_precision->setItemData(0, tr("Every voxel as exact as a 32-bit number can say."),
                             Qt::ToolTipRole);
    m_precision->setItemData(1,
                             tr("Plain arithmetic in double precision, many times slower: to "
                                "check the other against."),
                             Qt::ToolTipRole);
    m_precision->setToolTip(
        tr("How exactly it is computed. Exact is right for every purpose but "
           "checking the program itself."));
    connect(m_precision, &QComboBox::activated, this, [this] {
        const auto kernel = static_cast<CpuKernel>(m_precision->currentData().toInt());
        edit([=](JobSpec& job) { job.cpuKernel = kernel; }, tr("Change precision"));
    });
}

void ReconstructionEngine::makeThreads() {
    m_threads = new QComboBox;
    m_threads->setObjectName("threads");
    m_threads->setToolTip(
        tr("Processors that work on the volume. Fewer leave room for other "
           "programs and take longer."));
    const int all = availableThreads();
    m_threads->addItem(tr("All %1").arg(all), 0);
    for (int threads = 1; threads < all; threads *= 2)
        m_threads->addItem(QString::number(threads), threads);
    connect(m_threads, &QComboBox::activated, this, [this] {
        const int threads = m_threads->currentData().toInt();
        edit([=](JobSpec& job) { job.threads = threads; }, tr("Change threads"));
    });
}

void ReconstructionEngine::makeMemory() {
    m_limit = new QCheckBox(tr("Memory limit"));
    m_limit->setObjectName("memoryLimit");
    m_limit->setToolTip(
        tr("Without a limit the job takes most of what is free. With less memory "
           "the volume is made in several passes, which takes longer; its values "
           "are the same."));
    NumberField::Style style;
    style.unit = "GB";
    style.digits = 4;
    style.range = NumberField::Range{0.05, 1e6};
    m_memory = new NumberField(style);
    m_memory->setObjectName("memory");
    m_memory->setToolTip(m_limit->toolTip());
    connect(m_limit, &QCheckBox::clicked, this, [this](bool isLimited) {
        constexpr double kBegin = 0.5;
        constexpr Index kLeast = 500'000'000;
        const auto some = static_cast<Index>(kBegin * static_cast<double>(availableMemoryBytes()));
        const Index bytes = isLimited ? std::max(kLeast, some / kLeast * kLeast) : 0;
        edit([=](JobSpec& job) { job.memoryBytes = bytes; }, tr("Change memory limit"));
    });
    connect(m_memory, &NumberField::valueEdited, this, [this](double gigabytes, bool isFinal) {
        const auto bytes = static_cast<Index>(std::llround(gigabytes * kBytesPerGb));
        edit([=](JobSpec& job) { job.memoryBytes = bytes; }, tr("Change memory limit"),
             m_gesture.key("memoryBytes", isFinal));
    });
}

void ReconstructionEngine::show() {
    setEnabled(m_scan.hasScan());
    const JobSpec& job = m_scan.request().job;
    choose(*m_engine, static_cast<int>(job.engine));
    choose(*m_precision, static_cast<int>(job.cpuKernel));
    if (m_threads->findData(job.threads) < 0)
        m_threads->addItem(QString::number(job.threads), job.threads);
    choose(*m_threads, job.threads);
    const bool isLimited = job.memoryBytes > 0;
    m_limit->setChecked(isLimited);
    m_memory->setEnabled(isLimited && m_scan.hasScan());
    // Without a limit, what is free tells the size that one may be set to.
    const Index bytes = isLimited ? job.memoryBytes : availableMemoryBytes();
    m_memory->setValue(static_cast<double>(bytes) / kBytesPerGb);
}

}  // namespace gantry
