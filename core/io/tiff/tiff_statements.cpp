#include "core/io/tiff/tiff_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/text.h"

namespace gantry {

namespace {

bool isOfImageJ(std::string_view description) {
    return description.starts_with("ImageJ=");
}

bool isOfOme(std::string_view description) {
    return description.find("<OME") != std::string_view::npos;
}

std::optional<double> numberIn(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
    return value;
}

// The value of a line "key=value" of ImageJ's description; empty: none.
std::string_view lineOf(std::string_view text, std::string_view key) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == '=')
            return trimmed(line.substr(key.size() + 1));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return {};
}

// The value of the first attribute of that name in OME's XML; empty: none.
std::string_view attributeOf(std::string_view xml, const std::string& name) {
    const std::string begin = fmt::format(" {}=\"", name);
    const std::size_t at = xml.find(begin);
    if (at == std::string_view::npos) return {};
    xml.remove_prefix(at + begin.size());
    const std::size_t end = xml.find('"');
    return end == std::string_view::npos ? std::string_view() : xml.substr(0, end);
}

// The product of the numbers of tifffile's list, {"shape": [90, 64, 80]}; 0: there is no list.
double shapeProduct(std::string_view json) {
    constexpr std::string_view kBegin = "\"shape\": [";
    const std::size_t at = json.find(kBegin);
    if (at == std::string_view::npos) return 0;
    json.remove_prefix(at + kBegin.size());
    json = json.substr(0, json.find(']'));
    double product = 1;
    while (true) {
        const std::size_t comma = json.find(',');
        const std::optional<double> number = numberIn(trimmed(json.substr(0, comma)));
        if (!number) return 0;
        product *= *number;
        if (comma == std::string_view::npos) return product;
        json.remove_prefix(comma + 1);
    }
}

// Millimetres of a unit of length; 0: unknown.
double unitMm(std::string_view unit) {
    constexpr std::pair<std::string_view, double> kUnits[] = {
        {"mm", 1},        {"millimeter", 1}, {"cm", 10},         {"um", 1e-3}, {"µm", 1e-3},
        {"μm", 1e-3},     {"micron", 1e-3},  {"microns", 1e-3},  {"nm", 1e-6}, {"inch", 25.4},
        {"inches", 25.4}, {"in", 25.4},      {"\\u00B5m", 1e-3}, {"m", 1000},
    };
    for (const auto& [name, mm] : kUnits)
        if (unit == name) return mm;
    return 0;
}

// Resolutions of screens and printers, in dots per inch.
bool isOfScreens(double pitchMm) {
    constexpr double kDots[] = {72, 96, 100, 120, 150, 180, 200, 240, 300, 360, 400, 600, 1200};
    const double found = 25.4 / pitchMm;
    return std::ranges::any_of(kDots,
                               [&](double dots) { return std::abs(found - dots) < 1e-3 * dots; });
}

// A detector's pixel, or its image in the object.
bool isPixel(double mm) {
    constexpr double kMinMm = 1e-6;
    constexpr double kMaxMm = 10;
    return mm >= kMinMm && mm <= kMaxMm;
}

std::optional<StatedPitch> pitchOfOme(const std::string& xml) {
    std::array<double, 2> mm = {0, 0};
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
        const std::string name = fmt::format("PhysicalSize{}", axis == 0 ? 'X' : 'Y');
        const std::optional<double> size = numberIn(attributeOf(xml, name));
        const std::string_view unit = attributeOf(xml, name + "Unit");
        if (!size) return std::nullopt;
        mm[axis] = *size * (unit.empty() ? 1e-3 : unitMm(unit));
    }
    if (!isPixel(mm[0]) || !isPixel(mm[1])) return std::nullopt;
    return StatedPitch{mm, "PhysicalSizeX and PhysicalSizeY of the OME description"};
}

}  // namespace

Index statedStackImages(const std::string& description, Index rows, Index columns) {
    constexpr double kMax = 1e9;
    double images = 1;
    if (isOfImageJ(description))
        images = numberIn(lineOf(description, "images")).value_or(1);
    else if (description.find("\"truncated\": true") != std::string::npos)
        images = shapeProduct(description) / static_cast<double>(rows * columns);
    return images >= 1 && images <= kMax && images == std::floor(images)
               ? static_cast<Index>(images)
               : 1;
}

std::optional<StatedPitch> statedPitch(const TiffTags& tags) {
    if (isOfOme(tags.description)) return pitchOfOme(tags.description);
    const auto [x, y] = tags.resolution;
    if (!(x > 0) || !(y > 0)) return std::nullopt;
    const bool isImageJ = isOfImageJ(tags.description);
    const double unit = isImageJ ? unitMm(lineOf(tags.description, "unit")) : tags.unitMm;
    StatedPitch pitch{{unit / x, unit / y},
                      isImageJ ? "the resolution tags with the unit that ImageJ's description gives"
                               : "the resolution tags"};
    if (!isPixel(pitch.mm[0]) || !isPixel(pitch.mm[1])) return std::nullopt;
    if (!isImageJ && isOfScreens(pitch.mm[0]) && isOfScreens(pitch.mm[1])) return std::nullopt;
    return pitch;
}

std::vector<std::string> tiffNotes(const TiffTags& tags) {
    std::vector<std::string> notes;
    const auto add = [&](std::string sentence) { notes.push_back(std::move(sentence)); };
    const std::string& text = tags.description;
    const std::string_view imageJ = isOfImageJ(text) ? lineOf(text, "ImageJ") : std::string_view();
    std::string writers;
    for (const std::string& writer :
         {imageJ.empty() ? std::string() : fmt::format("ImageJ {}", imageJ), tags.software,
          trimmed(tags.maker + ' ' + tags.model).empty()
              ? std::string()
              : std::string(trimmed(tags.maker + ' ' + tags.model))})
        if (!writer.empty()) writers += (writers.empty() ? "" : ", ") + quotable(writer);
    if (!writers.empty()) add(fmt::format("The file names as its origin: {}.", writers));
    if (const auto pitch = statedPitch(tags))
        add(
            fmt::format("Pixels are {:.5g} × {:.5g} mm by {}; it may be the detector's pitch, or "
                        "that of a voxel.",
                        pitch->mm[0], pitch->mm[1], pitch->where));
    const bool isOme = isOfOme(text);
    for (const auto& [key, attribute, what] : {std::tuple{"channels", "SizeC", "channels"},
                                               std::tuple{"frames", "SizeT", "time steps"}}) {
        const auto count = numberIn(isOme              ? attributeOf(text, attribute)
                                    : isOfImageJ(text) ? lineOf(text, key)
                                                       : std::string_view());
        const auto slices = numberIn(isOme ? attributeOf(text, "SizeZ") : lineOf(text, "slices"));
        // Stacks often call their views channels or time steps.
        if (count && *count > 1 && slices.value_or(1) > 1)
            add(
                fmt::format("Its description has {:g} {} of {:g} slices; every image counts as a "
                            "view, in the order of the file.",
                            *count, what, *slices));
    }
    return notes;
}

}  // namespace gantry
