#include "ui/panels/shared/filter_editor.h"

#include <QEvent>
#include <QFormLayout>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>
#include <cmath>

#include "core/job/job_fields.h"
#include "ui/models/job/option_text.h"
#include "ui/panels/shared/makers_preset.h"
#include "ui/panels/shared/option_controls.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {
namespace {

constexpr int kSliderSteps = 100;

int sliderPlace(double cutoff) {
    return static_cast<int>(std::lround(cutoff * kSliderSteps));
}

}  // namespace

FilterEditor::FilterEditor(ScanDocument& scan, QWidget* parent)
    : QWidget(parent), m_scan(scan), m_controls(new OptionControls(scan, this)) {
    const FileField<JobSpec>& cutoff = jobOption("filter.cutoff");
    auto* fields = new QWidget(this);  // hidden where the method has no filter
    auto* form = spaced(new QFormLayout(fields), kSpacing);
    m_slider = named(new QSlider(Qt::Horizontal, this), "cutoffSlider",
                     optionHelp(cutoff.shape, cutoff.option));
    m_slider->setAccessibleName(optionText(cutoff.option.label));
    m_slider->setRange(sliderPlace(cutoff.option.low), sliderPlace(cutoff.option.high));
    for (const FileField<JobSpec>* row : rowsOf(jobFields(), "filter")) {
        QWidget* control = m_controls->add(*form, *row);
        if (!m_first) m_first = control;
        if (row == &cutoff) form->addRow(m_slider);
    }
    form->addRow(new MakersPreset(tr("As the scanner's program had it"), scan, this));
    auto* layout = spaced(new QVBoxLayout(this), kSpacing / 2);
    m_title = heading(tr("Filter"), this);
    layout->addWidget(m_title);
    layout->addWidget(fields);
    layout->addStretch(1);
    connect(m_slider, &QSlider::valueChanged, this, [this, &cutoff](int value) {
        m_controls->edit(cutoff, static_cast<double>(value) / kSliderSteps, false);
    });
    connect(&m_scan, &ScanDocument::filterChanged, this, &FilterEditor::showSlider);
    connect(&m_scan, &ScanDocument::requestChanged, this,
            [this] { m_title->setVisible(!m_scan.request().job.method.isIterative()); });
    connect(&m_scan, &ScanDocument::stateChanged, this, &FilterEditor::showSlider);
    showSlider();
}

bool FilterEditor::event(QEvent* event) {
    // Level with the headings beside it, which share their line with a field.
    if (event->type() == QEvent::Polish) m_title->setMinimumHeight(m_first->sizeHint().height());
    return QWidget::event(event);
}

void FilterEditor::showSlider() {
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(sliderPlace(m_scan.request().job.filter.cutoff));
}

}  // namespace gantry
