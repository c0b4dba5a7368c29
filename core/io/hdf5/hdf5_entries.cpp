#include "core/io/hdf5/hdf5_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/hdf5/hdf5_exchange.h"
#include "core/io/hdf5/hdf5_nxtomo.h"
#include "core/io/hdf5/hdf5_trial.h"
#include "core/io/hdf5/hdf5_volume_header.h"

namespace gantry {
namespace {

// Stacks of images in a group and in those in it. A file with many groups is something else.
void findStacks(const Hdf5File& file, const std::string& group, int depth, int& groupsLeft,
                std::vector<std::string>& found) {
    if (--groupsLeft < 0) return;
    const std::string above = group == "/" ? "" : group;
    for (const std::string& name : file.stacksIn(group))
        found.push_back(fmt::format("{}/{}", above, name));
    if (depth == 0) return;
    for (const std::string& name : file.groupsIn(group))
        findStacks(file, fmt::format("{}/{}", above, name), depth - 1, groupsLeft, found);
}

std::string withSlash(std::string entry) {
    while (entry.size() > 1 && entry.ends_with('/'))
        entry.pop_back();
    return entry.starts_with('/') ? entry : "/" + entry;
}

bool isStack(const Hdf5File& file, const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string group = slash == 0 ? "/" : path.substr(0, slash);
    if (group != "/" && !file.has(group)) return false;
    return std::ranges::count(file.stacksIn(group), path.substr(slash + 1)) > 0;
}

[[noreturn]] void refuseEntry(const Hdf5File& file, const std::string& entry) {
    std::vector<std::string> known = tomographyEntries(file);
    if (known.empty()) known = imageStacks(file);
    const std::string start = fmt::format("has no scan in the entry {}", quotable(entry));
    if (known.empty()) throwErrorOf<FileError>(file.path(), "{}, nor in any other", start);
    throwErrorOf<FileError>(file.path(), "{}. There {} {}", start, known.size() == 1 ? "is" : "are",
                            listedEntries(known));
}

}  // namespace

std::vector<std::string> imageStacks(const Hdf5File& file) {
    constexpr int kMaxDepth = 4;
    int groupsLeft = 200;
    std::vector<std::string> stacks;
    findStacks(file, "/", kMaxDepth, groupsLeft, stacks);
    if (groupsLeft < 0) stacks.clear();
    return stacks;
}

std::vector<std::string> tomographyEntries(const Hdf5File& file) {
    if (std::vector<std::string> entries = nxTomoEntries(file); !entries.empty()) return entries;
    if (!file.attribute("/exchange/data", kHdf5Description).empty()) return {};
    if (std::vector<std::string> groups = exchangeGroups(file); !groups.empty()) return groups;
    return hasExchangeFrames(file) ? std::vector<std::string>() : imageStacks(file);
}

Hdf5Tomography framesOf(const std::string& dataset) {
    Hdf5Tomography frames;
    frames.layout = "no known layout";
    frames.projections.dataset = dataset;
    frames.stated.where = "the dataset " + dataset;
    return frames;
}

Hdf5Tomography readEntry(const Hdf5File& file, const std::string& entry) {
    const std::string path = withSlash(entry);
    if (path != "/" && file.has(path)) {
        if (isNxTomo(file, path)) return readNxTomo(file, path);
        if (isStack(file, path)) return framesOf(path);
        if (isExchangeGroup(file, path)) return readExchange(file, path);
    }
    refuseEntry(file, entry);
}

std::string listedEntries(const std::vector<std::string>& entries) {
    constexpr std::size_t kMaxNamed = 10;
    std::vector<std::string> named(
        entries.begin(),
        entries.begin() + static_cast<std::ptrdiff_t>(std::min(entries.size(), kMaxNamed)));
    if (entries.size() > kMaxNamed)
        named.push_back(fmt::format("{} more", entries.size() - kMaxNamed));
    return listed(named, "and");
}

std::vector<std::string> entriesToChooseFrom(const Hdf5File& file) {
    std::vector<std::string> entries = tomographyEntries(file);
    // Which scan is meant is not asked where the file has a default one.
    if (entries.size() < 2 || "/" + file.attribute("/", "default") == entries.front()) return {};
    return entries;
}

std::string hdf5EntriesHere(const std::filesystem::path& path) {
    std::string lines;
    for (const std::string& entry : entriesToChooseFrom(Hdf5File(path)))
        if (entry.find('\n') == std::string::npos) lines += entry + "\n";
    return lines;
}

void quoteOtherEntries(const Hdf5File& file, StatedGeometry& stated) {
    const std::vector<std::string> entries = entriesToChooseFrom(file);
    if (entries.empty()) return;
    stated.remarks.push_back(
        {"projections.files",
         fmt::format("The file holds {} scans, of which {} is taken; the others are {}. For "
                     "another one, name it by --entry, or as projections.entry",
                     entries.size(), entries.front(),
                     listedEntries({entries.begin() + 1, entries.end()})),
         true});
}

}  // namespace gantry
