#include "core/remote/transfer/sent_files.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/metaimage/metaimage_header.h"
#include "core/io/series/match_files.h"
#include "core/io/volume/volume_format.h"
#include "core/job/provenance.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

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

// The request with other places of the same files.
template <class PlaceOf>
JobSpec withPlaces(JobSpec spec, const PlaceOf& place) {
    for (std::string* pattern : spec.scan.projections.patterns())
        *pattern = place((spec.scan.folder / *pattern).lexically_normal()).string();
    spec.scan.path = place(spec.scan.path.lexically_normal());
    spec.scan.folder = spec.scan.path.parent_path();
    return spec;
}

fs::path commonFolder(const fs::path& a, const fs::path& b) {
    fs::path common;
    auto i = a.begin();
    for (auto j = b.begin(); i != a.end() && j != b.end() && *i == *j; ++i, ++j)
        common /= *i;
    return common;
}

bool isOfARun(const std::string& name) {
    return name == "checkpoint.json" || name == "summary.bin" ||
           name.starts_with("checkpoint.rank") || name.starts_with("events.");
}

void addFile(const fs::path& path, const std::string& name, std::vector<HostFile>& files) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (!error) files.push_back({name, static_cast<Index>(bytes)});
}

// Adds the files of the unfinished volume, under their temporary names.
void addUnfinished(const fs::path& output, std::vector<HostFile>& files) {
    const fs::path volume = placeOf(output);
    const std::string name = volume.filename().string();
    for (const fs::path& entry : entriesOf(volume.parent_path())) {
        const std::string own = entry.filename().string();
        if (own == name || own.find(name + ".") == std::string::npos) continue;
        if (own.ends_with(".job") || own.ends_with(".fetching")) continue;
        if (!isFolder(entry)) {
            addFile(entry, own, files);
            continue;
        }
        for (const auto& below : fs::recursive_directory_iterator(entry))
            if (below.is_regular_file())
                addFile(below.path(),
                        below.path().lexically_relative(volume.parent_path()).string(), files);
    }
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
    return withPlaces(std::move(spec), [&](const fs::path& path) {
        return (folder / path.lexically_relative(files.root)).lexically_normal();
    });
}

JobSpec asMapped(JobSpec spec, const Host& host) {
    return withPlaces(std::move(spec), [&](const fs::path& path) -> fs::path {
        if (std::optional<std::string> there = mappedPath(host, path)) return *there;
        throwError<InputError>(
            "{} does not see {}: pathMap in its file has no folder above it. Add one, or have the "
            "files sent: --data send.",
            host.name, path.string());
    });
}

CheckpointFiles checkpointFiles(const fs::path& folder, const fs::path& output) {
    CheckpointFiles files;
    if (!pathExists(folder / "checkpoint.json")) return files;
    for (const fs::path& entry : entriesOf(folder))
        if (const std::string name = entry.filename().string(); isOfARun(name))
            addFile(entry, name, files.ofJob);
    addUnfinished(output, files.ofVolume);
    return files;
}

}  // namespace gantry
