#include "core/scan/inspect/pixel_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/numbered.h"

namespace gantry {

namespace {

// What is shown beside pixels that stand still: means of all lines, over the views.
std::vector<double> meanOfViews(const std::vector<PictureFacts>& facts,
                                std::vector<double> PictureFacts::*profile) {
    std::vector<double> mean((facts.front().*profile).size());
    for (const PictureFacts& fact : facts)
        for (std::size_t i = 0; i < mean.size(); ++i)
            mean[i] += (fact.*profile)[i] / static_cast<double>(facts.size());
    return mean;
}

// Whether a line shows the same in all views that are looked at. Without noise, a small object may
// pass beside it in the few that were compared pixel by pixel.
bool isUnchanged(const std::vector<PictureFacts>& facts, std::vector<double> PictureFacts::*profile,
                 Index line, double contrast) {
    constexpr double kUnchanged = 0.01;
    const auto [low, high] = std::ranges::minmax(
        facts, {}, [&](const PictureFacts& fact) { return (fact.*profile)[line]; });
    return (high.*profile)[line] - (low.*profile)[line] < kUnchanged * contrast;
}

// The detector seen along its columns or its rows.
class StillLines {
  public:
    StillLines(const RawViews& views, const SourceInfo& info, bool areColumns)
        : m_views(&views), m_info(&info), m_areColumns(areColumns) {}

    [[nodiscard]] Index lines() const { return m_areColumns ? m_info->columns : m_info->rows; }
    [[nodiscard]] bool isStill(Index line) const {
        const Index along = m_areColumns ? m_info->rows : m_info->columns;
        const float value = m_views->first[pixel(line, 0)];
        for (Index i = 0; i < along; ++i)
            if (m_views->isStill[pixel(line, i)] == 0 || m_views->first[pixel(line, i)] != value)
                return false;
        return along > 1 && std::isfinite(value);
    }
    // The first run of still lines between others that show something; at most so many.
    [[nodiscard]] IndexRange find(const std::vector<double>& levels, Index maxLines) const {
        constexpr double kShown = 0.3;
        std::vector<bool> still;
        double largest = 0;
        for (Index line = 0; line < lines(); ++line) {
            still.push_back(isStill(line));
            if (!still.back()) largest = std::max(largest, levels[line]);
        }
        const auto isShown = [&](Index line) { return levels[line] > kShown * largest; };
        for (Index begin = 1; begin < lines(); ++begin) {
            if (!still[begin] || still[begin - 1]) continue;
            Index end = begin;
            while (end < lines() && still[end])
                ++end;
            if (end < lines() && end - begin <= maxLines && isShown(begin - 1) && isShown(end))
                return {begin, end};
        }
        return {0, 0};
    }

  private:
    [[nodiscard]] std::size_t pixel(Index line, Index along) const {
        const Index at =
            m_areColumns ? along * m_info->columns + line : line * m_info->columns + along;
        return static_cast<std::size_t>(at);
    }

    const RawViews* m_views;
    const SourceInfo* m_info;
    bool m_areColumns;
};

struct StillRectangle {
    IndexRange columns{0, 0};
    IndexRange rows{0, 0};
};

// The line integral that a pixel has in the first view.
double firstLevelOf(const OpenScan& scan, const RawViews& views, Index pixel) {
    const auto value = static_cast<double>(views.first[pixel]);
    if (scan.kind != ProjectionKind::counts) return value;
    const DetectorCalibration& fields = *scan.calibration;
    const double dark = fields.dark[pixel];
    const double share = (value - dark) / (fields.flat[pixel] - dark);
    return share > 0 ? -std::log(share) : 0;
}

// Whether all pixels around a rectangle inside the detector show the object, on the mean of each
// side.
bool isWithinObject(const OpenScan& scan, const RawViews& views, const StillRectangle& place,
                    double minLevel) {
    const Index columns = scan.source->info().columns;
    const Index rows = scan.source->info().rows;
    if (place.columns.begin < 1 || place.rows.begin < 1 || place.columns.end >= columns ||
        place.rows.end >= rows)
        return false;
    const auto meanOver = [&](IndexRange range, const auto& pixelAt) {
        double sum = 0;
        for (Index i = range.begin; i < range.end; ++i)
            sum += firstLevelOf(scan, views, pixelAt(i));
        return sum / static_cast<double>(range.size());
    };
    for (const Index row : {place.rows.begin - 1, place.rows.end})
        if (meanOver(place.columns, [&](Index u) { return row * columns + u; }) < minLevel)
            return false;
    for (const Index column : {place.columns.begin - 1, place.columns.end})
        if (meanOver(place.rows, [&](Index v) { return v * columns + column; }) < minLevel)
            return false;
    return true;
}

// The rectangle of one value that stands still, whose lower left corner is here.
StillRectangle rectangleAt(const RawViews& views, const SourceInfo& info, Index u, Index v) {
    const float value = views.first[v * info.columns + u];
    const auto isSame = [&](Index column, Index row) {
        const Index pixel = row * info.columns + column;
        return column < info.columns && row < info.rows && views.isStill[pixel] != 0 &&
               views.first[pixel] == value;
    };
    StillRectangle place = {{u, u + 1}, {v, v + 1}};
    while (isSame(place.columns.end, v))
        ++place.columns.end;
    const auto isWholeRow = [&](Index row) {
        for (Index column = u; column < place.columns.end; ++column)
            if (!isSame(column, row)) return false;
        return true;
    };
    while (isWholeRow(place.rows.end))
        ++place.rows.end;
    return place;
}

std::optional<StillRectangle> findRectangle(const OpenScan& scan, const RawViews& views,
                                            double contrast) {
    constexpr Index kMinPixels = 16;
    constexpr double kOfContrast = 0.1;
    const SourceInfo& info = scan.source->info();
    const auto isStill = [&](Index u, Index v) { return views.isStill[v * info.columns + u] != 0; };
    for (Index v = 1; v < info.rows; ++v)
        for (Index u = 1; u < info.columns; ++u) {
            if (!isStill(u, v) || isStill(u - 1, v) || isStill(u, v - 1)) continue;
            const StillRectangle place = rectangleAt(views, info, u, v);
            if (place.columns.size() * place.rows.size() >= kMinPixels &&
                place.columns.size() > 1 && place.rows.size() > 1 &&
                isWithinObject(scan, views, place, kOfContrast * contrast))
                return place;
        }
    return std::nullopt;
}

StillPixels stillAt(const StillRectangle& place, const SourceInfo& info, float value) {
    const bool areRows = place.columns.size() == info.columns;
    const bool areColumns = place.rows.size() == info.rows;
    const std::string where =
        areRows      ? numbered("row", place.rows) + " (from the bottom)"
        : areColumns ? numbered("column", place.columns)
                     : fmt::format("{} of {} (from the bottom)", numbered("column", place.columns),
                                   numbered("row", place.rows));
    return {place.columns,
            place.rows,
            {Problem::Severity::warning, "projections.files",
             fmt::format("the pixels of {} have one value, {:.5g}, in every view that was looked "
                         "at, between others that show the object: they are dead, and make rings "
                         "and wrong levels. Mark them in a mask, badPixels",
                         where, value)}};
}

}  // namespace

std::optional<StillPixels> checkStill(const OpenScan& scan, const RawViews& views,
                                      const std::vector<PictureFacts>& facts) {
    // More rows may be the air between two objects, in a simulation without noise.
    constexpr Index kMaxStillRows = 3;
    constexpr Index kMaxStillColumns = 64;
    const SourceInfo& info = scan.source->info();
    std::optional<StillRectangle> place;
    const double contrast = contrastOf(facts);
    const auto findLines = [&](bool areColumns, std::vector<double> PictureFacts::*profile,
                               Index maxLines) {
        const IndexRange lines =
            StillLines(views, info, areColumns).find(meanOfViews(facts, profile), maxLines);
        for (Index line = lines.begin; line < lines.end; ++line)
            if (!isUnchanged(facts, profile, line, contrast)) return IndexRange{0, 0};
        return lines;
    };
    const IndexRange columns = findLines(true, &PictureFacts::alongU, kMaxStillColumns);
    const IndexRange rows = findLines(false, &PictureFacts::alongV, kMaxStillRows);
    if (!columns.empty())
        place = {columns, {0, info.rows}};
    else if (!rows.empty())
        place = {{0, info.columns}, rows};
    else
        place = findRectangle(scan, views, contrast);
    if (!place) return std::nullopt;
    return stillAt(*place, info,
                   views.first[place->rows.begin * info.columns + place->columns.begin]);
}

}  // namespace gantry
