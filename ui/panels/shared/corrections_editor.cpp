#include "ui/panels/shared/corrections_editor.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/models/job/option_text.h"
#include "ui/panels/shared/option_controls.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

constexpr std::string_view kSection = "prep";

}  // namespace

CorrectionsEditor::CorrectionsEditor(ScanDocument& scan, QWidget* parent,
                                     std::span<const FileField<JobSpec>> table)
    : QWidget(parent),
      m_scan(scan),
      m_table(table),
      m_controls(new OptionControls(scan, this)),
      m_column(spaced(new QVBoxLayout(this), kSpacing)) {
    for (const Row& row : m_table)
        if (row.option.start > 0) row.assign(m_last, row.option.start);
    QWidget* title = heading(tr("Corrections of the views"), this);
    title->setToolTip(
        tr("The projections show modules, beam flux, zingers and phase, their sinogram and the "
           "live slices "
           "lag and rings too."));
    m_column->addWidget(title);
    addRows();
    addComparison();
    for (auto change : {&ScanDocument::correctionsChanged, &ScanDocument::scanChanged,
                        &ScanDocument::stateChanged})
        connect(&m_scan, change, this, &CorrectionsEditor::show);
    show();
}

void CorrectionsEditor::addRows() {
    auto* choices = new QFormLayout;
    m_column->addLayout(choices);
    OptionRows numbers;
    const auto addNumbers = [&] {
        m_controls->addForms(*m_column, std::exchange(numbers, {}), 2 * kSpacing);
    };
    for (const Row* row : rowsOf(m_table, kSection)) {
        const bool isNumber = row->kind() == FieldKind::number || row->kind() == FieldKind::whole;
        if (!isNumber || !row->applies) {
            m_controls->add(*choices, *row);
            continue;
        }
        if (row->option.onOff) {
            addNumbers();
            addSwitch(*row);
        }
        numbers.push_back(row);
    }
    addNumbers();
}

void CorrectionsEditor::addSwitch(const Row& row) {
    const FieldOption& texts = *row.option.onOff;
    Switch added;
    added.box = named(new QCheckBox(optionText(texts.label), this),
                      QString::fromStdString(row.shape.path() + ".on"), optionText(texts.help));
    for (const Row& each : m_table)
        if (each.shape.section == kSection && each.option.what == row.option.what)
            added.rows.push_back(&each);
    m_column->addWidget(added.box);
    connect(added.box, &QCheckBox::clicked, this, [this, &row, rows = added.rows](bool isOn) {
        const JobSpec values = isOn ? m_last : JobSpec();
        m_scan.editJob(
            [&](JobSpec& job) {
                for (const Row* each : rows)
                    each->assign(job, each->value(values));
            },
            optionEdit(row.option));
    });
    m_switches.push_back(std::move(added));
}

void CorrectionsEditor::addComparison() {
    auto* compare = named(new QPushButton(tr("Compare values…"), this), "compareCorrections",
                          tr("Shows one slice with several values of a correction, or of any other "
                             "option, to choose from."));
    connect(compare, &QPushButton::clicked, this, &CorrectionsEditor::comparisonWanted);
    m_column->addWidget(compare, 0, Qt::AlignLeft);
}

void CorrectionsEditor::show() {
    const JobSpec& job = m_scan.request().job;
    const bool hasBeam = !m_scan.hasScan() || !job.scan.geometry.poses();
    for (const Switch& each : m_switches) {
        const Row& first = *each.rows.front();
        const bool isOn = first.applies(job);
        for (const Row* row : each.rows)
            if (isOn) row->assign(m_last, row->value(job));
        each.box->setChecked(isOn);
        if (first.shape.name != "phaseEnergyKeV") continue;
        // What is on can always be switched off.
        each.box->setEnabled(hasBeam || isOn);
        each.box->setToolTip(
            hasBeam ? optionText(first.option.onOff->help)
                    : tr("Phase retrieval needs a parallel beam or a circular cone beam; this scan "
                         "has calibrated poses."));
    }
}

}  // namespace gantry
