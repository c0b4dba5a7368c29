#include "ui/models/scan/pose_table.h"

#include <cmath>
#include <utility>

#include "core/io/scan_file/pose_file.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

constexpr int kNumbers = static_cast<int>(kPoseColumns.size());
constexpr int kColumns = kNumbers + 2;

QString headerOf(int column) {
    if (column == kNumbers) return tr("Source off circle, mm");
    if (column == kNumbers + 1) return tr("Detector off circle, mm");
    constexpr const char* kParts[] = {
        QT_TRANSLATE_NOOP("gantry", "Source"), QT_TRANSLATE_NOOP("gantry", "Detector"),
        QT_TRANSLATE_NOOP("gantry", "u step"), QT_TRANSLATE_NOOP("gantry", "v step")};
    return tr("%1 %2, mm")
        .arg(QCoreApplication::translate("gantry", kParts[column / 3]))
        .arg(QChar('x' + column % 3));
}

}  // namespace

void PoseTable::setPoses(const CalibratedPoses& poses) {
    if (poses == m_poses) return;
    const bool isSameSize = poses.views() == m_poses.views();
    if (!isSameSize) beginResetModel();
    m_poses = poses;
    if (!isSameSize)
        endResetModel();
    else if (poses.views() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int PoseTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_poses.views());
}

int PoseTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant PoseTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
    const auto s = static_cast<std::size_t>(index.row());
    const ViewPose& pose = m_poses.poses()[s];
    const MeanCircle& circle = m_poses.meanCircle();
    if (index.column() == kNumbers) return numberText(circle.sourceResidualMm(pose, s), 3);
    if (index.column() > kNumbers) return numberText(circle.detectorResidualMm(pose, s), 3);
    const double number = numbersOfPose(pose)[index.column()];
    if (role == Qt::EditRole) return number;
    return numberText(number, 8);
}

QVariant PoseTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole) return {};
    if (orientation == Qt::Vertical) return section;  // views are counted from 0
    return headerOf(section);
}

Qt::ItemFlags PoseTable::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() < kNumbers ? flags | Qt::ItemIsEditable : flags;
}

bool PoseTable::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !index.isValid() || index.column() >= kNumbers) return false;
    bool isNumber = false;
    const double number = value.toDouble(&isNumber);
    if (!isNumber || !std::isfinite(number)) return false;
    std::vector<ViewPose> poses = m_poses.poses();
    ViewPose& pose = poses[index.row()];
    auto numbers = numbersOfPose(pose);
    double& place = numbers[index.column()];
    if (place == number) return false;
    place = number;
    pose = poseOfNumbers(numbers);
    emit edited(index.row(), CalibratedPoses(std::move(poses)));
    return true;
}

std::vector<double> differencesFromMean(const CalibratedPoses& poses,
                                        const PoseParameter& parameter) {
    const double mean = parameter.value(poses.meanCircle().mean);
    std::vector<double> differences;
    differences.reserve(poses.poses().size());
    for (const PoseParameters& view : poses.meanCircle().views)
        differences.push_back(parameter.value(view) - mean);
    return differences;
}

QString meanCircleText(const CalibratedPoses& poses) {
    if (poses.views() == 0) return tr("There are no poses.");
    const MeanCircle& circle = poses.meanCircle();
    const FarPose far = farthestPoses(poses, 1).front();
    return tr("Mean circle: SOD %1 mm, SDD %2 mm. Sources lie %3 mm and detectors %4 mm off it on "
              "average; view %5 lies farthest (%6 mm).")
        .arg(numberText(circle.mean.sourceToAxisMm, 6),
             numberText(circle.mean.sourceToDetectorMm, 6), numberText(circle.sourceRmsMm, 3),
             numberText(circle.detectorRmsMm, 3))
        .arg(far.view)
        .arg(numberText(std::max(far.sourceMm, far.detectorMm), 3));
}

}  // namespace gantry
