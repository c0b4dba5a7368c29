#include "ui/desktop/status_line.h"

#include <QHBoxLayout>
#include <QLabel>

#include "core/base/system_memory.h"
#include "core/base/text.h"
#include "ui/models/job/engine_text.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

StatusLine::StatusLine(Workspace& workspace, QWidget* parent) : QWidget(parent) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(kSpacing, 0, kSpacing, 0);
    layout->setSpacing(3 * kSpacing);
    const Backends& backends = workspace.backends();
    auto* engine = new QLabel(engineText(backends));
    engine->setObjectName("engine");
    engine->setToolTip(
        backends.gpu.devices.empty()
            ? tr("What reconstructs: %1.").arg(QString::fromStdString(backends.whyNoGpu))
            : tr("What reconstructs, where the job does not ask for the CPU."));
    m_memory = new QLabel;
    m_memory->setObjectName("memory");
    m_memory->setToolTip(tr("Memory of this machine that other programs leave free"));
    auto* readout = new QLabel;
    readout->setObjectName("readout");
    readout->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    layout->addWidget(engine);
    layout->addWidget(m_memory);
    layout->addWidget(readout, 1);
    connect(&workspace.selection(), &Selection::readoutChanged, readout, &QLabel::setText);
    connect(&m_timer, &QTimer::timeout, this, &StatusLine::updateMemory);
    m_timer.start(2000);
    updateMemory();
}

void StatusLine::updateMemory() {
    m_memory->setText(
        tr("memory free %1").arg(QString::fromStdString(formatBytes(availableMemoryBytes()))));
}

}  // namespace gantry
