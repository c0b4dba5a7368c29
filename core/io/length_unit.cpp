#include "core/io/length_unit.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace gantry {

namespace {

// "millimetres" as "millimeter".
std::string inAmericanSingular(std::string name) {
    constexpr std::string_view kMetre = "metre";
    if (name.size() > 2 && name.ends_with('s')) name.pop_back();
    if (name.ends_with(kMetre)) name.replace(name.size() - 2, 2, "er");
    return name;
}

}  // namespace

std::optional<double> mmOf(const std::string& unit) {
    constexpr std::array<std::pair<std::string_view, double>, 17> kUnits = {{{"", 1e3},
                                                                             {"m", 1e3},
                                                                             {"meter", 1e3},
                                                                             {"cm", 10},
                                                                             {"centimeter", 10},
                                                                             {"mm", 1},
                                                                             {"millimeter", 1},
                                                                             {"um", 1e-3},
                                                                             {"µm", 1e-3},
                                                                             {"μm", 1e-3},
                                                                             {"micron", 1e-3},
                                                                             {"micrometer", 1e-3},
                                                                             {"nm", 1e-6},
                                                                             {"nanometer", 1e-6},
                                                                             {"in", 25.4},
                                                                             {"inch", 25.4},
                                                                             {"inche", 25.4}}};
    const std::string name = inAmericanSingular(inLowerCase(trimmed(unit)));
    for (const auto& [known, mm] : kUnits)
        if (name == known) return mm;
    return std::nullopt;
}

}  // namespace gantry
