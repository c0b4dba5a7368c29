#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/field_table.h"
#include "core/verify/verify_run.h"

namespace gantry {

/// What a verification allows. The defaults suit a scan with enough views for its columns.
struct VerifyLimits {
    double leastPsnrDb = 20;
    double leastSsim = 0.5;
    double mostRegionPercent = 2;
    double mostMtfPercent = 5;
    double mostScalePercent = 0.05;
    double mostDistanceVoxels = 0.15;
    double mostFormVoxels = 1;
    double mostSizeVoxels = 0.5;
};

/// Its fields in a limits file.
[[nodiscard]] std::span<const FileField<VerifyLimits>> limitFields();
/// A JSON file with "gantryLimits": 1 and any of these fields.
/// @throws InputError naming the file and field
/// Tests: tests/core/verify/figures_test.cpp
[[nodiscard]] VerifyLimits readLimits(const std::filesystem::path& path);

/// A number that a verification found, and what it may be.
struct Figure {
    std::string piece;  ///< "spheres"
    std::string id;     ///< for machines: "scalePercent"
    std::string name;   ///< for people: "scale error of distances"
    double value = 0;
    std::string unit;
    int digits = 2;  ///< behind the point
    std::optional<double> least;
    std::optional<double> most;       ///< of its size, without sign
    std::optional<double> deviation;  ///< standard deviation of the value

    [[nodiscard]] bool isMet() const;
    [[nodiscard]] std::string shownValue() const;  ///< "-0.042 %", "0.0042 ± 0.0013 %"
    [[nodiscard]] std::string shownLimit() const;  ///< "±0.050 %", "at least 20.00 dB"; empty: none
};

/// Of a comparison with the truth: RMSE, PSNR, SSIM, and the uniform region that is farthest off.
[[nodiscard]] std::vector<Figure> comparisonFigures(const std::string& piece,
                                                    const VolumeComparison& comparison,
                                                    const VerifyLimits& limits);
/// Of a cylinder: MTF 50 % and 10 %, noise, contrast discrimination. Of spheres: scale, SD, PF, PS.
[[nodiscard]] std::vector<Figure> measuredFigures(const std::string& piece,
                                                  const PieceMeasures& measures,
                                                  const VolumeGrid& grid,
                                                  const VerifyLimits& limits);

/// Rows for people: figure, value, limit, whether it is met; the first row is the head.
[[nodiscard]] std::vector<std::vector<std::string>> figureTable(const std::vector<Figure>& figures);
/// Rows for people, sphere by sphere: its true place, mm; how far its centre was measured from
/// there, form error and size error, µm. The first row is the head.
[[nodiscard]] std::vector<std::vector<std::string>> sphereTable(
    const std::vector<MeasuredSphere>& spheres);
/// The limits that are missed, a sentence each.
[[nodiscard]] std::vector<std::string> missedLimits(const std::vector<Figure>& figures);

}  // namespace gantry
