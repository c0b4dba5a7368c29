#include "core/io/hdf5/hdf5_quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
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

// Takes angles that are said to be in radians, of which they would make more turns than any scan
// has, for degrees. Returns whether it did.
bool takeForDegrees(const std::string& dataset, const StoredAngles& angles,
                    ProjectionAngles& result) {
    constexpr double kMaxDeg = 720;
    if (angles.degPerUnit == 1 || result.deg.empty()) return false;
    const auto [min, max] = std::minmax_element(result.deg.begin(), result.deg.end());
    const double first = *min / angles.degPerUnit;
    const double last = *max / angles.degPerUnit;
    if (*max - *min <= kMaxDeg || last - first > kMaxDeg) return false;
    result.doubt = fmt::format(
        "{} goes from {:.4g} to {:.4g}, and its attribute units says \"{}\", which would be {:.0f} "
        "turns: it is taken for degrees. Correct the attribute, or state the arc in a scan.json",
        dataset, first, last, angles.unit, (*max - *min) / 360);
    for (double& angle : result.deg)
        angle /= angles.degPerUnit;
    return true;
}

// The size of a pixel, mm.
struct PixelSize {
    double mm = 0;
    std::string doubt;  // a clause; empty: none
};

std::optional<PixelSize> pixelSize(const Hdf5File& file, const std::string& dataset) {
    // No detector of tomography has pixels beyond these.
    constexpr double kMinMm = 1e-5;
    constexpr double kMaxMm = 5;
    constexpr double kMetreInUm = 1e6;
    const std::optional<double> mm = lengthMm(file, dataset);
    if (!mm) return std::nullopt;
    if (*mm >= kMinMm && *mm <= kMaxMm) return PixelSize{*mm, {}};
    const std::string unit = quotable(trimmed(file.attribute(dataset, "units")));
    if (unit.empty() && *mm > kMaxMm)
        return PixelSize{*mm / kMetreInUm,
                         fmt::format("{} has no unit, and {:g} m would be too large: it is taken "
                                     "for µm",
                                     dataset, *mm / 1e3)};
    return PixelSize{*mm, fmt::format("{} makes pixels of {:.4g} mm, of which no detector is: its "
                                      "{} may be wrong. Correct it there, or the pitch in a "
                                      "scan.json",
                                      dataset, *mm,
                                      unit.empty() ? "missing unit, taken as m,"
                                                   : fmt::format("unit, \"{}\",", unit))};
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
    if (!u && !v) return;
    stated.pitchMm = {u ? u->mm : v->mm, v ? v->mm : u->mm};
    stated.pitchDoubt = v && (!u || u->doubt.empty()) ? v->doubt : u->doubt;
}

std::optional<double> numberIn(const std::string& text) {
    const std::string word(trimmed(text));
    double number = 0;
    const char* const wordEnd = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), wordEnd, number);
    return error == std::errc() && end == wordEnd ? std::optional(number) : std::nullopt;
}

StoredAngles storedAngles(const Hdf5File& file, const std::string& dataset) {
    StoredAngles angles;
    if (const std::optional<Hdf5Numbers> numbers = file.numbers(dataset, kMaxHdf5Frames)) {
        angles.deg = numbers->values;
    } else if (const auto texts = file.texts(dataset, kMaxHdf5Frames)) {
        for (const std::string& text : *texts) {
            const std::optional<double> number = numberIn(text);
            if (!number)
                throwErrorOf<FileError>(file.path(),
                                        "is not understood: {} holds \"{}\", which is no angle",
                                        dataset, quotable(text));
            angles.deg.push_back(*number);
        }
    } else {
        return {};
    }
    const std::string unit = file.attribute(dataset, "units");
    angles.unit = quotable(trimmed(unit));
    angles.degPerUnit = inDegreesOf(file, dataset, unit);
    for (double& angle : angles.deg)
        angle *= angles.degPerUnit;
    return angles;
}

std::string firstOf(const Hdf5File& file, std::span<const std::string> datasets) {
    const auto found = std::ranges::find_if(
        datasets, [&](const std::string& dataset) { return file.has(dataset); });
    return found == datasets.end() ? datasets.front() : *found;
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
    if (takeForDegrees(dataset, angles, result)) return result;
    constexpr double kTurn = 2 * std::numbers::pi;
    if (angles.degPerUnit != 1 || !spansTurn(deg, kTurn)) return result;
    const auto [min, max] = std::minmax_element(deg.begin(), deg.end());
    result.doubt = fmt::format(
        "{} goes from {:.4g} to {:.4g} {}", dataset, *min, *max,
        angles.unit.empty()
            ? "without a unit, and is taken for radians"
            : fmt::format("and its attribute units says \"{}\"; in radians it would be half or a "
                          "whole turn. If it is, correct the attribute, or state the arc in a "
                          "scan.json",
                          angles.unit));
    if (angles.unit.empty())
        for (double& angle : deg)
            angle *= 180 / std::numbers::pi;
    return result;
}

}  // namespace gantry
