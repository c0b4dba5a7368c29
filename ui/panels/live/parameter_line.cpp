#include "ui/panels/live/parameter_line.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <cmath>

#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

QString liveParameterHelp() {
    return ParameterLine::tr("What the slider moves and the filmstrip shows a range of.");
}

constexpr int kSliderReach = 400;  // steps to either side
constexpr int kPageSteps = 20;

}  // namespace

ParameterLine::ParameterLine(ScanDocument& scan, QWidget* parent)
    : QWidget(parent), m_scan(scan), m_parameters(liveParameters(scan.request().job.scan)) {
    m_choice = named(new QComboBox(this), "liveParameter", liveParameterHelp());
    m_choice->setAccessibleName(liveParameterHelp());
    m_slider = named(new QSlider(Qt::Horizontal, this), "parameterSlider");
    m_slider->setRange(-kSliderReach, kSliderReach);
    m_slider->setPageStep(kPageSteps);
    m_slider->setMinimumWidth(10 * kSpacing);
    m_value = named(new QLabel(this), "parameterValue");
    m_value->setMinimumWidth(m_value->fontMetrics().horizontalAdvance("−0000.00 mm"));
    m_value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_filmstrip = named(
        new QPushButton(tr("Filmstrip"), this), "filmstripButton",
        tr("Shows the axial slice for a range of values about the present one, to pick the best "
           "from."));
    m_filmstrip->setCheckable(true);

    auto* line = spaced(new QHBoxLayout(this), kSpacing);
    line->addWidget(m_choice);
    line->addWidget(m_slider, 1);
    line->addWidget(m_value);
    line->addWidget(m_filmstrip);
    setFocusProxy(m_slider);
    begin();

    connect(m_choice, &QComboBox::currentIndexChanged, this, [this] {
        showParameter();
        emit parameterChanged();
    });
    connect(m_slider, &QSlider::valueChanged, this, [this](int steps) {
        setValue(start() + steps * parameter().step, QStringLiteral("live/slider"));
    });
    connect(m_filmstrip, &QPushButton::toggled, this, &ParameterLine::filmstripToggled);
}

void ParameterLine::begin() {
    const ScanFile& scan = m_scan.request().job.scan;
    m_parameters = liveParameters(scan);
    m_starts.clear();
    const QSignalBlocker quiet(m_choice);
    const int chosen = m_choice->currentIndex();
    m_choice->clear();
    for (const LiveParameter& one : m_parameters) {
        m_starts.push_back(one.field.number(scan));
        m_choice->addItem(one.field.label);
    }
    m_choice->setCurrentIndex(chosen >= 0 && chosen < m_choice->count() ? chosen : 0);
    showParameter();
}

const LiveParameter& ParameterLine::parameter() const {
    return m_parameters[m_choice->currentIndex()];
}

double ParameterLine::start() const {
    return m_starts[m_choice->currentIndex()];
}

double ParameterLine::value() const {
    return parameter().field.number(m_scan.request().job.scan);
}

void ParameterLine::setValue(double value, const QString& gesture) {
    const LiveParameter& one = parameter();
    m_scan.editJob([&](JobSpec& job) { one.field.assign(job.scan, value); }, one.change(),
                   gesture.isEmpty() ? gesture : gesture + "/" + one.field.name);
}

void ParameterLine::showParameter() {
    const LiveParameter& one = parameter();
    m_slider->setToolTip(
        tr("Arrow keys: %1; Page up and down: twenty times as much. Edits the geometry.")
            .arg(one.field.text(one.step)));
    m_slider->setAccessibleName(one.field.label);
    refresh();
}

void ParameterLine::refresh() {
    const double now = value();
    if (!std::isfinite(now)) return;
    m_value->setText(text(now));
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(static_cast<int>(std::lround((now - start()) / parameter().step)));
}

}  // namespace gantry
