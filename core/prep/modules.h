#pragma once

#include <vector>

#include "core/base/field_word.h"
#include "core/base/types.h"

namespace gantry {

/// How the modules of a tiled detector are brought to one level.
enum class ModuleMethod { none, fit };
inline constexpr FieldWord kModuleMethods[] = {
    {"none", "As the flat fields", "The flat fields are taken to be right for all modules."},
    {"fit", "Fitted",
     "One level for each module is fitted to the steps between modules that all views have."}};

/// Levelling of a tiled detector's modules: the gains of some may differ from what the flat fields
/// say, as where these were taken at another exposure. A module is then off by the same line
/// integral in every view.
struct ModuleSpec {
    ModuleMethod method = ModuleMethod::none;
    /// The columns at which a module begins, but for the first one, counted from 0 in pixels as
    /// stored, ascending; and the rows, row 0 below. If both are empty, they are found.
    std::vector<Index> columnsPx = {};
    std::vector<Index> rowsPx = {};

    [[nodiscard]] bool areEdgesGiven() const { return !columnsPx.empty() || !rowsPx.empty(); }
    friend bool operator==(const ModuleSpec&, const ModuleSpec&) = default;
};

/// A narrower module is not fitted, pixels.
inline constexpr Index kMinModulePx = 4;
/// More edges along a side of the detector are not fitted.
inline constexpr Index kMaxModuleEdges = 31;

}  // namespace gantry
