#include "core/scan/guess/frame_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "core/io/volume/record_path.h"
#include "core/io/volume/stored_volume.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Does the same as matchViews(), but "." as a pattern would stay in the paths.
std::vector<fs::path> filesOf(const fs::path& folder, const std::string& pattern) {
    std::vector<fs::path> files = matchViews(folder, pattern);
    for (fs::path& file : files)
        file = folder / file.filename();
    return files;
}

// A MetaImage may hold either.
bool isMarkedVolume(const fs::path& file) {
    return formatByName(file) != ".mha" && isStoredVolume(file);
}

// Splits projections by the families of their names, if most are of one; names without a number
// in common are no families. Volumes that were written among them are told apart.
void addProjections(std::vector<fs::path> files, const fs::path& folder,
                    std::vector<FrameGroup>& groups) {
    const auto add = [&](std::vector<fs::path> some, bool isVolume) {
        FrameGroup group{FrameRole::projections, folder, std::move(some), {}};
        group.isVolume =
            isVolume || (group.files.size() == 1 && isMarkedVolume(group.files.front()));
        groups.push_back(std::move(group));
    };
    const auto volumes =
        std::stable_partition(files.begin(), files.end(),
                              [](const fs::path& file) { return !pathExists(recordPath(file)); });
    for (auto volume = volumes; volume != files.end(); ++volume)
        add({*volume}, true);
    files.erase(volumes, files.end());
    if (files.empty()) return;
    std::map<std::string, std::vector<fs::path>> families;
    for (const fs::path& file : files)
        families[familyOfName(file.filename().string())].push_back(file);
    const bool isSplit = std::ranges::any_of(families, [&](const auto& family) {
        return family.second.size() > 1 && 2 * family.second.size() >= files.size();
    });
    if (!isSplit) return add(std::move(files), false);
    for (auto& family : families)
        add(std::move(family.second), false);
}

// Adds the images of a folder; if the folder's name has a role, all of them get it.
void addFolder(const fs::path& folder, FrameRole folderRole, std::vector<FrameGroup>& groups,
               std::string& whyNot) {
    const bool isByFolder = folderRole != FrameRole::projections;
    std::map<std::tuple<FrameRole, FrameTime, std::string, std::string>, std::vector<fs::path>>
        byRole;
    const FrameTime folderWhen = timeOfName(folder.filename().string());
    try {
        for (const fs::path& file : filesOf(folder, ".")) {
            const std::string name = file.stem().string();
            const FrameRole role = isByFolder ? folderRole : roleOfName(name);
            const FrameTime when = role == FrameRole::projections     ? FrameTime::unknown
                                   : folderWhen != FrameTime::unknown ? folderWhen
                                                                      : timeOfName(name);
            // Fields of several formats are several groups, as are views and a volume among them.
            // "white_mouse_007" and "white_007" are not of one kind.
            const bool isOther =
                role != FrameRole::projections && !isByFolder && !saysFramesAlone(name, {});
            byRole[{role, when, formatByName(file),
                    isOther ? familyOfName(file.filename().string()) : ""}]
                .push_back(file);
        }
    } catch (const InputError& error) {
        if (whyNot.empty()) whyNot = error.what();
    }
    for (auto& [kind, files] : byRole) {
        const FrameRole role = std::get<0>(kind);
        if (role == FrameRole::projections) {
            addProjections(std::move(files), folder, groups);
            continue;
        }
        FrameGroup group{role, folder, std::move(files), {}, std::get<1>(kind), isByFolder};
        group.reason = isByFolder ? fmt::format("Taken for that by the name of the folder {}",
                                                nameOfRole(group))
                                  : fmt::format("Taken for that by the names of the files, as {}",
                                                group.files.front().filename().string());
        groups.push_back(std::move(group));
    }
}

bool isFolderOfImages(const fs::path& entry) {
    return isFolder(entry) && !isStoredVolume(entry) && !pathExists(entry / "job.json");
}

}  // namespace

std::vector<FrameGroup> groupsAround(const fs::path& folder, std::string& whyNot) {
    std::vector<FrameGroup> groups;
    addFolder(folder, FrameRole::projections, groups, whyNot);
    for (const fs::path& entry : entriesOf(folder))
        if (isFolderOfImages(entry))
            addFolder(entry, roleOfName(entry.filename().string()), groups, whyNot);
    std::vector<fs::path> siblings;
    try {
        siblings = entriesOf(folder.parent_path());
    } catch (const InputError&) {
        // A folder without read permission counts as empty.
    }
    std::string ignored;
    const std::size_t inside = groups.size();
    for (const fs::path& entry : siblings) {
        const FrameRole role = roleOfName(entry.filename().string());
        if (role != FrameRole::projections && entry != folder && isFolderOfImages(entry))
            addFolder(entry, role, groups, ignored);
    }
    for (std::size_t i = inside; i < groups.size(); ++i)
        groups[i].isNeighbour = true;
    return groups;
}

FrameGroup groupOfFile(const fs::path& file, const std::string& entry) {
    FrameGroup group = {FrameRole::projections, file.parent_path(), {file}, {}};
    if (openSource({file}, {.entry = entry})->info().views > 1) return group;
    const std::string family = familyOfName(file.filename().string());
    std::vector<fs::path> sequence;
    for (const fs::path& other : filesOf(group.folder, "."))
        if (familyOfName(other.filename().string()) == family) sequence.push_back(other);
    if (sequence.size() > 1) {
        group.reason = fmt::format("The file is one of {} whose names differ in their number",
                                   sequence.size());
        group.files = std::move(sequence);
    }
    return group;
}

std::string patternOf(const FrameGroup& group) {
    std::string first = group.files.front().filename().string();
    if (group.files.size() == 1) return first;
    std::string begin = first;
    std::string end = first;
    for (const fs::path& file : group.files) {
        const std::string name = file.filename().string();
        begin.erase(std::mismatch(begin.begin(), begin.end(), name.begin(), name.end()).first,
                    begin.end());
        const auto different =
            std::mismatch(end.rbegin(), end.rend(), name.rbegin(), name.rend()).first;
        end.erase(end.begin(), different.base());
    }
    // Digits that all names share belong to their numbers.
    constexpr const char* kDigits = "0123456789";
    begin.erase(begin.find_last_not_of(kDigits) + 1);
    end.erase(0, end.find_first_not_of(kDigits));
    const std::size_t width = first.size() - std::min(first.size(), begin.size() + end.size());
    const std::string extension = group.files.front().extension().string();
    for (const std::string& pattern :
         {fmt::format("{}*{}", begin, end), fmt::format("{}{:?>{}}{}", begin, "", width, end),
          fmt::format("*{}", extension), std::string(".")}) {
        try {
            if (filesOf(group.folder, pattern) == group.files) return pattern;
        } catch (const InputError&) {
            // The pattern matches other files too, among which some are missing.
        }
    }
    return {};
}

std::string formatByName(const fs::path& file) {
    const std::string extension = inLowerCase(file.extension().string());
    if (extension == ".tiff") return ".tif";
    if (extension == ".mhd") return ".mha";
    return extension.starts_with(".h") || extension.starts_with(".nx") ? ".h5" : extension;
}

std::string nameOfRole(const FrameGroup& group) {
    return group.isByFolder ? group.folder.filename().string()
                            : group.files.front().stem().string();
}

}  // namespace gantry
