#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/field_table.h"
#include "core/verify/verify_run.h"

namespace gantry {

/// The limits of a verification. The defaults suit a scan with enough views for its columns.
struct VerifyLimits {
    double minPsnrDb = 20;
    double minSsim = 0.5;
    double maxRegionPercent = 2;
    double maxMtfPercent = 5;
    double maxScalePercent = 0.05;
    double maxDistanceVoxels = 0.15;
    double maxFormVoxels = 1;
    double maxSizeVoxels = 0.5;
};

/// Its fields in a limits file.
[[nodiscard]] std::span<const FileField<VerifyLimits>> limitFields();
/// A JSON file with "gantryLimits": 1 and any of these fields.
/// @throws InputError naming the file and field
/// Tests: tests/core/verify/figures_test.cpp
[[nodiscard]] VerifyLimits readLimits(const std::filesystem::path& path);

/// A number that a verification found, and its limit.
struct Figure {
    std::string piece;  ///< "spheres"
    std::string id;     ///< for programs: "scalePercent"
    std::string name;   ///< for the user: "scale error of distances"
    double value = 0;
    std::string unit;
    int digits = 2;  ///< behind the decimal point
    std::optional<double> min{};
    std::optional<double> max{};        ///< max absolute value
    std::optional<double> deviation{};  ///< standard deviation of the value

    [[nodiscard]] bool isMet() const;
    [[nodiscard]] std::string shownValue() const;  ///< "-0.042 %", "0.0042 ± 0.0013 %"
    [[nodiscard]] std::string shownLimit() const;  ///< "±0.050 %", "at least 20.00 dB"; empty: none
};

/// Figures of a comparison with the truth: RMSE, PSNR, SSIM, and the uniform region with the
/// largest error.
[[nodiscard]] std::vector<Figure> comparisonFigures(const std::string& piece,
                                                    const VolumeComparison& comparison,
                                                    const VerifyLimits& limits);
/// Figures of a cylinder: MTF 50 % and 10 %, noise, contrast discrimination; those of spheres:
/// scale, SD, PF, PS.
[[nodiscard]] std::vector<Figure> measuredFigures(const std::string& piece,
                                                  const PieceMeasures& measures,
                                                  const VolumeGrid& grid,
                                                  const VerifyLimits& limits);

/// Rows for a table: figure, value, limit, whether it is met; the first row is the head.
[[nodiscard]] std::vector<std::vector<std::string>> figureTable(const std::vector<Figure>& figures);
/// Rows for a table, one for each sphere: its true position, mm; the distance of its measured
/// centre from that, form error and size error, µm. The first row is the head.
[[nodiscard]] std::vector<std::vector<std::string>> sphereTable(
    const std::vector<MeasuredSphere>& spheres);
/// The limits that are not met, a sentence each.
[[nodiscard]] std::vector<std::string> missedLimits(const std::vector<Figure>& figures);

}  // namespace gantry
