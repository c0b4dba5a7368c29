#include "ui/panels/shared/corrections_editor.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/job/job_fields.h"
#include "ui/models/job/option_text.h"
#include "ui/panels/shared/option_controls.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {
CorrectionsEditor::CorrectionsEditor(ScanDocument& scan, QWidget* parent)
    : QWidget(parent), m_scan(scan), m_controls(new OptionControls(scan, this)) {
    JobSpec begun;
    for (const FileField<JobSpec>& row : jobFields())
        if (row.option.start > 0) row.assign(begun, row.option.start);
    m_last = begun.corrections;
    m_column = spaced(new QVBoxLayout(this), kSpacing);
    QWidget* title = heading(tr("Corrections of the views"), this);
    title->setToolTip(
        tr("The projections show modules, beam flux, zingers and phase, their sinogram and the "
           "live slices "
           "lag and rings too."));
    m_column->addWidget(title);
    auto* choices = new QFormLayout;
    m_controls->add(*choices, "prep.modules", "modules");
    m_controls->add(*choices, "prep.crop", "crop");
    m_controls->add(*choices, "prep.bin", "bin");
    m_controls->add(*choices, "prep.flux", "flux");
    m_controls->add(*choices, "prep.airRegion", "airRegion");
    m_controls->add(*choices, "prep.truncation", "truncation");
    m_controls->add(*choices, "prep.rings", "rings");
    m_column->addLayout(choices);
    addNumbers({{"prep.truncationPerMm", "objectAttenuation"}});
    addNumbers({{"prep.fieldOfViewMm", "fieldOfView"}});
    addNumbers({{"prep.ringWidthPx", "ringWidth"}},
               [](JobSpec& job) { job.corrections.rings.widthPx |= 1; });
    addNumbers({{"prep.ringLevels", "ringLevels"}, {"prep.ringDampCycles", "ringDamping"}});
    m_zingers =
        addSwitch(tr("Remove zingers"), "zingers", "prep.zingerRatio", &Corrections::zingers);
    m_zingers->setToolTip(
        tr("Replaces pixels that are far too bright in one view, as of a scattered photon, by the "
           "median around them."));
    addNumbers({{"prep.zingerRatio", "zingerRatio"}});
    m_phase = addSwitch(tr("Retrieve phase"), "phase", "prep.phaseEnergyKeV", &Corrections::phase);
    addNumbers({{"prep.phaseEnergyKeV", "phaseEnergy"},
                {"prep.phaseDistanceMm", "phaseDistance"},
                {"prep.phaseDeltaOverBeta", "phaseMaterial"}});
    m_lag = addSwitch(tr("Remove lag"), "lag", "prep.lagShare", &Corrections::lag);
    m_lag->setToolTip(
        tr("Takes off what the detector gives of a view with the views after it (after Starman et "
           "al. 2012)."));
    addNumbers({{"prep.lagShare", "lagShare"}, {"prep.lagViews", "lagViews"}});
    auto* compare = named(new QPushButton(tr("Compare values…"), this), "compareCorrections",
                          tr("Shows one slice with several values of a correction, or of any other "
                             "option, to choose from."));
    connect(compare, &QPushButton::clicked, this, &CorrectionsEditor::comparisonWanted);
    m_column->addWidget(compare, 0, Qt::AlignLeft);
    for (auto change : {&ScanDocument::correctionsChanged, &ScanDocument::scanChanged,
                        &ScanDocument::stateChanged})
        connect(&m_scan, change, this, &CorrectionsEditor::show);
    show();
}

template <class Spec>
QCheckBox* CorrectionsEditor::addSwitch(const QString& text, const char* name, std::string_view row,
                                        Spec Corrections::*spec) {
    auto* box = named(new QCheckBox(text, this), name);
    m_column->addWidget(box);
    connect(box, &QCheckBox::clicked, this, [this, spec, row](bool isOn) {
        m_scan.editJob([&](JobSpec& job) { job.corrections.*spec = isOn ? m_last.*spec : Spec(); },
                       optionEdit(jobOption(row).option));
    });
    return box;
}

void CorrectionsEditor::addNumbers(std::initializer_list<Names> rows,
                                   const std::function<void(JobSpec&)>& also) {
    auto* fields = new QWidget(this);
    auto* form = spaced(new QFormLayout(fields), kSpacing, {2 * kSpacing, 0, 0, 0});
    m_column->addWidget(fields);
    for (const auto& [path, name] : rows)
        m_controls->add(*form, path, name, also);
}

void CorrectionsEditor::show() {
    const JobSpec& job = m_scan.request().job;
    const Corrections& now = job.corrections;
    if (now.hasZingers()) m_last.zingers = now.zingers;
    if (now.hasPhase()) m_last.phase = now.phase;
    if (now.hasLag()) m_last.lag = now.lag;
    m_lag->setChecked(now.hasLag());
    m_zingers->setChecked(now.hasZingers());
    m_phase->setChecked(now.hasPhase());
    const bool hasBeam = !m_scan.hasScan() || !job.scan.geometry.poses();
    // What is on can always be switched off.
    m_phase->setEnabled(hasBeam || now.hasPhase());
    m_phase->setToolTip(
        hasBeam ? tr("Takes the bright and dark fringes off edges that a coherent beam makes, for "
                     "an object of one material (Paganin et al. 2002).")
                : tr("Phase retrieval needs a parallel beam or a circular cone beam; this scan has "
                     "calibrated poses."));
}

}  // namespace gantry
