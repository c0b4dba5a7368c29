#include "core/io/hdf5/hdf5_quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/length_unit.h"

namespace gantry {

namespace {

[[noreturn]] void refuseUnit(const Hdf5File& file, const std::string& dataset,
                             const std::string& unit, const char* known) {
    throwErrorOf<FileError>(file.path(), "is not understood: {} is in \"{}\"; it must be in {}",
                            dataset, unit, known);
}

double inDegreesOf(const Hdf5File& file, const std::string& dataset, const std::string& unit) {
    const std::string name = inLowerCase(trimmed(unit));
    if (name.empty() || name == "°" || name.starts_with("deg")) return 1;
    if (name.starts_with("rad")) return 180 / std::numbers::pi;
    refuseUnit(file, dataset, unit, "deg or rad");
}

// Whether angles span half or a whole turn, with both ends or one step less, if a turn is so large.
bool spansTurn(const std::vector<double>& angles, double turn) {
    constexpr std::ptrdiff_t kMinAngles = 8;
    if (std::ssize(angles) < kMinAngles) return false;
    const auto [min, max] = std::minmax_element(angles.begin(), angles.end());
    const double span = *max - *min;
    const double step = span / static_cast<double>(angles.size() - 1);
    return std::ranges::any_of(std::array{turn / 2, turn}, [&](double arc) {
        return span > arc - 1.5 * step && span < arc + 0.5 * step;
    });
}

// The size of a pixel, mm.
struct PixelSize {
    double mm = 0;
    std::string doubt;  // a clause; empty: none
};

std::optional<PixelSize> pixelSize(const Hdf5File& file, const std::string& dataset) {
    constexpr double kMaxMm = 10;
    constexpr double kMetreInUm = 1e6;
    const std::optional<double> mm = lengthMm(file, dataset);
    if (!mm) return std::nullopt;
    const bool hasUnit = !trimmed(file.attribute(dataset, "units")).empty();
    if (hasUnit || *mm < kMaxMm) return PixelSize{*mm, {}};
    return PixelSize{
        *mm / kMetreInUm,
        fmt::format("{} has no unit, and {:g} m would be too large: it is taken for µm", dataset,
                    *mm / 1e3)};
}

}  // namespace

std::optional<double> lengthMm(const Hdf5File& file, const std::string& dataset) {
    const std::optional<Hdf5Numbers> found = file.numbers(dataset, kMaxHdf5Frames);
    if (!found) return std::nullopt;
    const double value = std::abs(found->values.front());
    if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    const std::optional<double> mm = mmOf(found->units);
    if (!mm) refuseUnit(file, dataset, found->units, "m, cm, mm, um or nm");
    return value * *mm;
}

void takePixelSize(const Hdf5File& file, const std::string& alongU, const std::string& alongV,
                   StatedGeometry& stated) {
    const std::optional<PixelSize> u = pixelSize(file, alongU);
    const std::optional<PixelSize> v = pixelSize(file, alongV);
    if (!u) return;
    stated.pitchMm = {u->mm, v ? v->mm : u->mm};
    stated.pitchDoubt = u->doubt.empty() && v ? v->doubt : u->doubt;
}

StoredAngles storedAngles(const Hdf5File& file, const std::string& dataset) {
    std::optional<Hdf5Numbers> found = file.numbers(dataset, kMaxHdf5Frames);
    if (!found) return {};
    const double factor = inDegreesOf(file, dataset, found->units);
    for (double& angle : found->values)
        angle *= factor;
    return {std::move(found->values), !trimmed(found->units).empty()};
}

ProjectionAngles projectionAngles(const Hdf5File& file, const std::string& dataset,
                                  StoredAngles angles) {
    ProjectionAngles result{std::move(angles.deg), {}};
    std::vector<double>& deg = result.deg;
    if (!std::ranges::all_of(deg, [](double angle) { return std::isfinite(angle); }))
        throwErrorOf<FileError>(file.path(), "is damaged: {} holds what is no number", dataset);
    if (deg.size() > 1 && std::ranges::all_of(deg, [&](double one) { return one == deg[0]; })) {
        result.doubt =
            fmt::format("All angles in {} are {:g}, as where none are stored", dataset, deg[0]);
        deg.clear();
        return result;
    }
    constexpr double kTurn = 2 * std::numbers::pi;
    if (!spansTurn(deg, kTurn)) return result;
    const auto [min, max] = std::minmax_element(deg.begin(), deg.end());
    result.doubt = fmt::format(
        "{} goes from {:.4g} to {:.4g} {}", dataset, *min, *max,
        angles.hasUnit ? "and is said to be in degrees; in radians it would be half or a whole turn"
                       : "without a unit, and is taken for radians");
    if (!angles.hasUnit)
        for (double& angle : deg)
            angle *= 180 / std::numbers::pi;
    return result;
}

}  // namespace gantry
