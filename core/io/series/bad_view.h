#pragma once

#include <filesystem>
#include <string>

#include "core/base/types.h"

namespace gantry {

enum class BadViewKind {
    missing,     ///< a sequence of numbers continues after a file of this name that is not there
    unreadable,  ///< empty, damaged, cut off, of another format, or not allowed to be read
    otherSize,   ///< than most views
    otherType,   ///< pixels of another type than most views
};

/// "missing", "unreadable", "otherSize", "otherType".
[[nodiscard]] const char* name(BadViewKind kind);

/// A view of a series that cannot be used.
struct BadView {
    Index view = 0;  ///< counted from 0, including missing ones
    std::filesystem::path file;
    BadViewKind kind = BadViewKind::unreadable;
    std::string sentence;  ///< "proj_0100.tif is damaged (its directory cannot be read)."
};

/// A view of the trajectory that a reconstruction does not use.
struct LeftOutView {
    Index view = 0;              ///< its number in the trajectory, counted from 0
    std::filesystem::path file;  ///< empty: none
    bool isBad = false;          ///< it cannot be used
    bool isWanted = false;       ///< projections.skipViews lists it
    std::string sentence;        ///< why, naming the file: "proj_0100.tif is missing."
};

}  // namespace gantry
