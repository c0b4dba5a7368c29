#include "ui/desktop/window/problem_sign.h"

#include <QCoreApplication>
#include <QResizeEvent>
#include <QStringList>
#include <algorithm>

#include "ui/models/scan/geometry_form.h"
#include "ui/panels/shared/scan_problems.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

ProblemSign::ProblemSign(Workspace& workspace, QWidget* parent)
    : QPushButton(parent), m_workspace(workspace) {
    setObjectName("problemSign");
    setFlat(true);
    setFocusPolicy(Qt::NoFocus);
    const ScanDocument& scan = workspace.scan();
    for (auto change : {&ScanDocument::stateChanged, &ScanDocument::scanChanged,
                        &ScanDocument::inspectionChanged})
        connect(&scan, change, this, &ProblemSign::count);
    count();
}

void ProblemSign::count() {
    const ScanDocument& scan = m_workspace.scan();
    std::vector<Problem> problems;
    if (scan.hasScan()) problems = problemsOfScan(scan);
    const auto errors = std::ranges::count_if(problems, [](const Problem& problem) {
        return problem.severity == Problem::Severity::error;
    });
    const auto warnings = std::ssize(problems) - errors;
    QStringList parts;
    if (errors > 0) parts << (errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors));
    if (warnings > 0) parts << (warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
    setText(parts.join(", "));
    setIcon(errors > 0 ? gantry::icon("error", &Theme::error)
                       : gantry::icon("warning", &Theme::warning));
    QStringList sentences;
    for (const Problem& problem : problems)
        sentences << problemSentence(problem, scanFields());
    setToolTip(sentences.join('\n'));
    setAccessibleName(tr("Problems of the scan: %1").arg(text()));
    setVisible(!parts.isEmpty());
    // A menu bar looks at the size of its corner only when its own changes.
    QWidget* const bar = parentWidget() ? parentWidget()->parentWidget() : nullptr;
    if (!bar) return;
    QResizeEvent resize(bar->size(), bar->size());
    QCoreApplication::sendEvent(bar, &resize);
}

}  // namespace gantry
