#pragma once

#include <filesystem>
#include <string>

#include "core/base/types.h"

namespace gantry {

/// A view of the trajectory that a reconstruction does not use.
struct LeftOutView {
    Index view = 0;              ///< its number in the trajectory, counted from 0
    std::filesystem::path file;  ///< empty: none
    bool isBad = false;          ///< it cannot be used
    bool isWanted = false;       ///< projections.skipViews lists it
    std::string sentence;        ///< why, naming the file: "proj_0100.tif is missing."
};

}  // namespace gantry
