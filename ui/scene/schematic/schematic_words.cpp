#include "ui/scene/schematic/schematic_words.h"

#include <QCoreApplication>

#include "ui/models/text.h"

namespace gantry {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("gantry::SchematicView", text);
}

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
            .arg(grid.voxels[static_cast<std::size_t>(handle.axis)]);
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

}  // namespace gantry
