#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/geometry/views/calibrated_poses.h"

namespace gantry {

/// Calibrated poses as a table: a row a view, the twelve numbers of its pose, and the distances of
/// its source and detector from the mean circle. An edited number is signalled, not stored: the
/// poses come back by setPoses().
/// Tests: tests/ui/models/pose_table_test.cpp
class PoseTable : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit PoseTable(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void setPoses(const CalibratedPoses& poses);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

  signals:
    /// poses: all of them, with one changed
    void edited(int view, const gantry::CalibratedPoses& poses);

  private:
    CalibratedPoses m_poses;
};

/// A parameter in all views minus its mean, for a plot.
[[nodiscard]] std::vector<double> differencesFromMean(const CalibratedPoses& poses,
                                                      const PoseParameter& parameter);

/// "Mean circle: … sources 0.57 mm and detectors 0.61 mm off it on average; view 12 lies farthest."
[[nodiscard]] QString meanCircleText(const CalibratedPoses& poses);

}  // namespace gantry
