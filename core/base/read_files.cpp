#include "core/base/read_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/system_fault.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Identity = std::pair<dev_t, ino_t>;

std::optional<Identity> identityOf(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return Identity{status.st_dev, status.st_ino};
}

// The folders around a file or folder, from the nearest to the root.
std::vector<fs::path> foldersAround(const fs::path& path) {
    std::error_code error;
    fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
    std::vector<fs::path> folders;
    while (!error && place.has_relative_path()) {
        place = place.parent_path();
        folders.push_back(place);
    }
    return folders;
}

[[noreturn]] void refuse(const fs::path& output, const std::string& sentence) {
    throw InputError(
        fmt::format("Cannot write {}: {}. Choose another name.", output.string(), sentence),
        {.field = "output.path"});
}

}  // namespace

void ReadFiles::add(const fs::path& file, const std::string& what) {
    const std::optional<Identity> identity = identityOf(file);
    if (!identity || !m_files.try_emplace(*identity, Known{file, what}).second) return;
    // Most files of a scan lie in one folder.
    if (file.parent_path() == m_lastFolder && !m_around.empty()) return;
    m_lastFolder = file.parent_path();
    for (const fs::path& folder : foldersAround(file))
        if (const std::optional<Identity> around = identityOf(folder))
            m_around.try_emplace(*around, Known{file, what});
}

void ReadFiles::addFolder(const fs::path& folder, const std::string& what) {
    const std::optional<Identity> identity = identityOf(folder);
    if (!identity) return;
    m_folders.try_emplace(*identity, Known{folder, what});
    for (const fs::path& outer : foldersAround(folder))
        if (const std::optional<Identity> around = identityOf(outer))
            m_around.try_emplace(*around, Known{folder, what});
}

void ReadFiles::addRule(std::function<bool(const fs::path&)> isOne, const std::string& what) {
    m_rules.emplace_back(std::move(isOne), what);
}

void ReadFiles::requireApart(const fs::path& output) const {
    requireNameFits(output);
    const std::optional<Identity> identity = identityOf(output);
    if (!identity) {
        for (const auto& [isOne, what] : m_rules)
            if (isOne(output)) refuse(output, fmt::format("it would be read as {}", what));
        return;
    }
    if (const auto file = m_files.find(*identity); file != m_files.end())
        refuse(output, fmt::format("it is read as {}, and would be lost", file->second.what));
    if (const auto inside = m_around.find(*identity); inside != m_around.end())
        refuse(output, fmt::format("it holds {}, which is read as {} and would be lost",
                                   inside->second.path.filename().string(), inside->second.what));
    if (m_folders.empty()) return;
    const auto requireOutside = [&](const Identity& place) {
        if (const auto folder = m_folders.find(place); folder != m_folders.end())
            refuse(output, fmt::format("it is part of {}, which is read as {} and would be lost",
                                       folder->second.path.string(), folder->second.what));
    };
    requireOutside(*identity);
    for (const fs::path& folder : foldersAround(output))
        if (const std::optional<Identity> around = identityOf(folder)) requireOutside(*around);
}

void ReadFiles::requireApart(const std::vector<fs::path>& outputs) const {
    for (const fs::path& output : outputs)
        requireApart(output);
}

void requireNameFits(const fs::path& output) {
    // The ending is that of writeFileAtomically(), with the longest number that a process has.
    constexpr std::string_view kLongestEnding = ".4194304.part";
    fs::path part = output.has_filename() ? output : output.parent_path();
    part += kLongestEnding;
    struct stat status {};
    if (::lstat(part.c_str(), &status) != 0 && errno == ENAMETOOLONG)
        throwSystemFault(output, "cannot be written", ENAMETOOLONG);
}

}  // namespace gantry
