#include "ui/panels/shared/makers_preset.h"

#include <QStringList>

#include "core/job/varied_field.h"
#include "ui/widgets/new_widget.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

MakersPreset::MakersPreset(const QString& text, ScanDocument& scan, QWidget* parent)
    : QPushButton(text, parent), m_scan(scan) {
    named(this, "makersPreset");
    connect(this, &QPushButton::clicked, this, &MakersPreset::take);
    for (auto change : {&ScanDocument::stateChanged, &ScanDocument::requestChanged})
        connect(&m_scan, change, this, &MakersPreset::showState);
    showState();
}

// What each of the maker's settings is, and which of them Gantry has, is in the tool tip.
void MakersPreset::showState() {
    QStringList lines;
    bool hasAny = false;
    if (m_scan.description())
        for (const MakersSetting& one : m_scan.description()->settings) {
            hasAny = hasAny || !one.option.empty();
            lines << QString::fromStdString(one.name + " " + one.value +
                                            (one.option.empty() ? ": not taken, " + one.note : ""));
        }
    setVisible(hasAny);
    setToolTip(lines.join('\n'));
    if (!hasAny) return;
    JobSpec taken = m_scan.request().job;
    assignTo(taken);
    setEnabled(taken.filter != m_scan.request().job.filter);
}

void MakersPreset::take() {
    m_scan.editJob([this](JobSpec& job) { assignTo(job); },
                   tr("Set the filter as the scanner's program"));
}

void MakersPreset::assignTo(JobSpec& job) const {
    for (const MakersSetting& one : m_scan.description()->settings)
        if (!one.option.empty()) assignWord(job, one.option, one.optionValue);
}

}  // namespace gantry
