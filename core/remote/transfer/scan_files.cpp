#include "core/remote/transfer/scan_files.h"

#include <algorithm>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/metaimage/metaimage_header.h"
#include "core/io/series/match_files.h"
#include "core/job/provenance.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

fs::path wholePattern(const ScanFile& scan, const std::string& pattern) {
    return (scan.folder / pattern).lexically_normal();
}

// Adds a file, and the one with its voxels if it is only a header.
void addWithData(const fs::path& file, std::vector<fs::path>& files) {
    if (!pathExists(file)) return;  // a missing view
    files.push_back(file.lexically_normal());
    if (inLowerCase(file.extension().string()) != ".mhd") return;
    try {
        files.push_back(readMetaImageHeader(file).data.path.lexically_normal());
    } catch (const InputError&) {
        // A damaged file is sent too: the job will leave out the view or report it.
    }
}

fs::path commonFolder(const fs::path& a, const fs::path& b) {
    fs::path common;
    auto i = a.begin();
    for (auto j = b.begin(); i != a.end() && j != b.end() && *i == *j; ++i, ++j)
        common /= *i;
    return common;
}

}  // namespace

ScanFiles filesOf(const ScanFile& description) {
    ScanFile scan = description;
    std::vector<fs::path> paths;
    for (const std::string* pattern : scan.projections.patterns()) {
        const bool isViews = pattern == &scan.projections.files;
        for (const fs::path& file :
             isViews ? matchViews(scan.folder, *pattern) : matchFiles(scan.folder, *pattern))
            addWithData(file, paths);
    }
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    ScanFiles found;
    found.root = scan.path.parent_path().lexically_normal();
    for (const fs::path& path : paths)
        found.root = commonFolder(found.root, path.parent_path());
    for (const fs::path& path : paths)
        found.files.push_back({path.lexically_relative(found.root).string(),
                               static_cast<Index>(fs::file_size(path))});
    found.state = inputState(paths);
    return found;
}

JobSpec asSent(JobSpec spec, const ScanFiles& files, const std::string& folder) {
    const fs::path there = folder;
    for (std::string* pattern : spec.scan.projections.patterns())
        *pattern = (there / wholePattern(spec.scan, *pattern).lexically_relative(files.root))
                       .lexically_normal()
                       .string();
    spec.scan.path = (there / spec.scan.path.lexically_normal().lexically_relative(files.root))
                         .lexically_normal();
    spec.scan.folder = spec.scan.path.parent_path();
    return spec;
}

JobSpec asMapped(JobSpec spec, const Host& host) {
    const auto mapped = [&](const fs::path& path) {
        if (std::optional<std::string> there = mappedPath(host, path)) return *there;
        throwError<InputError>(
            "{} does not see {}: pathMap in its file has no folder above it. Add one, or have the "
            "files sent: --data send.",
            host.name, path.string());
    };
    for (std::string* pattern : spec.scan.projections.patterns())
        *pattern = mapped(wholePattern(spec.scan, *pattern));
    spec.scan.path = mapped(spec.scan.path);
    spec.scan.folder = spec.scan.path.parent_path();
    return spec;
}

}  // namespace gantry
