#include "ui/models/timeline/timeline_tables.h"

#include <algorithm>

#include "ui/models/timeline/stage_colours.h"
#include "ui/models/timeline/timeline_hit.h"

namespace gantry {

namespace {

int aligned(bool right) {
    return static_cast<int>((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

// A short text for a gap's cause; the whole sentence is its tool tip.
QString awaited(const LaneGap& gap) {
    QString stage = gap.stage ? stageTitle(*gap.stage) : QString();
    switch (gap.cause) {
        case GapCause::start:
            return gap.stage ? GapTable::tr("%1, first batch").arg(stage)
                             : GapTable::tr("its start");
        case GapCause::input:
            return stage;
        case GapCause::room:
            return GapTable::tr("%1 to make room").arg(stage);
        case GapCause::end:
            return GapTable::tr("the end of the run");
        case GapCause::broken:
            return GapTable::tr("interrupted");
        case GapCause::unknown:
            break;
    }
    return GapTable::tr("no stage at work");
}

}  // namespace

QString stageSentence(Stage stage) {
    switch (stage) {
        case Stage::load:
            return StageTable::tr("Reads the views from their files.");
        case Stage::correct:
            return StageTable::tr("Takes zingers, phase fringes and rings off the views.");
        case Stage::prepare:
            return StageTable::tr(
                "Turns counts into line integrals with the dark and flat fields.");
        case Stage::filter:
            return StageTable::tr("Weights and ramp-filters every detector row.");
        case Stage::gather:
            return StageTable::tr("Exchanges filtered views between ranks.");
        case Stage::upload:
            return StageTable::tr("Moves views to the device.");
        case Stage::project:
            return StageTable::tr("Computes the line integrals of the volume.");
        case Stage::backproject:
            return StageTable::tr("Smears the views back into the volume.");
        case Stage::download:
            return StageTable::tr("Takes finished slices from the engine.");
        case Stage::reduce:
            return StageTable::tr("Adds up the parts of several ranks.");
        case Stage::store:
            return StageTable::tr("Writes finished slices to the volume's file.");
    }
    return {};
}

void StageTable::show(const TimelineSummary& summary, const std::optional<Forecast>& forecast) {
    std::vector<Stage> stages;
    for (int i = 0; i < kStageCount; ++i) {
        const auto stage = static_cast<Stage>(i);
        if (summary.stages[i].spans > 0 || (forecast && laneSecondsOf(*forecast, stage) > 0))
            stages.push_back(stage);
    }
    const bool sameRows = stages == m_stages;
    if (!sameRows) beginResetModel();
    m_summary = summary;
    m_forecast = forecast;
    m_stages = std::move(stages);
    if (!sameRows)
        endResetModel();
    else if (!m_stages.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1));
}

int StageTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_stages.size());
}

int StageTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columnTotal;
}

QString StageTable::text(Stage stage, int column) const {
    const StageTotal& total = m_summary.stages[static_cast<std::size_t>(stage)];
    switch (column) {
        case stageColumn:
            return stageTitle(stage);
        case timeColumn:
            return total.spans > 0 ? QString::fromStdString(formatSpanTime(total.seconds)) : "–";
        case shareColumn:
            return m_summary.wallSeconds > 0 && total.spans > 0
                       ? QString("%1 %").arg(
                             QString::number(100 * total.seconds / m_summary.wallSeconds, 'f', 0))
                       : "–";
        case rateColumn:
            return rateText(total);
        case forecastColumn: {
            const double seconds = m_forecast ? laneSecondsOf(*m_forecast, stage) : 0;
            return seconds > 0 ? QString::fromStdString(formatSpanTime(seconds)) : "–";
        }
        default:
            return {};
    }
}

QVariant StageTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Stage stage = m_stages[index.row()];
    if (role == Qt::DisplayRole) return text(stage, index.column());
    if (role == Qt::DecorationRole && index.column() == stageColumn) return stageColour(stage);
    if (role == Qt::TextAlignmentRole) return aligned(index.column() != stageColumn);
    if (role != Qt::ToolTipRole) return {};
    const bool bounds = m_summary.boundingStage == static_cast<int>(stage);
    const auto spans = m_summary.stages[static_cast<std::size_t>(stage)].spans;
    return stageSentence(stage) + " " + tr("Spans: %1.").arg(spans) +
           (bounds ? " " + tr("It took the longest, so it bounds the run.") : QString());
}

QVariant StageTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return aligned(section != stageColumn);
    if (role == Qt::DisplayRole) switch (section) {
            case stageColumn:
                return tr("Stage");
            case timeColumn:
                return tr("Measured");
            case shareColumn:
                return tr("Share");
            case rateColumn:
                return tr("Rate");
            case forecastColumn:
                return tr("Forecast");
            default:
                return {};
        }
    if (role == Qt::ToolTipRole) switch (section) {
            case timeColumn:
                return tr("Seconds that the stage worked, all lanes together");
            case shareColumn:
                return tr(
                    "Part of the wall time in which the stage worked; stages that overlap "
                    "add up to more than 100 %");
            case rateColumn:
                return tr("Bytes a second, or voxel updates a second (1 GUPS: 2³⁰), while at work");
            case forecastColumn:
                return tr("Forecast of the whole job before it began, all lanes together");
            default:
                return {};
        }
    return {};
}

void GapTable::show(const TimelineSnapshot& snapshot) {
    constexpr std::size_t kMaxRows = 40;
    constexpr double kMinShare = 0.001;  // of the run: shorter gaps are not worth a row
    std::vector<Row> rows;
    const double run = 1e-9 * static_cast<double>(snapshot.run().lengthNs());
    for (const LaneUse& use : snapshot.uses)
        for (const LaneGap& gap : use.gaps)
            if (gap.seconds() >= kMinShare * run)
                rows.push_back({laneTitle(snapshot, use.rank, use.lane), gap});
    std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
        return a.gap.endNs - a.gap.beginNs > b.gap.endNs - b.gap.beginNs;
    });
    if (rows.size() > kMaxRows) rows.resize(kMaxRows);
    const bool sameRows = rows.size() == m_rows.size();
    if (!sameRows) beginResetModel();
    m_rows = std::move(rows);
    if (!sameRows)
        endResetModel();
    else if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1));
}

void GapTable::clear() {
    if (m_rows.empty()) return;
    beginResetModel();
    m_rows.clear();
    endResetModel();
}

const LaneGap* GapTable::gap(int row) const {
    return row >= 0 && row < rowCount() ? &m_rows[row].gap : nullptr;
}

int GapTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int GapTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columnTotal;
}

QVariant GapTable::data(const QModelIndex& index, int role) const {
    if (!gap(index.row())) return {};
    const Row& row = m_rows[index.row()];
    const int column = index.column();
    if (role == Qt::TextAlignmentRole) return aligned(column == lengthColumn);
    if (role == Qt::DecorationRole && column == causeColumn && row.gap.stage)
        return stageColour(*row.gap.stage);
    if (role == Qt::ToolTipRole)
        return tr("%1 %2, from %3. Click to see it.")
            .arg(row.lane, QString::fromStdString(describe(row.gap)),
                 momentText(row.gap.beginNs, row.gap.endNs - row.gap.beginNs));
    if (role != Qt::DisplayRole) return {};
    if (column == lengthColumn) return QString::fromStdString(formatSpanTime(row.gap.seconds()));
    return column == laneColumn ? row.lane : awaited(row.gap);
}

QVariant GapTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return aligned(section == lengthColumn);
    if (role != Qt::DisplayRole) return {};
    if (section == lengthColumn) return tr("Idle");
    return section == laneColumn ? tr("Lane") : tr("Waited for");
}

}  // namespace gantry
