#include "ui/panels/shared/corrections_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>

#include "core/geometry/problem_list.h"
#include "ui/panels/shared/corrections_texts.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/scan_document.h"

namespace gantry {
namespace {

// What an operator begins with, until the numbers of his beam and object are typed.
constexpr double kFirstRatio = 1.2;
constexpr PhaseSpec kFirstPhase = {20, 100, 500};

Index odd(double value) {
    return static_cast<Index>(std::lround(value)) | 1;
}

bool hasWidth(const Corrections& c) {
    return c.hasRings() && c.rings.method != RingMethod::wavelets;
}

bool hasWavelets(const Corrections& c) {
    return c.rings.method == RingMethod::wavelets;
}

}  // namespace

CorrectionsEditor::CorrectionsEditor(ScanDocument& scan, QWidget* parent)
    : QWidget(parent), m_scan(scan) {
    m_last.zingers.ratio = kFirstRatio;
    m_last.phase = kFirstPhase;
    m_column = new QVBoxLayout(this);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(kSpacing);
    QWidget* title = heading(texts::corrections(), this);
    title->setToolTip(texts::correctionsPreview());
    m_column->addWidget(title);
    makeRings();
    makeZingers();
    makePhase();
    connect(&m_scan, &ScanDocument::requestChanged, this, &CorrectionsEditor::show);
    connect(&m_scan, &ScanDocument::stateChanged, this, &CorrectionsEditor::show);
    show();
}

void CorrectionsEditor::makeRings() {
    m_rings = new QComboBox(this);
    m_rings->setObjectName("rings");
    m_rings->setToolTip(texts::ringsHelp());
    for (std::size_t i = 0; i < std::size(kRingMethods); ++i) {
        const auto method = static_cast<RingMethod>(i);
        m_rings->addItem(texts::ringMethod(method), static_cast<int>(i));
        m_rings->setItemData(m_rings->count() - 1, texts::ringMethodEffect(method),
                             Qt::ToolTipRole);
    }
    auto* line = new QFormLayout;
    line->addRow(texts::rings(), m_rings);
    m_column->addLayout(line);
    connect(m_rings, &QComboBox::activated, this, [this] {
        const auto method = static_cast<RingMethod>(m_rings->currentData().toInt());
        edit([=](Corrections& c) { c.rings.method = method; }, texts::editRings());
    });
    QFormLayout& width = addGroup(hasWidth);
    addNumber(
        width, {"ringWidth", texts::ringWidth(), texts::ringWidthHelp(), "px", 2, 3, 1001, true},
        texts::editRings(),
        [](const Corrections& c) { return static_cast<double>(c.rings.widthPx); },
        [](Corrections& c, double value) { c.rings.widthPx = odd(value); });
    QFormLayout& wavelets = addGroup(hasWavelets);
    addNumber(
        wavelets, {"ringLevels", texts::ringLevels(), texts::ringLevelsHelp(), {}, 1, 1, 12, true},
        texts::editRings(),
        [](const Corrections& c) { return static_cast<double>(c.rings.levels); },
        [](Corrections& c, double value) {
            c.rings.levels = static_cast<Index>(std::lround(value));
        });
    addNumber(
        wavelets,
        {"ringDamping", texts::ringDamping(), texts::ringDampingHelp(), texts::ringDampingUnit(),
         0.5, 0.1, 100},
        texts::editRings(), [](const Corrections& c) { return c.rings.dampCycles; },
        [](Corrections& c, double value) { c.rings.dampCycles = value; });
}

void CorrectionsEditor::makeZingers() {
    m_zingers = new QCheckBox(texts::zingers(), this);
    m_zingers->setObjectName("zingers");
    m_zingers->setToolTip(texts::zingersHelp());
    m_column->addWidget(m_zingers);
    connect(m_zingers, &QCheckBox::clicked, this, [this](bool isOn) {
        edit([this, isOn](Corrections& c) { c.zingers = isOn ? m_last.zingers : ZingerSpec(); },
             texts::editZingers());
    });
    QFormLayout& form = addGroup([](const Corrections& c) { return c.hasZingers(); });
    addNumber(
        form,
        {"zingerRatio", texts::zingerRatio(), texts::zingerRatioHelp(), texts::zingerRatioUnit(),
         0.05, 1.001, 1000},
        texts::editZingers(), [](const Corrections& c) { return c.zingers.ratio; },
        [](Corrections& c, double value) { c.zingers.ratio = value; });
}

void CorrectionsEditor::makePhase() {
    m_phase = new QCheckBox(texts::phase(), this);
    m_phase->setObjectName("phase");
    m_column->addWidget(m_phase);
    connect(m_phase, &QCheckBox::clicked, this, [this](bool isOn) {
        edit([this, isOn](Corrections& c) { c.phase = isOn ? m_last.phase : PhaseSpec(); },
             texts::editPhase());
    });
    QFormLayout& form = addGroup([](const Corrections& c) { return c.hasPhase(); });
    const auto add = [&](const NumberStyle& style, double PhaseSpec::*number) {
        addNumber(
            form, style, texts::editPhase(), [=](const Corrections& c) { return c.phase.*number; },
            [=](Corrections& c, double value) { c.phase.*number = value; });
    };
    add({"phaseEnergy", texts::phaseEnergy(), texts::phaseEnergyHelp(), "keV", 1, 0.1, 10000},
        &PhaseSpec::energyKeV);
    add({"phaseDistance", texts::phaseDistance(), texts::phaseDistanceHelp(), "mm", 10, 0.001,
         kMostDistanceMm},
        &PhaseSpec::distanceMm);
    add({"phaseMaterial", texts::phaseMaterial(), texts::phaseMaterialHelp(), {}, 10, 1, 1e7},
        &PhaseSpec::deltaOverBeta);
}

QFormLayout& CorrectionsEditor::addGroup(const std::function<bool(const Corrections&)>& counts) {
    auto* fields = new QWidget(this);
    auto* form = new QFormLayout(fields);
    form->setContentsMargins(2 * kSpacing, 0, 0, 0);
    form->setSpacing(kSpacing);
    m_column->addWidget(fields);
    m_groups.push_back({fields, counts});
    return *form;
}

void CorrectionsEditor::addNumber(QFormLayout& form, const NumberStyle& number, const QString& text,
                                  const std::function<double(const Corrections&)>& get,
                                  const std::function<void(Corrections&, double)>& set) {
    NumberField::Style style;
    style.unit = number.unit;
    style.step = number.step;
    style.whole = number.isWhole;
    style.range = NumberField::Range{number.least, number.most};
    auto* field = new NumberField(style, this);
    field->setObjectName(number.name);
    field->setToolTip(number.help);
    auto* label = new QLabel(number.label, this);
    field->attachLabel(label);
    form.addRow(label, field);
    m_numbers.push_back({field, get});
    connect(field, &NumberField::valueEdited, this,
            [=, this, key = QString::fromLatin1(number.name)](double value) {
                edit([&](Corrections& c) { set(c, value); }, text, key);
            });
}

void CorrectionsEditor::edit(const std::function<void(Corrections&)>& change, const QString& text,
                             const QString& mergeKey) {
    Corrections corrections = m_scan.request().job.corrections;
    change(corrections);
    m_scan.editJob([&](JobSpec& job) { job.corrections = corrections; }, text, mergeKey);
    // What was typed may have become another number, as an odd one.
    show();
}

void CorrectionsEditor::show() {
    const JobSpec& job = m_scan.request().job;
    const Corrections& now = job.corrections;
    if (now.hasZingers()) m_last.zingers = now.zingers;
    if (now.hasPhase()) m_last.phase = now.phase;
    const QSignalBlocker quiet(m_rings);
    m_rings->setCurrentIndex(m_rings->findData(static_cast<int>(now.rings.method)));
    m_zingers->setChecked(now.hasZingers());
    m_phase->setChecked(now.hasPhase());
    const bool hasBeam = !m_scan.hasScan() || !job.scan.geometry.poses();
    // What is on can always be switched off.
    m_phase->setEnabled(hasBeam || now.hasPhase());
    m_phase->setToolTip(hasBeam ? texts::phaseHelp() : texts::phaseNeedsOneBeam());
    for (const Number& number : m_numbers)
        number.field->setValue(number.get(now));
    for (const Group& group : m_groups)
        group.fields->setVisible(group.counts(now));
}

}  // namespace gantry
