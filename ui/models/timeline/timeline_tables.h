#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "ui/models/timeline/timeline_snapshot.h"

namespace gantry {

/// One row for each stage: its time in the run, or in a part of it, and its rate, beside the
/// forecast of the whole.
/// Tests: tests/ui/models/timeline_tables_test.cpp
class StageTable : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { stageColumn, timeColumn, shareColumn, rateColumn, forecastColumn, columnTotal };

    using QAbstractTableModel::QAbstractTableModel;

    void show(const TimelineSummary& summary, const std::optional<Forecast>& forecast);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    [[nodiscard]] QString text(Stage stage, int column) const;

    TimelineSummary m_summary;
    std::optional<Forecast> m_forecast;
    std::vector<Stage> m_stages;
};

/// The longest gaps of lanes, each with its cause, longest first.
class GapTable : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { lengthColumn, laneColumn, causeColumn, columnTotal };

    using QAbstractTableModel::QAbstractTableModel;

    void show(const TimelineSnapshot& snapshot);
    void clear();
    /// Null if there is no such row.
    [[nodiscard]] const LaneGap* gap(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    struct Row {
        QString lane;
        LaneGap gap;
    };
    std::vector<Row> m_rows;
};

/// Explains a stage, for tool tips.
[[nodiscard]] QString stageSentence(Stage stage);

}  // namespace gantry
