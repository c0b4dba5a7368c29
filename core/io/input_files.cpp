#include "core/io/input_files.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/foreign_text.h"
#include "core/base/json_fields.h"
#include "core/io/hdf5/hdf5_volume.h"
#include "core/io/series/match_files.h"
#include "core/io/volume/volume_format.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// A file, and those that its format keeps beside it.
void addWithCompanions(ReadFiles& read, const fs::path& file, const std::string& what) {
    read.add(file, what);
    try {
        for (const fs::path& part : hdf5Parts(file))
            read.add(part, "a part of " + what);
        // A stack of projections has the endings of a volume.
        for (const fs::path& part : volumeFormatOf(file).companions(file))
            if (part != file) read.add(part, "a part of " + what);
    } catch (const Error&) {
        // Who opens the file reports what is wrong with it.
    }
}

void addPattern(ReadFiles& read, const ScanFile& scan, const std::string& pattern,
                const std::string& what) {
    if (pattern.empty()) return;
    // A folder that no file describes is asked for its views anew each time.
    if (pathExists(scan.path) && !isFolder(scan.path))
        read.addRule([folder = scan.folder,
                      pattern](const fs::path& file) { return wouldMatch(folder, pattern, file); },
                     what);
    try {
        for (const fs::path& file : matchViews(scan.folder, pattern))
            addWithCompanions(read, file, what);
    } catch (const Error&) {
    }
}

// Files with angles or poses; once it is read, the scan has the numbers, and no longer their names.
std::vector<fs::path> listsNamedBy(const ScanFile& scan) {
    std::vector<fs::path> lists;
    try {
        const nlohmann::json document = readJsonFile(scan.path);
        for (const char* field : {"anglesDeg", "poses"}) {
            const nlohmann::json::json_pointer place(std::string("/trajectory/") + field);
            if (document.contains(place) && document[place].is_string())
                lists.push_back(scan.folder / bytesOfUtf8(document[place].get<std::string>()));
        }
    } catch (const Error&) {
    }
    return lists;
}

}  // namespace

void addScanFiles(ReadFiles& read, const ScanFile& scan) {
    read.add(scan.path, "the scan's description");
    for (const fs::path& list : listsNamedBy(scan))
        read.add(list, "a list of the scan's angles or poses");
    addPattern(read, scan, scan.projections.files, "a projection of the scan");
    addPattern(read, scan, scan.projections.dark, "a dark field of the scan");
    addPattern(read, scan, scan.projections.darkAfter, "a dark field of the scan");
    addPattern(read, scan, scan.projections.flat, "a flat field of the scan");
    addPattern(read, scan, scan.projections.flatAfter, "a flat field of the scan");
    addPattern(read, scan, scan.projections.badPixels, "the scan's mask of bad pixels");
}

void addVolumeFiles(ReadFiles& read, const fs::path& volume) {
    const std::string what = "a volume";
    const fs::path place = placeOf(volume);
    if (isFolder(place))
        read.addFolder(place, what);
    else
        addWithCompanions(read, place, what);
}

}  // namespace gantry
