#include "core/io/volume/slice_folder_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/base/written_place.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/volume_format.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "slice_";
// In an unfinished folder, what all its slices share.
constexpr std::string_view kIdentityName = ".identity";

bool isSliceName(const std::string& name, std::string_view ending) {
    if (!name.starts_with(kPrefix) || !name.ends_with(ending)) return false;
    const auto digits =
        std::string_view(name).substr(kPrefix.size(), name.size() - kPrefix.size() - ending.size());
    return digits.size() >= 4 &&
           std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
}

void emptyOfSlices(const fs::path& folder, std::string_view ending) noexcept {
    std::error_code ignored;
    std::vector<fs::path> slices;
    for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored))
        if (isSliceName(entry->path().filename().string(), ending)) slices.push_back(entry->path());
    for (const fs::path& slice : slices)
        fs::remove(slice, ignored);
    fs::remove(folder / kIdentityName, ignored);
}

// Removes the slices in a folder, and the folder if nothing else is in it.
void removeSlices(const fs::path& folder, std::string_view ending) noexcept {
    emptyOfSlices(folder, ending);
    std::error_code ignored;
    fs::remove(folder, ignored);
}

// The name of an older folder while a new one takes its place.
fs::path oldName(const fs::path& part) {
    return part.string() + ".old";
}

// Whether all entries of a folder are slices as this sink names them.
bool holdsOnlySlices(const fs::path& folder, std::string_view ending) {
    std::error_code error;
    bool only = true;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        only = only && isSliceName(entry->path().filename().string(), ending);
    if (error)
        throwError<InputError>("{}: the folder cannot be read: {}", folder.string(),
                               error.message());
    return only;
}

}  // namespace

void checkSliceFolder(const fs::path& place, std::string_view ending) {
    if (!pathExists(place)) return;
    if (!isFolder(place))
        refuseOutput(place, "it is a file, and a folder is needed; choose another name");
    if (!holdsOnlySlices(place, ending))
        refuseOutput(place,
                     "the folder holds other files than slices; choose a new or empty folder");
}

SliceFolderSink::SliceFolderSink(fs::path folder, const VolumeGrid& grid,
                                 const VoxelEncoding& encoding, SliceFiles files, SinkStart start)
    : m_folder(std::move(folder)),
      m_part(partName(m_folder)),
      m_grid(grid),
      m_encoding(encoding),
      m_files(std::move(files)),
      m_written(grid.voxels[2], false) {
    start == SinkStart::fresh ? create() : reopen(start);
}

fs::path SliceFolderSink::sliceFile(Index z) const {
    const auto digits = std::max<std::size_t>(4, fmt::format("{}", m_grid.voxels[2] - 1).size());
    return m_part / fmt::format("{}{:0{}}{}", kPrefix, z, digits, m_files.ending);
}

void SliceFolderSink::create() {
    makeFolder(m_part);
    std::error_code error;
    m_lock = File(m_part, File::Mode::folder);
    claim(m_lock, m_folder);
    emptyOfSlices(m_part, m_files.ending);
    const bool empty = fs::is_empty(m_part, error);
    if (error)
        throwError<InputError>("{}: the folder cannot be read: {}", m_part.string(),
                               error.message());
    if (!empty)
        throwError<InputError>(
            "The folder {} holds other files. Remove it, or choose another place.",
            m_part.string());
    if (!m_files.makeIdentity) return;
    m_identity = m_files.makeIdentity();
    File identity(m_part / kIdentityName, File::Mode::create);
    identity.writeAt(0, std::as_bytes(std::span(m_identity)));
    identity.sync();
    identity.close();
}

void SliceFolderSink::reopen(SinkStart start) {
    std::error_code ignored;
    if (m_files.makeIdentity && fs::exists(m_part / kIdentityName, ignored))
        m_identity = readTextFile(m_part / kIdentityName);
    const bool isIdentified = !m_files.makeIdentity || !m_identity.empty();
    if (!fs::is_directory(m_part, ignored) || !isIdentified) {
        // The run was complete, so the rest of the older volume is removed.
        if (fs::is_directory(m_folder, ignored)) removeSlices(oldName(m_part), m_files.ending);
        throwError<InputError>(
            "The unfinished volume {} is gone. Start the job again from the beginning.",
            m_part.string());
    }
    m_lock = File(m_part, File::Mode::folder);
    if (start != SinkStart::joined) claim(m_lock, m_folder);
    bool described = false;
    for (Index z = 0; z < m_grid.voxels[2]; ++z) {
        const fs::path file = sliceFile(z);
        if (!fs::exists(file, ignored)) continue;
        m_written.add({z, z + 1});
        if (described) continue;
        // The slice that was being written when the run was killed may be cut off.
        try {
            described = m_files.belongs(file);
        } catch (const InputError&) {
            continue;
        }
        if (!described)
            throwError<InputError>(
                "The unfinished volume {} differs in size, type or place from the one asked for. "
                "Start the job again from the beginning.",
                m_part.string());
    }
}

void SliceFolderSink::put(Index zBegin, Span3<const float> voxels, int threads) {
    require(zBegin >= 0 && zBegin + voxels.size(0) <= m_grid.voxels[2] &&
                voxels.size(1) == m_grid.voxels[1] && voxels.size(2) == m_grid.voxels[0],
            "slices do not fit the volume that they belong to");
    const auto sliceVoxels = static_cast<std::size_t>(voxels.size(1) * voxels.size(2));
    const bool asItIs = m_encoding.isPlain();
    parallelFor(threads, voxels.size(0), 1, [&](Index z, Index, int) {
        const std::span slice(voxels.row(z, 0), sliceVoxels);
        HostBuffer<std::byte> stored(
            asItIs ? 0 : static_cast<Index>(sliceVoxels) * sizeBytes(m_encoding.type));
        if (!asItIs) encode(m_encoding, slice, stored.span());
        writeSlice(zBegin + z, asItIs ? std::as_bytes(slice) : stored.span());
        m_written.add({zBegin + z, zBegin + z + 1});
    });
}

void SliceFolderSink::writeSlice(Index z, std::span<const std::byte> pixels) {
    m_files.write(sliceFile(z), z, pixels, m_identity);
    const std::lock_guard lock(m_mutex);
    m_unsynced.push_back(z);
}

void SliceFolderSink::flush() {
    std::vector<Index> slices;
    {
        const std::lock_guard lock(m_mutex);
        slices.swap(m_unsynced);
    }
    for (const Index z : slices)
        File(sliceFile(z), File::Mode::update).sync();
    // The folder is synced for the slices' names.
    m_lock.sync();
}

void SliceFolderSink::complete(int /*threads*/, const std::stop_token& /*stop*/) {
    m_written.requireAll();
    flush();
    std::error_code ignored;
    const fs::path old = oldName(m_part);
    if (fs::exists(m_folder, ignored)) {
        if (!holdsOnlySlices(m_folder, m_files.ending))
            throwError<InputError>(
                "The folder {} holds other files and was not replaced. The volume is in {}.",
                m_folder.string(), m_part.string());
        // A folder that is not empty cannot be replaced by renaming, and a killed run may have left
        // one.
        removeSlices(old, m_files.ending);
        // Exchanging the two names in one step would leave the older volume under the temporary
        // name: a run killed right then would be resumed with it.
        renameFile(m_folder, old);
    }
    removeFile(m_part / kIdentityName);
    renameFile(m_part, m_folder);
    removeSlices(old, m_files.ending);
    m_lock.close();
}

void SliceFolderSink::discard() noexcept {
    removeSlices(m_part, m_files.ending);
    m_lock = File();
}

}  // namespace gantry
