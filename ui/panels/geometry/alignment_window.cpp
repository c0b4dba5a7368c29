#include "ui/panels/geometry/alignment_window.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

QString withUnit(const QString& number, AlignmentUnit unit) {
    return unit == AlignmentUnit::pixels ? AlignmentRow::tr("%1 px").arg(number)
                                         : AlignmentRow::tr("%1°").arg(number);
}

// Returns as many decimals as show one digit of the uncertainty.
int decimalsFor(const Finding& finding, AlignmentUnit unit) {
    const int max = unit == AlignmentUnit::pixels ? 3 : 4;
    if (!(finding.uncertainty > 0) || !std::isfinite(finding.uncertainty)) return max - 1;
    return std::clamp(static_cast<int>(-std::floor(std::log10(finding.uncertainty))), 1, max);
}

QString changeText(const Finding& finding, AlignmentUnit unit) {
    const int decimals = decimalsFor(finding, unit);
    const double min = std::pow(10, -decimals) / 2;
    const double value = std::abs(finding.value) < min ? 0 : finding.value;
    return withUnit(QString::asprintf("%+.*f", decimals, value), unit);
}

// A reason is a part of a sentence, which may be one of its own.
QString sentenceOf(const QString& reason) {
    if (reason.isEmpty()) return {};
    const QString text = reason.front().toUpper() + reason.mid(1);
    return text.endsWith('.') ? text : text + '.';
}

QString basisOf(const QString& reason) {
    const bool isWhole = reason.isEmpty() || reason.endsWith('.') || reason.front().isUpper();
    return isWhole ? sentenceOf(reason) : AlignmentRow::tr("From %1.").arg(reason);
}

}  // namespace

QString findingText(const Finding& finding, AlignmentUnit unit) {
    if (!finding.isFound) return AlignmentRow::tr("cannot tell");
    const int decimals = decimalsFor(finding, unit);
    const double uncertainty = std::max(finding.uncertainty, std::pow(10, -decimals));
    return AlignmentRow::tr("%1 ± %2").arg(
        changeText(finding, unit), withUnit(QString::number(uncertainty, 'f', decimals), unit));
}

AlignmentRow::AlignmentRow(const QString& name, AlignmentUnit unit, QWidget* parent)
    : QWidget(parent), m_unit(unit) {
    m_check = new QCheckBox(name, this);
    m_valueText = named(new QLabel(this), "value");
    m_valueText->setFont(tabular(font()));
    m_valueText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_reason = named(copyable(new QLabel(this)), "reason");
    m_reason->setProperty("muted", true);
    m_reason->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    // The longest there are take two lines.
    m_reason->setMinimumHeight(2 * m_reason->fontMetrics().lineSpacing());
    auto* grid = spaced(new QGridLayout(this), QSize(kSpacing, kSpacing / 4));
    grid->addWidget(m_check, 0, 0);
    grid->addWidget(m_valueText, 0, 1, Qt::AlignRight);
    grid->addWidget(m_reason, 1, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    connect(m_check, &QCheckBox::toggled, this, &AlignmentRow::chosenChanged);
    clear();
}

void AlignmentRow::showFinding(const Finding& finding, const QString& more) {
    m_value = finding.value;
    m_change = changeText(finding, m_unit);
    const QString reason = QString::fromStdString(finding.reason);
    QString sentence = finding.isFound ? basisOf(reason) : sentenceOf(reason);
    // Roll and tilt cost every view a resampling.
    const bool isWorthIt = m_unit == AlignmentUnit::pixels || finding.isSignificant();
    if (finding.isFound && !isWorthIt)
        sentence += ' ' + tr("No more than its uncertainty: nothing to change.");
    show(findingText(finding, m_unit), more.isEmpty() ? sentence : more + ' ' + sentence,
         finding.isFound, isWorthIt);
}

void AlignmentRow::clear() {
    m_value = 0;
    m_change.clear();
    show(tr("–"), {}, false, false);
}

void AlignmentRow::show(const QString& value, const QString& reason, bool isFound, bool isChosen) {
    const QSignalBlocker quiet(m_check);
    m_check->setEnabled(isFound);
    m_check->setChecked(isFound && isChosen);
    m_check->setAccessibleName(m_check->text() + ": " + value);
    m_check->setAccessibleDescription(reason);
    m_valueText->setText(value);
    m_reason->setText(reason);
}

bool AlignmentRow::isChosen() const {
    return m_check->isEnabled() && m_check->isChecked();
}

QString AlignmentRow::name() const {
    return m_check->text();
}

QString AlignmentRow::change() const {
    return m_check->text() + ' ' + m_change;
}

AlignmentWindow::AlignmentWindow(ScanDocument& scan, QWidget* parent)
    : ScanSearchWindow(
          scan, {"alignmentState", "alignmentProgress", "useAlignment", "closeAlignment"}, parent) {
    setObjectName("alignmentWindow");
    setWindowTitle(tr("Find the centre of rotation"));
    build();
    search();
}

void AlignmentWindow::build() {
    constexpr QSize kSize(560, 540);
    resize(kSize);
    auto* column = spaced(new QVBoxLayout(this), kSpacing, 2 * kSpacing);
    addSearchRow(*column);
    addFinders(*column);
    column->addSpacing(kSpacing / 2);
    const auto addRow = [&](const char* name, const QString& text, const QString& toolTip,
                            AlignmentUnit unit) {
        auto* row = named(new AlignmentRow(text, unit, this), name, toolTip);
        connect(row, &AlignmentRow::chosenChanged, this, &AlignmentWindow::showState);
        column->addWidget(row);
        return row;
    };
    m_centre = addRow(
        "centre", tr("Centre of rotation"),
        tr("How many pixels farther along u the rotation axis is seen than the geometry says."),
        AlignmentUnit::pixels);
    m_roll =
        addRow("roll", tr("Roll"), tr("The change of the detector's rotation in its own plane."),
               AlignmentUnit::degrees);
    m_tilt =
        addRow("tilt", tr("Tilt"), tr("The change of the detector's rotation about its u axis."),
               AlignmentUnit::degrees);
    m_curve = named(new ProfilePlot(this), "centreCurve");
    m_curve->setAccessibleName(tr("Misfit of the views at every centre that was tried"));
    m_curve->setEmptyText(tr("How well the views fit each other at every centre that is tried."));
    column->addWidget(m_curve, 1);
    addButtons(*column, tr("Use"), tr("Changes the geometry by what is checked; can be undone."));
}

void AlignmentWindow::addFinders(QBoxLayout& column) {
    m_finder = named(
        new QComboBox(this), "centreFrom",
        tr("Automatic takes the first that can tell. Choosing another one searches again: two that "
           "agree confirm each other."));
    const auto add = [this](const QString& text, CentreFinder finder) {
        m_finder->addItem(text, static_cast<int>(finder));
    };
    add(tr("Automatic"), CentreFinder::automatic);
    add(tr("Rays measured from both ends"), CentreFinder::rays);
    add(tr("Views half a turn apart (parallel beam)"), CentreFinder::pairs);
    add(tr("Sharpness of slices"), CentreFinder::slices);
    connect(m_finder, &QComboBox::activated, this, &AlignmentWindow::search);
    auto* label = new QLabel(tr("Centre from"), this);
    label->setBuddy(m_finder);
    auto* row = spaced(new QHBoxLayout, kSpacing);
    row->addWidget(label);
    row->addWidget(m_finder, 1);
    column.addLayout(row);
}

void AlignmentWindow::startSearch(std::shared_ptr<const OpenScan> open) {
    run([open = std::move(open),
         finder = static_cast<CentreFinder>(m_finder->currentData().toInt())](
            const SearchControl& control) { return searchAlignment(*open, finder, control); },
        [this](const Alignment& found) { takeResult(found); });
}

void AlignmentWindow::clearResult() {
    m_found.reset();
    for (AlignmentRow* row : {m_centre, m_roll, m_tilt})
        row->clear();
    showCurve();
}

void AlignmentWindow::takeResult(const Alignment& found) {
    m_found = found;
    const auto column = [](double value) { return QString::number(value, 'f', 2); };
    const QString columns =
        found.centre.isFound
            ? tr("Column %1 instead of %2.")
                  .arg(
                      column(withMisalignment(searched().geometry, {.centrePx = found.centre.value})
                                 .axisColumn()),
                      column(found.centreColumn))
            : QString();
    m_centre->showFinding(found.centre, columns);
    m_roll->showFinding(found.roll);
    m_tilt->showFinding(found.tilt);
    showCurve();
    endWithResult();
}

void AlignmentWindow::takeChosen() {
    QStringList names;
    QStringList changes;
    for (const AlignmentRow* row : {m_centre, m_roll, m_tilt}) {
        if (!row->isChosen()) continue;
        names << row->name();
        changes << row->change();
    }
    Request request = scan().request();
    ScanGeometry& geometry = request.job.scan.geometry;
    geometry = withMisalignment(geometry, {.centrePx = m_centre->chosenValue(),
                                           .rollDeg = m_roll->chosenValue(),
                                           .tiltDeg = m_tilt->chosenValue()});
    scan().editAndTell(
        std::move(request), tr("Correct %1").arg(names.join(", ").toLower()),
        tr("Corrected by what the views say: %1.").arg(changes.join(", ").toLower()));
}

bool AlignmentWindow::isAnyChosen() const {
    return m_centre->isChosen() || m_roll->isChosen() || m_tilt->isChosen();
}

void AlignmentWindow::showResult() {
    const int count = static_cast<int>(m_found->centre.isFound) +
                      static_cast<int>(m_found->roll.isFound) +
                      static_cast<int>(m_found->tilt.isFound);
    constexpr int kAll = 3;
    if (count == kAll)
        showSentence(state(), tr("Centre of rotation, roll and tilt were found."),
                     SentenceKind::good);
    else if (count > 0)
        showSentence(state(), tr("Not all was found: below is why, and what can be used."));
    else
        showSentence(state(), tr("The views do not tell how the detector stands: below is why."),
                     SentenceKind::warning);
}

void AlignmentWindow::showCurve() {
    std::vector<ProfilePlot::Curve> curves;
    ProfilePlot::XAxis x{tr("change"), tr("px")};
    if (m_found && m_found->centre.tried.size() > 1) {
        const std::vector<double>& tried = m_found->centre.tried;
        x.first = tried.front();
        x.step = (tried.back() - tried.front()) / static_cast<double>(tried.size() - 1);
        curves.push_back({tr("misfit of the views (least at the centre)"),
                          {},
                          themeOf(*this).accent,
                          m_found->centre.scores});
    }
    m_curve->setCurves(std::move(curves), x);
}

void AlignmentWindow::changeEvent(QEvent* event) {
    // The curve's colour is the theme's.
    if (event->type() == QEvent::PaletteChange && m_curve) showCurve();
    QDialog::changeEvent(event);
}

}  // namespace gantry
