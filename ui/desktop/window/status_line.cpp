#include "ui/desktop/window/status_line.h"

#include <QHBoxLayout>
#include <QLabel>

#include "core/base/text.h"
#include "core/base/this_machine.h"
#include "ui/models/job/engine_text.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

StatusLine::StatusLine(Workspace& workspace, QWidget* middle, QWidget* parent)
    : QWidget(parent), m_workspace(workspace) {
    setObjectName("statusLine");
    auto* layout = spaced(new QHBoxLayout(this), 3 * kSpacing, {kSpacing, 0, kSpacing, 0});
    m_engine = named(new QLabel, "engine");
    m_memory =
        named(new QLabel, "memory", tr("Memory of this machine that other programs leave free"));
    auto* readout = named(new QLabel, "readout");
    readout->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    layout->addWidget(m_engine);
    layout->addWidget(m_memory);
    // What the pointer is on must not change the room of the middle.
    readout->setMinimumWidth(readout->fontMetrics().horizontalAdvance(
        QStringLiteral("x 000.00  y 000.00  z 000.00 mm   0.00000 /mm")));
    layout->addWidget(middle, 1);
    layout->addWidget(readout);
    connect(&workspace.selection(), &Selection::readoutChanged, readout, &QLabel::setText);
    connect(&m_timer, &QTimer::timeout, this, &StatusLine::updateMemory);
    connect(&workspace, &Workspace::machineChanged, this, &StatusLine::showEngine);
    m_timer.start(2000);
    showEngine();
    updateMemory();
}

void StatusLine::showEngine() {
    const Machine& machine = m_workspace.machine();
    m_engine->setText(engineText(machine));
    m_engine->setToolTip(
        machine.gpu.devices.empty()
            ? tr("What reconstructs: %1.").arg(QString::fromStdString(machine.whyNoGpu))
            : tr("What reconstructs, where the job does not ask for the CPU."));
}

void StatusLine::updateMemory() {
    m_memory->setText(
        tr("memory free %1").arg(QString::fromStdString(formatBytes(availableMemoryBytes()))));
}

}  // namespace gantry
