#include "app/cli/beside_scan.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace gantry {

namespace fs = std::filesystem;

void requireBesideScan(const char* option, const fs::path& out, const fs::path& scan) {
    std::error_code error;
    if (!fs::equivalent(fs::absolute(out).parent_path(), fs::absolute(scan).parent_path(), error))
        throw InputError(fmt::format(
            "{} {}: the scan's images are named relative to its folder, so the new file has to be "
            "beside {}.",
            option, out.string(), scan.string()));
}

}  // namespace gantry
