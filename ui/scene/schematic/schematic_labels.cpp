#include "ui/scene/schematic/schematic_labels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/models/text.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QString axisName(int axis) {
    return QStringList{"x", "y", "z"}.at(axis);
}

double edgeMm(const VolumeGrid& grid, int axis) {
    const auto at = static_cast<std::size_t>(axis);
    return static_cast<double>(grid.voxels[at]) * grid.pitchMm[at];
}

QStringList notToScale(const SchematicScale& scale) {
    const QString heights = tr("heights × %1").arg(numberText(scale.heights, 2));
    const QString shortened = tr("distances shortened");
    QStringList whatIsNot;
    if (scale.isShortened || scale.heights == 1) whatIsNot << shortened;
    if (scale.heights != 1) whatIsNot << heights;
    const QString all = tr("Not to scale: %1");
    return {all.arg(whatIsNot.join(", ")), all.arg('\n' + whatIsNot.join(",\n")),
            tr("Not to scale")};
}

QString offsetText(const Detector& detector, std::size_t axis) {
    const double offset = detector.offsetMm[axis];
    return tr("%1 (%2 px)").arg(lengthText(offset), numberText(offset / detector.pitchMm[axis], 3));
}

}  // namespace

SchematicWords schematicWords(const ScanGeometry& geometry, const VolumeGrid& grid, Index view,
                              const SchematicScale& scale) {
    constexpr int kDistanceDigits = 6;  // distinguish the two
    const SourceDistances source = sourceDistances(geometry);
    const QString sod = tr("SOD %1").arg(lengthText(source.toIsocenterMm, kDistanceDigits));
    const QString sdd = tr("SDD %1").arg(lengthText(source.toDetectorMm, kDistanceDigits));
    SchematicWords words;
    words.distances = {sod + " · " + sdd, sod + '\n' + sdd};
    if (geometry.isParallel()) words.distances = {tr("Parallel beam")};
    if (!scale.isToScale()) words.notToScale = notToScale(scale);
    const QString edges = lengthsText({edgeMm(grid, 0), edgeMm(grid, 1), edgeMm(grid, 2)});
    words.volume = {tr("Volume %1").arg(edges), tr("Volume %1").arg('\n' + edges)};
    const QString number = tr("View %1 of 0–%2").arg(view).arg(geometry.views() - 1);
    const QString angle = tr("at %1°").arg(numberText(geometry.angleDeg(view)));
    words.view = {number + ' ' + angle, number + '\n' + angle, number};
    return words;
}

QString handleValueText(const SchematicHandle& handle, const ScanGeometry& geometry,
                        const VolumeGrid& grid) {
    if (handle.kind == SchematicHandle::Kind::face)
        return tr("%1: %2, %3 voxels")
            .arg(axisName(handle.axis), lengthText(edgeMm(grid, handle.axis)))
            .arg(grid.voxels[handle.axis]);
    const QString u = tr("Offset u %1").arg(offsetText(geometry.detector, 0));
    QString v = tr("Offset v %1").arg(offsetText(geometry.detector, 1));
    if (!handle.isAlongU) return v;
    return handle.isAlongV ? u + '\n' + v : u;
}

QString handleHint(const SchematicHandle& handle) {
    if (handle.kind == SchematicHandle::Kind::face)
        return tr("Drag to change the region of interest along %1; the voxels keep their size. "
                  "Hold Ctrl for fine steps.")
            .arg(axisName(handle.axis));
    if (handle.isAlongU && handle.isAlongV)
        return tr("Drag to change the detector offset along u and v. Hold Ctrl for fine steps.");
    return tr("Drag to change the detector offset along %1. Hold Ctrl for fine steps. Turn the "
              "view to see the detector from the front and change the other one, too.")
        .arg(handle.isAlongU ? "u" : "v");
}

namespace {

QSizeF sizeOf(const QString& line, const QFontMetricsF& metrics) {
    return {std::ceil(metrics.horizontalAdvance(line)), metrics.height()};
}

QStringList linesOf(const QString& form) {
    QStringList lines = form.split('\n');
    for (QString& line : lines)
        line = line.trimmed();
    return lines;
}

qsizetype tellingLetters(const QStringList& lines) {
    qsizetype letters = 0;
    for (const QString& line : lines)
        letters += std::ranges::count_if(line, [](QChar c) { return c.isLetterOrNumber(); });
    return letters;
}

// All choices of one form each: those with the most information first, then those with few lines.
std::vector<QStringList> choicesOf(const std::vector<QStringList>& items) {
    std::vector<QStringList> choices = {{}};
    for (const QStringList& forms : items) {
        std::vector<QStringList> longer;
        for (const QStringList& begun : choices)
            for (const QString& form : forms)
                longer.push_back(begun + linesOf(form));
        choices = std::move(longer);
    }
    std::ranges::stable_sort(choices, {}, [](const QStringList& lines) {
        return std::pair(-tellingLetters(lines), lines.size());
    });
    return choices;
}

}  // namespace

SchematicLabels::SchematicLabels(QRectF view, const QFontMetricsF& metrics, const ViewParts& reach,
                                 const ViewParts& parts)
    : m_view(view),
      m_metrics(metrics),
      m_places(view.adjusted(2, 2, -2, -2)),
      m_reach(reach),
      m_parts(parts) {}

bool SchematicLabels::take(const QRectF& area) {
    for (const ViewParts* parts : {&m_reach, &m_parts}) {
        m_places.avoid(*parts);
        if (!m_places.isFree(area)) continue;
        m_places.keepFree(area);
        return true;
    }
    return false;
}

void SchematicLabels::placeAbove(const QString& name, const SchematicWords& words,
                                 const QColor& colour) {
    std::vector<Item> items;
    if (!name.isEmpty()) items.push_back({formsOfName(name), 2});
    items.push_back({words.distances, 0});
    if (!words.notToScale.isEmpty()) items.push_back({words.notToScale, 1});
    placeStack(items, Edge::upper, colour);
}

void SchematicLabels::placeBelow(const SchematicWords& words, const QColor& colour) {
    placeStack({{words.volume, 1}, {words.view, 0}}, Edge::lower, colour);
}

QStringList SchematicLabels::formsOfName(const QString& name) const {
    QStringList forms = {name};
    for (const double share : {0.9, 0.6, 0.3}) {
        const QString shorter =
            m_metrics.elidedText(name, Qt::ElideMiddle, share * m_view.width() - 2 * kSpacing);
        if (shorter.size() < forms.back().size()) forms << shorter;
    }
    return forms;
}

void SchematicLabels::placeStack(const std::vector<Item>& items, Edge edge, const QColor& colour) {
    // The first words are read often, and must not jump.
    std::vector<const ViewParts*> kept = {&m_reach};
    if (edge == Edge::lower) kept.push_back(&m_parts);
    for (int left = static_cast<int>(items.size()); left > 0; --left) {
        std::vector<QStringList> forms;
        for (const Item& item : items)
            if (item.rank < left) forms.push_back(item.forms);
        for (const ViewParts* parts : kept) {
            m_places.avoid(*parts);
            for (const QStringList& lines : choicesOf(forms))
                if (placeLines(lines, edge, colour)) return;
        }
    }
}

bool SchematicLabels::placeLines(const QStringList& lines, Edge edge, const QColor& colour) {
    std::vector<PlacedWords> placed;
    const double height = m_metrics.lineSpacing() * static_cast<double>(lines.size());
    QPointF at(m_view.left() + kSpacing,
               edge == Edge::upper ? m_view.top() + kSpacing : m_view.bottom() - kSpacing - height);
    for (const QString& line : lines) {
        placed.push_back({line, QRectF(at, sizeOf(line, m_metrics)), colour});
        if (!m_places.isFree(placed.back().area)) return false;
        at.ry() += m_metrics.lineSpacing();
    }
    for (PlacedWords& words : placed) {
        m_places.keepFree(words.area);
        m_placed.push_back(std::move(words));
    }
    return true;
}

void SchematicLabels::placeAt(QPointF point, const QString& text, const QColor& colour) {
    m_places.avoid(m_parts);
    const QRectF area = m_places.take(point, sizeOf(text, m_metrics));
    if (!area.isEmpty()) m_placed.push_back({text, area, colour});
}

std::vector<QRectF> roomsAbove(const QStringList& forms, const QFontMetricsF& metrics) {
    std::vector<QRectF> rooms;
    for (const QString& form : forms) {
        const QStringList lines = linesOf(form);
        double width = 0;
        for (const QString& line : lines)
            width = std::max(width, sizeOf(line, metrics).width());
        rooms.emplace_back(kSpacing, kSpacing, width,
                           metrics.lineSpacing() * static_cast<double>(lines.size()));
    }
    return rooms;
}

}  // namespace gantry
