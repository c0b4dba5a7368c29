#include "ui/panels/shared/filter_editor.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>
#include <cmath>

#include "ui/models/job/job_request.h"
#include "ui/panels/shared/filter_texts.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/scan_document.h"

namespace gantry {
namespace {

constexpr double kLeastCutoff = 0.05;
constexpr int kSliderSteps = 100;

constexpr FilterWindow kWindows[] = {FilterWindow::ramLak, FilterWindow::sheppLogan,
                                     FilterWindow::cosine, FilterWindow::hamming,
                                     FilterWindow::hann};

}  // namespace

FilterEditor::FilterEditor(ScanDocument& scan, QWidget* parent) : QWidget(parent), m_scan(scan) {
    m_window = new QComboBox(this);
    m_window->setObjectName("filterWindow");
    m_window->setToolTip(texts::filterWindowHelp());
    for (const FilterWindow window : kWindows) {
        m_window->addItem(windowText(window), static_cast<int>(window));
        m_window->setItemData(m_window->count() - 1, texts::windowEffect(window), Qt::ToolTipRole);
    }
    NumberField::Style style;
    style.unit = texts::cutoffUnit();
    style.step = 0.01;
    style.digits = 3;
    style.range = NumberField::Range{kLeastCutoff, 1};
    m_cutoff = new NumberField(style, this);
    m_cutoff->setObjectName("cutoff");
    const QString help = texts::cutoffHelp();
    m_cutoff->setToolTip(help);
    m_slider = new QSlider(Qt::Horizontal, this);
    m_slider->setObjectName("cutoffSlider");
    m_slider->setAccessibleName(texts::cutoff());
    m_slider->setRange(static_cast<int>(std::lround(kLeastCutoff * kSliderSteps)), kSliderSteps);
    m_slider->setToolTip(help);

    auto* label = new QLabel(texts::cutoff(), this);
    m_cutoff->attachLabel(label);
    auto* form = new QFormLayout;
    form->setSpacing(kSpacing);
    form->addRow(texts::filterWindow(), m_window);
    form->addRow(label, m_cutoff);
    form->addRow(m_slider);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpacing / 2);
    QWidget* title = heading(texts::filter(), this);
    // Level with the headings beside it, which share their line with a field.
    title->setMinimumHeight(m_window->sizeHint().height());
    layout->addWidget(title);
    layout->addLayout(form);
    layout->addStretch(1);
    connectParts();
    showFilter();
}

void FilterEditor::connectParts() {
    connect(m_window, &QComboBox::currentIndexChanged, this, [this] {
        FilterSpec filter = m_scan.request().job.filter;
        filter.window = static_cast<FilterWindow>(m_window->currentData().toInt());
        edit(filter, texts::changeFilter(), {});
    });
    const auto setCutoff = [this](double value) {
        FilterSpec filter = m_scan.request().job.filter;
        filter.cutoff = value;
        edit(filter, texts::changeCutoff(), "cutoff");
    };
    connect(m_slider, &QSlider::valueChanged, this,
            [setCutoff](int value) { setCutoff(static_cast<double>(value) / kSliderSteps); });
    connect(m_cutoff, &NumberField::valueEdited, this, setCutoff);
    connect(&m_scan, &ScanDocument::requestChanged, this, &FilterEditor::showFilter);
    connect(&m_scan, &ScanDocument::stateChanged, this, &FilterEditor::showFilter);
}

void FilterEditor::showFilter() {
    const FilterSpec& filter = m_scan.request().job.filter;
    const QSignalBlocker quietWindow(m_window);
    const QSignalBlocker quietSlider(m_slider);
    m_window->setCurrentIndex(m_window->findData(static_cast<int>(filter.window)));
    m_slider->setValue(static_cast<int>(std::lround(filter.cutoff * kSliderSteps)));
    m_cutoff->setValue(filter.cutoff);
}

void FilterEditor::edit(const FilterSpec& filter, const QString& text, const QString& mergeKey) {
    m_scan.editJob([&](JobSpec& job) { job.filter = filter; }, text, mergeKey);
}

}  // namespace gantry
