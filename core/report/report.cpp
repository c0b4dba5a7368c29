#include "core/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/base/xml_text.h"
#include "core/io/volume/open_sink.h"
#include "core/job/forecast_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

std::string base64(const std::string& bytes) {
    static constexpr char kDigits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t word = 0;
        for (std::size_t j = 0; j < 3; ++j)
            word =
                word << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
        for (std::size_t j = 0; j < 4; ++j)
            text += i + j <= bytes.size() ? kDigits[word >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

// The desktop's light palette.
constexpr const char* kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;color:#1c1f24;background:#fff;max-width:1100px;"
    "margin:32px auto;padding:0 16px}h1{font-size:22px}h2{font-size:17px;margin-top:32px}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:4px 16px 4px 0;text-align:right;border-bottom:1px solid #f3f4f6}"
    "th:first-child,td:first-child{text-align:left}th{color:#6b7280;font-weight:500}"
    "img{max-width:100%;image-rendering:pixelated}figure{margin:16px 0}"
    "figcaption{color:#6b7280}"
    // Printed text is smaller, so that a page holds more.
    "@page{size:A4;margin:12mm}@media print{body{font-size:8pt;line-height:1.25;margin:0;"
    "padding:0;max-width:none}h1{font-size:13pt;margin:0 0 6pt}h2{font-size:10pt;margin:8pt 0 2pt}"
    "th,td{padding:.7pt 10pt .7pt 0}p{margin:3pt 0}figure{margin:4pt 0;break-inside:avoid}"
    "tr{break-inside:avoid}img{max-height:68mm}}";

}  // namespace

ReportPage::ReportPage(const std::string& title) : m_title(xmlEscaped(title)) {}

void ReportPage::heading(const std::string& text) {
    m_body += fmt::format("<h2>{}</h2>\n", xmlEscaped(text));
}

void ReportPage::sentence(const std::string& text) {
    m_body += fmt::format("<p>{}</p>\n", xmlEscaped(text));
}

void ReportPage::table(const std::vector<std::vector<std::string>>& rows) {
    m_body += "<table>\n";
    const char* cellTag = "th";
    for (const auto& row : rows) {
        m_body += "<tr>";
        for (const std::string& cell : row)
            m_body += fmt::format("<{0}>{1}</{0}>", cellTag, xmlEscaped(cell));
        m_body += "</tr>\n";
        cellTag = "td";
    }
    m_body += "</table>\n";
}

void ReportPage::picture(const std::string& png, const std::string& caption) {
    m_body += fmt::format(
        "<figure><img src=\"data:image/png;base64,{}\" alt=\"{}\"><figcaption>{}</figcaption>"
        "</figure>\n",
        base64(png), xmlEscaped(caption), xmlEscaped(caption));
}

std::string ReportPage::html() const {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>"
        "<style>{1}</style></head>\n<body>\n<h1>{0}</h1>\n{2}</body></html>\n",
        m_title, kStyle, m_body);
}

namespace {

// A sentence on what was done with invalid pixels, in words that are true for all of them.
std::string whatWasDone(const InvalidPixels& counts) {
    const Index replaced =
        counts.zero + counts.negative + counts.notFinite + counts.bad + counts.zingers;
    std::string text = counts.saturated > 0 ? "Saturated ones were kept" : "";
    if (replaced == 0) return text + '.';
    text += text.empty() ? "They were replaced by " : "; the others were replaced by ";
    text += "values of good pixels near them";
    if (counts.zero + counts.negative + counts.notFinite == 0)
        return text + ", where there are any.";
    return text + " or, in a row where no pixel can be used, by the largest that can be measured.";
}

}  // namespace

std::string describe(const InvalidPixels& counts) {
    std::string text;
    const auto add = [&](Index count, const char* what) {
        if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
    };
    add(counts.zero, "without signal");
    add(counts.negative, "below the dark field");
    add(counts.saturated, "saturated");
    add(counts.notFinite, "NaN or infinite");
    add(counts.bad, "dead");
    add(counts.zingers, "zingers");
    if (text.empty()) return text;
    return fmt::format("Invalid pixels among {} read: {}. {}", counts.pixels, text,
                       whatWasDone(counts));
}

void writePreview(const JobDirectory& job, const VolumeGrid& grid, Span3<const float> voxels) {
    OutputFormat format;
    format.path = job.file("preview.mha");
    const auto sink = openSink(format, grid, SinkStart::fresh);
    sink->write(0, voxels);
    sink->finish();
}

std::vector<std::vector<std::string>> stageTable(const TimelineSummary& timeline,
                                                 const std::optional<Forecast>& forecast) {
    std::vector<std::vector<std::string>> rows = {{"Stage", "Time", "Share of wall", "Rate"}};
    if (forecast) rows[0].emplace_back("Forecast");
    for (int i = 0; i < kStageCount; ++i) {
        const auto& stage = timeline.stages[i];
        if (stage.spans == 0) continue;
        const double seconds = std::max(stage.seconds, 1e-9);
        const std::string rate =
            stage.updates > 0
                ? fmt::format("{:.2f} GUPS",
                              static_cast<double>(stage.updates) / seconds / double(1 << 30))
                : formatBytes(std::llround(static_cast<double>(stage.bytes) / seconds)) + "/s";
        rows.push_back({std::string(name(static_cast<Stage>(i))), formatDuration(stage.seconds),
                        fmt::format("{:.0f} %", 100 * stage.seconds / timeline.wallSeconds), rate});
        if (!forecast) continue;
        const double predicted = laneSecondsOf(*forecast, static_cast<Stage>(i));
        rows.back().push_back(predicted > 0 ? formatDuration(predicted) : "–");
    }
    return rows;
}

std::string wallText(double wallSeconds, const std::optional<Forecast>& forecast,
                     double pausedSeconds) {
    std::string wall = formatDuration(wallSeconds);
    if (pausedSeconds > 0)
        wall += fmt::format(", without pauses of {}", formatDuration(pausedSeconds));
    if (!forecast || !(forecast->wall > 0)) return wall;
    return fmt::format("{}; the forecast was {}, bound by {}", wall, formatDuration(forecast->wall),
                       forecast->boundingStage);
}

namespace {

constexpr Index kGap = 8;  // pixels between pictures

// Stretches to square pixels on one scale for all three slices, the longest side `kLongest` pixels.
Picture squared(const Picture& picture, const VolumeSummary::Image& image, double pixelMm) {
    const auto pixels = [&](Index count, double stepMm) {
        return std::max<Index>(2, std::llround(static_cast<double>(count) * stepMm / pixelMm));
    };
    return stretched(picture, pixels(image.width, image.pixelWidthMm),
                     pixels(image.height, image.pixelHeightMm));
}

double commonPixelMm(const std::array<VolumeSummary::Image, 3>& slices) {
    constexpr double kLongest = 480;
    double longestMm = 0;
    for (const auto& slice : slices)
        longestMm = std::max({longestMm, static_cast<double>(slice.width) * slice.pixelWidthMm,
                              static_cast<double>(slice.height) * slice.pixelHeightMm});
    return longestMm / kLongest;
}

// Grey window of a volume: all but the few darkest and brightest pixels of its central slices,
// which may be metal or an edge's overshoot.
std::array<double, 2> greyWindow(const std::array<VolumeSummary::Image, 3>& slices) {
    std::vector<float> values;
    for (const auto& slice : slices)
        values.insert(values.end(), slice.values.begin(), slice.values.end());
    const auto at = [&](double share) {
        const auto nth =
            static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), values.begin() + nth, values.end());
        return static_cast<double>(values[nth]);
    };
    return {at(0.005), at(0.998)};
}

Picture sideBySide(const std::vector<Picture>& pictures) {
    Index width = -kGap;
    Index height = 0;
    for (const Picture& picture : pictures) {
        width += picture.width + kGap;
        height = std::max(height, picture.height);
    }
    Picture row(width, height, 255);
    Index column = 0;
    for (const Picture& picture : pictures) {
        row.paste(picture, column, 0);
        column += picture.width + kGap;
    }
    return row;
}

}  // namespace

Picture slicesPicture(const std::array<VolumeSummary::Image, 3>& slices, double low, double high) {
    const double pixelMm = commonPixelMm(slices);
    std::vector<Picture> pictures;
    pictures.reserve(slices.size());
    for (const auto& slice : slices)
        pictures.push_back(squared(greyPicture(slice.values, slice.width, slice.height, low, high),
                                   slice, pixelMm));
    return sideBySide(pictures);
}

Picture comparisonPicture(const Comparison& comparison, double maxDifference) {
    std::vector<Picture> differences;
    for (std::size_t i = 0; i < 3; ++i) {
        std::vector<float> values = comparison.volume[i].values;
        for (std::size_t j = 0; j < values.size(); ++j)
            values[j] -= comparison.truth[i].values[j];
        const auto& image = comparison.volume[i];
        differences.push_back(
            squared(differencePicture(values, image.width, image.height, maxDifference), image,
                    commonPixelMm(comparison.volume)));
    }
    const Picture rows[3] = {slicesPicture(comparison.volume, comparison.low, comparison.high),
                             slicesPicture(comparison.truth, comparison.low, comparison.high),
                             sideBySide(differences)};
    Picture all(rows[0].width, 3 * rows[0].height + 2 * kGap, 255);
    for (Index i = 0; i < 3; ++i)
        all.paste(rows[i], 0, i * (rows[0].height + kGap));
    return all;
}

namespace {

std::string viewsText(const JobSpec& spec, const JobResult& result) {
    const Index views = spec.scan.geometry.views();
    if (result.leftOut.empty()) return fmt::format("{} views", views);
    return fmt::format("{} of {} views", views - std::ssize(result.leftOut), views);
}

std::string methodText(const JobSpec& spec) {
    if (spec.method.isIterative()) return std::string(name(spec.method.method));
    return fmt::format("{}, cut-off {:.3g}", name(spec.filter.window), spec.filter.cutoff);
}

// At most some twenty rows, evenly chosen, the last one among them.
std::vector<std::vector<std::string>> iterationTable(const std::vector<IterationFigures>& all) {
    constexpr std::size_t kMaxRows = 20;
    const std::size_t step = (all.size() + kMaxRows - 1) / kMaxRows;
    std::vector<std::vector<std::string>> rows = {
        {"Iteration", "Residual", "Change of the volume", "Time"}};
    for (std::size_t i = (all.size() - 1) % step; i < all.size(); i += step)
        rows.push_back({fmt::format("{}", all[i].iteration), formatPercent(all[i].residual),
                        formatPercent(all[i].change), formatDuration(all[i].seconds)});
    return rows;
}

}  // namespace

void writeReport(const JobDirectory& job, const JobResult& result) {
    const JobSpec& spec = job.spec();
    const ScanGeometry geometry = spec.geometry();
    const auto [nX, nY, nZ] = spec.volume.voxels;
    const std::optional<Forecast> forecast = readForecast(job.folder());
    ReportPage page(fmt::format("Reconstruction of {}", spec.scan.name));
    page.table(
        {{"What", "Value"},
         {"Scan", spec.scan.path.string()},
         {"Projections", fmt::format("{} of {} × {} pixels", viewsText(spec, result),
                                     geometry.detector.columns, geometry.detector.rows)},
         {"Volume",
          fmt::format("{} × {} × {} voxels of {:.4g} × {:.4g} × {:.4g} mm", nX, nY, nZ,
                      spec.volume.pitchMm[0], spec.volume.pitchMm[1], spec.volume.pitchMm[2])},
         {"Stored in", spec.output.path.string()},
         {spec.method.isIterative() ? "Method" : "Filter", methodText(spec)},
         {"Engine", result.engine},
         {"Attenuation", fmt::format("{:.4g} to {:.4g} /mm", result.smallest, result.largest)},
         {"Wall time", wallText(result.wallSeconds, forecast, result.pausedSeconds)},
         {"Program", fmt::format("gantry {}", programVersion())}});
    page.heading("What was applied");
    for (const std::string& note : result.notes)
        page.sentence(note);
    if (!result.iterations.empty()) {
        page.heading("Iterations");
        page.table(iterationTable(result.iterations));
    }
    page.heading("Central slices");
    const auto [low, high] = greyWindow(result.centralSlices);
    const std::string slices = toPng(slicesPicture(result.centralSlices, low, high));
    page.picture(slices, fmt::format("From above, from the front and from the side; black is "
                                     "{:.4g} /mm, white {:.4g} /mm.",
                                     low, high));
    page.heading("Stages");
    page.table(stageTable(result.timeline, forecast));
    page.sentence(
        fmt::format("Overlap {:.2f}: the stages' times add up to that many times the wall time.",
                    result.timeline.overlapFactor));
    writeFileAtomically(job.file("slices.png"), slices);
    writeFileAtomically(job.file("report.html"), page.html());
}

void writeComparison(const fs::path& folder, const Comparison& comparison) {
    const double max = (comparison.high - comparison.low) / 10;
    const std::string picture = toPng(comparisonPicture(comparison, max));
    ReportPage page("Comparison with " + comparison.truthName);
    page.picture(
        picture,
        fmt::format("Volume (top), truth (middle), difference (bottom); grey from {:.4g} to "
                    "{:.4g} /mm, blue −{:.2g} to red +{:.2g} /mm.",
                    comparison.low, comparison.high, max, max));
    page.heading("Errors");
    page.table(comparison.figures);
    if (!comparison.regions.empty()) {
        page.heading("Uniform regions");
        page.table(comparison.regions);
    }
    writeFileAtomically(folder / "comparison.png", picture);
    writeFileAtomically(folder / "comparison.html", page.html());
}

}  // namespace gantry
