#include "core/remote/transfer/fetched_folder.h"

#include <chrono>
#include <system_error>

#include "core/base/throw_error.h"
#include "core/base/wait.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void failToMake(const fs::path& path, const std::error_code& error) {
    throwError<ResourceError>("The folder {} cannot be made: {}.", path.string(),
                              error ? error.message() : "something else has that name");
}

void makeFolder(const fs::path& path) {
    std::error_code error;
    fs::create_directory(path, error);
    if (fs::symlink_status(path, error).type() != fs::file_type::directory) failToMake(path, error);
}

// Makes the folders from `top` down to `folder`. Each must be a folder itself: a link may lead
// anywhere.
void makeFoldersBelow(const fs::path& top, const fs::path& folder) {
    fs::path made = top;
    for (const fs::path& part : folder.lexically_relative(top)) {
        if (part == ".") continue;
        made /= part;
        makeFolder(made);
    }
}

// A file that has a second name is one that was taken from its place: what is written into it would
// change that one.
void removeLinked(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> linked;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error))
        if (entry.is_symlink(error) ||
            (entry.is_regular_file(error) && entry.hard_link_count() > 1))
            linked.push_back(entry.path());
    for (const fs::path& each : linked)
        removeFile(each);
}

}  // namespace

FetchedFolder::FetchedFolder(const fs::path& job, const std::stop_token& stop)
    : m_path(job / "fetched") {
    while (true) {
        makeFolder(m_path);
        m_lock = File(m_path, File::Mode::folder);
        if (m_lock.tryLock()) break;
        waitFor(std::chrono::milliseconds(100), stop);
    }
    removeLinked(m_path);
}

void FetchedFolder::seed(const std::string& name, const fs::path& from) const {
    const fs::path file = m_path / name;
    std::error_code error;
    if (fs::symlink_status(from, error).type() != fs::file_type::regular) return;
    if (fs::exists(file, error)) return;
    makeFoldersBelow(m_path, file.parent_path());
    fs::copy_file(from, file, error);
}

Index FetchedFolder::bytesOf(const std::string& name) const {
    std::error_code error;
    const fs::path file = m_path / name;
    const bool isFile = fs::symlink_status(file, error).type() == fs::file_type::regular;
    const std::uintmax_t bytes = isFile ? fs::file_size(file, error) : 0;
    if (!isFile || error)
        throwError<ResourceError>("{} did not arrive. Fetch it again.", shownText(name));
    return static_cast<Index>(bytes);
}

void FetchedFolder::moveTo(const std::string& name, const fs::path& folder,
                           const fs::path& place) const {
    makeFoldersBelow(folder, place.parent_path());
    if (fs::is_directory(fs::symlink_status(place)))
        throwError<InputError>(
            "{} is a folder, and the fetched file has that name. Move it "
            "away, and fetch again.",
            place.string());
    std::error_code error;
    fs::rename(m_path / name, place, error);
    if (!error) return;
    if (error != std::errc::cross_device_link) return renameFile(m_path / name, place);
    fs::path part = place;
    part += ".fetching";
    removeFile(part);
    fs::copy_file(m_path / name, part, error);
    if (error) throwError<ResourceError>("Cannot write {}: {}.", part.string(), error.message());
    renameFile(part, place);
}

void FetchedFolder::remove() const {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

}  // namespace gantry
