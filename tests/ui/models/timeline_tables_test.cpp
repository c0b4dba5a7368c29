#include "ui/models/timeline/timeline_tables.h"

#include <gtest/gtest.h>

#include <QColor>
#include <QSignalSpy>

#include "ui/models/timeline/stage_colours.h"

namespace gantry {
namespace {

TimelineSnapshot snapshotOf(int batches) {
    std::vector<TimelineSpan> spans;
    for (int b = 0; b < batches; ++b) {
        const std::int64_t begin = b * 1'000'000'000LL;
        spans.push_back({0, "load", Stage::load, begin, begin + 900'000'000, 0, b, 90'000'000, 0});
        spans.push_back({0, "gpu", Stage::backproject, begin + 900'000'000, begin + 1'000'000'000,
                         0, b, 0, Index{1} << 30});
    }
    TimelineSnapshot snapshot;
    snapshot.store.append(spans);
    snapshot.isOver = true;
    snapshot.uses = laneUse(snapshot.store, true);
    snapshot.summary = snapshot.store.summary();
    return snapshot;
}

QString text(const QAbstractItemModel& model, int row, int column) {
    return model.index(row, column).data().toString();
}

TEST(StageTable, ShowsMeasuredBesideForecast) {
    Forecast forecast;
    forecast.load = 3;
    forecast.store = 0.5;
    forecast.wall = 3.5;
    StageTable table;
    table.show(snapshotOf(4).summary, forecast);
    ASSERT_EQ(table.rowCount(), 3);
    EXPECT_EQ(text(table, 0, StageTable::stageColumn), "load");
    EXPECT_EQ(text(table, 0, StageTable::timeColumn), "3.60 s");
    EXPECT_EQ(text(table, 0, StageTable::shareColumn), "90 %");
    EXPECT_EQ(text(table, 0, StageTable::rateColumn), "100 MB/s");
    EXPECT_EQ(text(table, 0, StageTable::forecastColumn), "3.00 s");
    EXPECT_EQ(text(table, 1, StageTable::rateColumn), "10 GUPS");
    EXPECT_EQ(text(table, 2, StageTable::stageColumn), "store");
    EXPECT_EQ(text(table, 2, StageTable::timeColumn), "–");
    EXPECT_EQ(table.index(1, 0).data(Qt::DecorationRole).value<QColor>(),
              stageColour(Stage::backproject));
    EXPECT_TRUE(table.index(0, 0).data(Qt::ToolTipRole).toString().contains("bounds the run"));
    EXPECT_FALSE(table.index(1, 0).data(Qt::ToolTipRole).toString().contains("bounds the run"));
}

TEST(StageTable, GrowingFiguresDoNotMoveTheRows) {
    StageTable table;
    table.show(snapshotOf(1).summary, {});
    QSignalSpy resets(&table, &QAbstractItemModel::modelReset);
    table.show(snapshotOf(2).summary, {});
    EXPECT_EQ(resets.count(), 0);
    EXPECT_EQ(text(table, 0, StageTable::timeColumn), "1.80 s");
}

TEST(GapTable, NamesTheLongestWithTheirCauses) {
    GapTable table;
    table.show(snapshotOf(3));
    ASSERT_GE(table.rowCount(), 3);
    EXPECT_EQ(text(table, 0, GapTable::lengthColumn), "0.90 s");
    EXPECT_EQ(text(table, 0, GapTable::laneColumn), "gpu");
    EXPECT_EQ(text(table, 1, GapTable::causeColumn), "load");
    EXPECT_TRUE(table.index(1, 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .startsWith("gpu waited 0.90 s for load, from "));
    ASSERT_NE(table.gap(1), nullptr);
    EXPECT_EQ(table.gap(1)->endNs - table.gap(1)->beginNs, 900'000'000);
    EXPECT_EQ(table.gap(-1), nullptr);
    EXPECT_EQ(table.gap(1000), nullptr);
}

}  // namespace
}  // namespace gantry
