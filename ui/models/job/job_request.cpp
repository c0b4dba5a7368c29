#include "ui/models/job/job_request.h"

#include <QStringList>
#include <type_traits>

#include "core/base/text.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/io/series/view_numbers.h"
#include "core/job/job_fields.h"
#include "ui/models/job/job_volume.h"
#include "ui/models/job/option_text.h"
#include "ui/models/scan/geometry_form.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

class Lines {
  public:
    void begin(const QString& group) { m_group = group; }
    /// A field without a value has no line.
    void add(const QString& label, const QString& value) {
        if (!value.isEmpty()) m_lines.push_back({m_group, label, value});
    }
    [[nodiscard]] std::vector<RequestLine> take() { return std::move(m_lines); }

  private:
    QString m_group;
    std::vector<RequestLine> m_lines;
};

// The value of a row of a table as a person reads it, with its unit; empty where there is none.
struct ValueText {
    const FieldShape& shape;
    const FieldOption& option;
    std::span<const FieldWord> words;
    QString between = ", ";

    QString operator()(std::monostate) const { return {}; }
    QString operator()(bool isOn) const { return isOn ? tr("yes") : tr("no"); }
    QString operator()(Index number) const {
        if (number == 0 && !option.absent.empty()) return optionText(option.absent);
        return shape.unit == "bytes" ? QString::fromStdString(formatBytes(number))
                                     : withUnit(QString::number(number));
    }
    QString operator()(double number) const { return withUnit(numberText(number, kFormDigits)); }
    QString operator()(const std::string& text) const {
        const std::size_t place = placeOf(text, words);
        if (place < words.size() && !words[place].label.empty())
            return optionText(words[place].label);
        return text.empty() ? optionText(option.absent) : QString::fromStdString(text);
    }
    template <class T>
    QString operator()(const std::vector<T>& all) const {
        QStringList texts;
        for (const T& one : all) {
            if constexpr (std::is_same_v<T, std::string>)
                texts << QString::fromStdString(one);
            else
                texts << numberText(static_cast<double>(one), kFormDigits);
        }
        return texts.isEmpty() ? optionText(option.absent) : withUnit(texts.join(between));
    }

  private:
    [[nodiscard]] QString withUnit(const QString& number) const {
        const QString unit = optionText(option.unit.empty() ? shape.unit : option.unit);
        if (unit.isEmpty()) return number;
        return unit == QString::fromUtf8("°") ? number + unit : number + ' ' + unit;
    }
};

template <class Owner>
QString textOf(const FileField<Owner>& row, const FieldValue& value,
               const QString& between = ", ") {
    return std::visit(ValueText{row.shape, row.option, row.words(), between}, value);
}

void addPoses(const CalibratedPoses& poses, Lines& lines) {
    const auto mm = [](double value) { return numberText(value, 6) + " mm"; };
    const MeanCircle& circle = poses.meanCircle();
    lines.add(tr("Views"), QString::number(poses.views()));
    lines.add(tr("Trajectory"), tr("calibrated poses, one a view"));
    lines.add(tr("Mean source–axis distance"), mm(circle.mean.sourceToAxisMm));
    lines.add(tr("Mean source–detector distance"), mm(circle.mean.sourceToDetectorMm));
    lines.add(tr("Off the mean circle"),
              tr("sources %1, detectors %2 on average")
                  .arg(mm(circle.sourceRmsMm), mm(circle.detectorRmsMm)));
}

// The scan, with the fields that its form has.
void addScan(const ScanFile& scan, Lines& lines) {
    lines.begin(tr("Scan"));
    lines.add(tr("Name"), QString::fromStdString(scan.name));
    lines.add(tr("File"), toText(scan.path));
    if (const std::vector<Index>& skipped = scan.projections.skipViews; !skipped.empty())
        lines.add(tr("Left out, counted from 0"), QString::fromStdString(viewNumbersText(skipped)));
    if (const CalibratedPoses* poses = scan.geometry.poses()) addPoses(*poses, lines);
    for (const ScanField& field : scanFields()) {
        lines.begin(field.group);
        if (!field.applies(scan)) continue;
        lines.add(field.label, field.kind() == FieldKind::numbers
                                   ? anglesText(scan.geometry)
                                   : textOf(*field.row, field.value(scan)));
    }
}

void addVolume(const VolumeGrid& grid, Lines& lines) {
    lines.begin(tr("Volume"));
    for (const FileField<VolumeGrid>& row : gridFields())
        lines.add(optionText(row.option.label),
                  textOf(row, row.value(grid), row.shape.name == "centerMm" ? ", " : " × "));
    lines.add(tr("Extent"), boxText(grid));
}

QString groupOf(std::string_view section) {
    return section == "method"   ? tr("Method")
           : section == "filter" ? tr("Filter")
           : section == "prep"   ? tr("Corrections")
           : section == "output" ? tr("Output")
                                 : tr("Engine");
}

}  // namespace

std::vector<RequestLine> requestLines(const JobSpec& spec) {
    Lines lines;
    addScan(spec.scan, lines);
    addVolume(spec.volume, lines);
    for (const FileField<JobSpec>& row : jobFields()) {
        lines.begin(groupOf(row.shape.section));
        if (row.shape.path() == "output.path") lines.add(tr("Volume"), toText(spec.output.path));
        if (row.option.label.empty() || (row.applies && !row.applies(spec))) continue;
        const bool isRange = row.kind() == FieldKind::optionalPair;
        lines.add(optionText(row.option.label),
                  textOf(row, row.value(spec), isRange ? tr(" to ") : ", "));
    }
    return lines.take();
}

}  // namespace gantry
