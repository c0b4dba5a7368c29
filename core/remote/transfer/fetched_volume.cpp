#include "core/remote/transfer/fetched_volume.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/throw_error.h"
#include "core/io/volume/stored_volume.h"
#include "core/io/volume/volume_format.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// When the file was written, moved to its name or given another time, in seconds and nanoseconds;
// nothing if there is none. The time that it carries may be much older.
std::optional<std::pair<Index, Index>> changeOf(const fs::path& file) {
    struct stat facts {};
    if (::lstat(file.c_str(), &facts) != 0) return std::nullopt;
    return std::pair<Index, Index>(facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec);
}

bool areAlike(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error)) return true;
    if (fs::symlink_status(b, error).type() != fs::file_type::regular) return false;
    const File first(a, File::Mode::read);
    const File second(b, File::Mode::read);
    const Index bytes = first.sizeBytes();
    if (second.sizeBytes() != bytes) return false;
    constexpr Index kPiece = 4'000'000;
    std::vector<std::byte> left(static_cast<std::size_t>(std::min(kPiece, bytes)));
    std::vector<std::byte> right(left.size());
    for (Index begin = 0; begin < bytes; begin += kPiece) {
        const auto count = static_cast<std::size_t>(std::min(kPiece, bytes - begin));
        first.readAt(begin, std::span(left).first(count));
        second.readAt(begin, std::span(right).first(count));
        if (!std::equal(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count),
                        right.begin()))
            return false;
    }
    return true;
}

// The script's time of change is that of the hand-over, or of the last files that were taken.
fs::path markOf(const RemoteJob& job) {
    return job.folder / RemoteJob::kScript;
}

}  // namespace

void requireListedSizes(const std::string& host, const FetchedFolder& fetched,
                        const std::vector<HostFile>& files) {
    for (const HostFile& file : files)
        if (const Index bytes = fetched.bytesOf(file.name); bytes != file.bytes)
            throwError<ResourceError>("{} listed {} with {} bytes, and sent {}. Fetch it again.",
                                      host, shownText(file.name), file.bytes, bytes);
}

void requireVolumeOf(const JobSpec& spec, const std::string& host, const FetchedFolder& fetched) {
    const fs::path name = placeOf(spec.output.path).filename();
    const auto refuse = [&](const std::string& reason) {
        throwError<ResourceError>(
            "What {} sent is not the volume of this job, and is left in {}: {}", host,
            fetched.path().string(), reason);
    };
    try {
        const StoredVolume volume = openStoredVolume(fetched.path() / name);
        const std::array<Index, 3>& has = volume.grid.voxels;
        const std::array<Index, 3>& wanted = spec.volume.voxels;
        if (has != wanted)
            refuse(fmt::format("it has {} × {} × {} voxels instead of {} × {} × {}.", has[0],
                               has[1], has[2], wanted[0], wanted[1], wanted[2]));
        if (volume.encoding.type != spec.output.type)
            refuse(fmt::format("its voxels are {} instead of {}.",
                               gantry::name(volume.encoding.type), gantry::name(spec.output.type)));
    } catch (const InputError& error) {
        refuse(error.message());
    }
}

void takeVolume(const RemoteJob& job, const FetchedFolder& fetched,
                const std::vector<HostFile>& files, const fs::path& folder) {
    const auto mark = changeOf(markOf(job));
    for (const HostFile& file : files) {
        const fs::path place = folder / file.name;
        const auto change = changeOf(place);
        if (mark && change && *change > *mark && !areAlike(fetched.path() / file.name, place))
            throwError<InputError>(
                "{} was written after the job had been handed over, and not by it. Move it away, "
                "and fetch again.",
                place.string());
    }
    for (const HostFile& file : files)
        fetched.moveTo(file.name, folder, folder / file.name);
    std::error_code ignored;
    fs::last_write_time(markOf(job), fs::file_time_type::clock::now(), ignored);
}

}  // namespace gantry
