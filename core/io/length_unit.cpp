#include "core/io/length_unit.h"

#include <array>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace gantry {

std::optional<double> mmOf(const std::string& unit) {
    constexpr std::array<std::pair<std::string_view, double>, 16> kUnits = {{{"", 1e3},
                                                                             {"m", 1e3},
                                                                             {"meter", 1e3},
                                                                             {"metre", 1e3},
                                                                             {"meters", 1e3},
                                                                             {"cm", 10},
                                                                             {"mm", 1},
                                                                             {"millimeter", 1},
                                                                             {"um", 1e-3},
                                                                             {"µm", 1e-3},
                                                                             {"μm", 1e-3},
                                                                             {"micron", 1e-3},
                                                                             {"microns", 1e-3},
                                                                             {"micrometer", 1e-3},
                                                                             {"nm", 1e-6},
                                                                             {"nanometer", 1e-6}}};
    const std::string name = inLowerCase(trimmed(unit));
    for (const auto& [known, mm] : kUnits)
        if (name == known) return mm;
    return std::nullopt;
}

}  // namespace gantry
