#include "ui/models/job/job_request.h"

#include <QStringList>

#include "core/base/text.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/io/series/view_numbers.h"
#include "ui/models/job/engine_text.h"
#include "ui/models/job/job_volume.h"
#include "ui/models/job/option_text.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

class Lines {
  public:
    void begin(const QString& group) { m_group = group; }
    void add(const QString& label, const QString& value) {
        m_lines.push_back({m_group, label, value});
    }
    // label: of an option's row
    void add(const FieldOption& option, const QString& value) {
        add(optionText(option.label), value);
    }
    // The option as its row calls what it is.
    void addChoice(const JobSpec& spec, std::string_view path) {
        add(jobOption(path).option, choiceText(spec, path));
    }
    [[nodiscard]] std::vector<RequestLine> take() { return std::move(m_lines); }

  private:
    QString m_group;
    std::vector<RequestLine> m_lines;
};

QString mm(double value) {
    return numberText(value, 6) + " mm";
}

QString mmPair(const std::array<double, 2>& values, const QString& between) {
    return numberText(values[0], 6) + between + mm(values[1]);
}

QString degreeText(double value) {
    return numberText(value, 6) + QString::fromUtf8("°");
}

void addPoses(const MeanCircle& circle, Lines& lines) {
    lines.add(tr("Trajectory"), tr("calibrated poses, one a view"));
    lines.add(tr("Mean source–axis distance"), mm(circle.mean.sourceToAxisMm));
    lines.add(tr("Mean source–detector distance"), mm(circle.mean.sourceToDetectorMm));
    lines.add(tr("Off the mean circle"),
              tr("sources %1, detectors %2 on average")
                  .arg(mm(circle.sourceRmsMm), mm(circle.detectorRmsMm)));
}

void addAngles(const GantryAngles& angles, Lines& lines) {
    if (angles.anglesDeg.empty())
        lines.add(tr("Arc"),
                  tr("%1 from %2").arg(degreeText(angles.arcDeg), degreeText(angles.startDeg)));
    else
        lines.add(tr("Angles"), tr("listed, %1 to %2")
                                    .arg(degreeText(angles.anglesDeg.front()),
                                         degreeText(angles.anglesDeg.back())));
}

void addCircle(const CircularCone& cone, Lines& lines) {
    addAngles(cone, lines);
    lines.add(tr("Source–object distance"), mm(cone.sourceToIsocenterMm));
    lines.add(tr("Source–detector distance"), mm(cone.sourceToDetectorMm));
    lines.add(tr("Source offset"), mmPair(cone.sourceOffsetMm, ", "));
}

void addScan(const ScanFile& scan, Lines& lines) {
    const ScanGeometry& geometry = scan.geometry;
    const Detector& detector = geometry.detector;
    lines.begin(tr("Scan"));
    lines.add(tr("Name"), QString::fromStdString(scan.name));
    lines.add(tr("File"), toText(scan.path));
    lines.add(tr("Views"), QString::number(geometry.views()));
    if (const std::vector<Index>& skipped = scan.projections.skipViews; !skipped.empty())
        lines.add(tr("Left out, counted from 0"), QString::fromStdString(viewNumbersText(skipped)));
    if (const CalibratedPoses* poses = geometry.poses())
        addPoses(poses->meanCircle(), lines);
    else if (geometry.isCone())
        addCircle(geometry.cone(), lines);
    else {
        lines.add(tr("Trajectory"), tr("parallel beam"));
        addAngles(geometry.angles(), lines);
    }
    lines.begin(tr("Detector"));
    lines.add(tr("Size"), tr("%1 × %2 pixels").arg(detector.columns).arg(detector.rows));
    lines.add(tr("Pixel pitch"), mmPair(detector.pitchMm, " × "));
    lines.add(tr("Offset"), mmPair(detector.offsetMm, ", "));
    lines.add(tr("Roll, tilt, slant"),
              QString("%1, %2, %3")
                  .arg(degreeText(detector.rollDeg), degreeText(detector.tiltDeg),
                       degreeText(detector.slantDeg)));
}

void addVolume(const VolumeGrid& grid, Lines& lines) {
    lines.begin(tr("Volume"));
    const auto add = [&](std::string_view path, const QString& text, const auto& numbers) {
        lines.add(fieldOf(gridFields(), path).option,
                  text.arg(numberText(static_cast<double>(numbers[0]), 6),
                           numberText(static_cast<double>(numbers[1]), 6),
                           numberText(static_cast<double>(numbers[2]), 6)));
    };
    add("voxels", QString("%1 × %2 × %3"), grid.voxels);
    add("pitchMm", QString("%1 × %2 × %3 mm"), grid.pitchMm);
    add("centerMm", QString("%1, %2, %3 mm"), grid.centerMm);
    lines.add(tr("Extent"), boxText(grid));
}

QString engineOf(const JobSpec& spec) {
    const QString engine =
        spec.engine == Engine::automatic ? tr("automatic") : choiceText(spec, "engine");
    return asksForCpu(spec) ? tr("%1, reference kernel").arg(engine) : engine;
}

// Adds the GPU options that differ from the defaults.
void addGpu(const JobSpec& spec, Lines& lines) {
    if (spec.engine == Engine::cpu || asksForCpu(spec)) return;
    if (spec.fast) lines.add(jobOption("precision").option, tr("fast: %1").arg(fastErrorText()));
    if (spec.gpuKernel != kAnyKernel)
        lines.add(jobOption("gpuKernel").option, QString::fromStdString(spec.gpuKernel));
    if (spec.filterOn != FilterOn::automatic) lines.addChoice(spec, "filterOn");
    QStringList devices;
    for (const int device : spec.devices)
        devices << QString::number(device);
    if (!devices.isEmpty()) lines.add(tr("GPUs"), devices.join(", "));
    if (spec.deviceMemoryBytes > 0)
        lines.add(
            jobOption("deviceMemoryBytes").option,
            tr("at most %1 each").arg(QString::fromStdString(formatBytes(spec.deviceMemoryBytes))));
}

void addOutput(const JobSpec& spec, Lines& lines) {
    const OutputFormat& output = spec.output;
    lines.begin(tr("Output"));
    lines.add(tr("Volume"), toText(output.path));
    lines.addChoice(spec, "output.type");
    if (output.range)
        lines.add(tr("Range"),
                  QString("%1 to %2 /mm")
                      .arg(numberText((*output.range)[0], 6), numberText((*output.range)[1], 6)));
}

}  // namespace

std::vector<RequestLine> requestLines(const JobSpec& spec) {
    Lines lines;
    addScan(spec.scan, lines);
    addVolume(spec.volume, lines);
    lines.begin(tr("Filter"));
    lines.addChoice(spec, "filter.window");
    lines.add(jobOption("filter.cutoff").option,
              tr("%1 of the Nyquist frequency").arg(numberText(spec.filter.cutoff)));
    lines.begin(tr("Engine"));
    lines.add(jobOption("engine").option, engineOf(spec));
    addGpu(spec, lines);
    lines.add(jobOption("threads").option,
              spec.threads > 0 ? QString::number(spec.threads) : tr("all of the machine"));
    if (spec.ranks > 1) lines.add(jobOption("ranks").option, QString::number(spec.ranks));
    lines.add(tr("Memory"),
              spec.memoryBytes > 0
                  ? tr("at most %1").arg(QString::fromStdString(formatBytes(spec.memoryBytes)))
                  : tr("most of what is free"));
    lines.add(tr("Batch"), tr("%1 views").arg(spec.batchViews));
    addOutput(spec, lines);
    return lines.take();
}

}  // namespace gantry
