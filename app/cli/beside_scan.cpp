#include "app/cli/beside_scan.h"

#include "core/base/throw_error.h"
#include "core/io/input_files.h"

namespace gantry {

namespace fs = std::filesystem;

void requireBesideScan(const char* option, const fs::path& out, const fs::path& scan) {
    std::error_code error;
    if (!fs::equivalent(fs::absolute(out).parent_path(), fs::absolute(scan).parent_path(), error))
        throwError<InputError>(
            "{} {}: the scan's images are named relative to its folder, so the new file has to be "
            "beside {}.",
            option, out.string(), scan.string());
}

void requireApartFromScan(const std::vector<fs::path>& outputs, const ScanFile& scan,
                          const std::vector<fs::path>& others) {
    ReadFiles read;
    for (const fs::path& other : others)
        if (!other.empty()) read.add(other, "an input");
    addScanFiles(read, scan);
    for (const fs::path& output : outputs)
        if (!output.empty()) read.requireApart(output);
}

}  // namespace gantry
