#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/job/job_directory.h"
#include "core/metrics/volume_summary.h"
#include "core/plan/performance_model.h"
#include "core/report/job_result.h"
#include "core/report/png_image.h"

namespace gantry {

/// Invalid pixels in one sentence; empty when there were none.
[[nodiscard]] std::string describe(const InvalidPixels& counts);

/// The volume in few voxels beside the job, for a first look: preview.mha. [z][y][x], 1/mm
void writePreview(const JobDirectory& job, const VolumeGrid& grid, Span3<const float> voxels);

/// One page of a report: headings, sentences, tables and pictures, all inside one HTML file.
class ReportPage {
  public:
    explicit ReportPage(const std::string& title);

    void heading(const std::string& text);
    void sentence(const std::string& text);
    /// The first row is the table's head.
    void table(const std::vector<std::vector<std::string>>& rows);
    void picture(const std::string& png, const std::string& caption);

    [[nodiscard]] std::string html() const;

  private:
    std::string m_title;
    std::string m_body;
};

/// The stages of a run with their seconds, shares and rates, as a table; the first row is the head.
/// If there was a forecast, it stands beside the time.
/// Tests: tests/core/report/report_test.cpp
[[nodiscard]] std::vector<std::vector<std::string>> stageTable(
    const TimelineSummary& timeline, const std::optional<Forecast>& forecast = {});

/// "12.1 s", or "12.1 s; the forecast was 11.5 s, bound by back-project", or "12.1 s, without
/// pauses of 12 min".
[[nodiscard]] std::string wallText(double wallSeconds, const std::optional<Forecast>& forecast,
                                   double pausedSeconds = 0);

/// The three central slices side by side, with square pixels, from black at `low` to white at
/// `high`.
[[nodiscard]] Picture slicesPicture(const std::array<VolumeSummary::Image, 3>& slices, double low,
                                    double high);

/// report.html and slices.png in the job's folder.
void writeReport(const JobDirectory& job, const JobResult& result);

/// A volume beside its truth.
struct Comparison {
    std::string truthName;  ///< "Shepp-Logan (Kak-Slaney)"
    std::array<VolumeSummary::Image, 3> volume;
    std::array<VolumeSummary::Image, 3> truth;
    double low = 0;  ///< grey window, 1/mm
    double high = 0;
    std::vector<std::vector<std::string>> figures;  ///< table of errors; the first row is the head
    std::vector<std::vector<std::string>> regions;  ///< table of uniform regions; may be empty
};

/// Rows: volume, truth, difference (blue-white-red, ±`maxDifference`).
[[nodiscard]] Picture comparisonPicture(const Comparison& comparison, double maxDifference);

/// comparison.html and comparison.png in `folder`.
void writeComparison(const std::filesystem::path& folder, const Comparison& comparison);

}  // namespace gantry
