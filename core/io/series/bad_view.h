#pragma once

#include <filesystem>
#include <string>

#include "core/base/types.h"

namespace gantry {

enum class BadViewKind {
    missing,     ///< no file of that name, in a sequence that counts on behind it
    unreadable,  ///< empty, damaged, cut off, of another format, or not allowed to be read
    otherSize,   ///< than most
    otherType,   ///< pixels of another type than most
};

/// "missing", "unreadable", "otherSize", "otherType".
[[nodiscard]] const char* name(BadViewKind kind);

/// A view of a series that cannot be used.
struct BadView {
    Index view = 0;  ///< counted from 0, those that are missing counted in
    std::filesystem::path file;
    BadViewKind kind = BadViewKind::unreadable;
    std::string sentence;  ///< "proj_0100.tif is damaged (its directory cannot be read)."
};

}  // namespace gantry
