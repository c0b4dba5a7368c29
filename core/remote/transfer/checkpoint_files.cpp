#include "core/remote/transfer/checkpoint_files.h"

#include <cstdint>
#include <string>
#include <system_error>

#include "core/base/file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

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
    const fs::path volume = output.has_filename() ? output : output.parent_path();
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
