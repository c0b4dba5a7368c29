#include "core/io/tiff/tiff_folder_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/base/written_place.h"
#include "core/io/tiff/tiff_file.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/volume_description.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "slice_";
constexpr std::string_view kSuffix = ".tif";
// Max size of a TIFF file with 32-bit offsets, with room for its tags.
constexpr Index kMaxClassicBytes = 4'000'000'000;

bool isSliceName(const std::string& name) {
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return false;
    const auto digits = std::string_view(name).substr(
        kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
    return digits.size() >= 4 &&
           std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
}

void emptyOfSlices(const fs::path& folder) noexcept {
    std::error_code ignored;
    std::vector<fs::path> slices;
    for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored))
        if (isSliceName(entry->path().filename().string())) slices.push_back(entry->path());
    for (const fs::path& slice : slices)
        fs::remove(slice, ignored);
}

// Removes the slices in a folder, and the folder if nothing else is in it.
void removeSlices(const fs::path& folder) noexcept {
    emptyOfSlices(folder);
    std::error_code ignored;
    fs::remove(folder, ignored);
}

// The name of an older folder while a new one takes its place.
fs::path oldName(const fs::path& part) {
    return part.string() + ".old";
}

}  // namespace

bool holdsOnlySlices(const fs::path& folder) {
    std::error_code error;
    bool only = true;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        only = only && isSliceName(entry->path().filename().string());
    if (error)
        throwError<InputError>("{}: the folder cannot be read: {}", folder.string(),
                               error.message());
    return only;
}

TiffFolderSink::TiffFolderSink(fs::path folder, const VolumeGrid& grid,
                               const VoxelEncoding& encoding, SinkStart start)
    : m_folder(std::move(folder)),
      m_part(partName(m_folder)),
      m_grid(grid),
      m_encoding(encoding),
      m_description(toJson({grid, encoding})),
      m_written(grid.voxels[2], false) {
    start == SinkStart::fresh ? create() : reopen(start);
}

fs::path TiffFolderSink::sliceFile(Index z) const {
    const auto digits = std::max<std::size_t>(4, fmt::format("{}", m_grid.voxels[2] - 1).size());
    return m_part / fmt::format("{}{:0{}}{}", kPrefix, z, digits, kSuffix);
}

void TiffFolderSink::create() {
    makeFolder(m_part);
    std::error_code error;
    m_lock = File(m_part, File::Mode::folder);
    claim(m_lock, m_folder);
    emptyOfSlices(m_part);
    const bool empty = fs::is_empty(m_part, error);
    if (error)
        throwError<InputError>("{}: the folder cannot be read: {}", m_part.string(),
                               error.message());
    if (!empty)
        throwError<InputError>(
            "The folder {} holds other files. Remove it, or choose another place.",
            m_part.string());
}

void TiffFolderSink::reopen(SinkStart start) {
    std::error_code ignored;
    if (!fs::is_directory(m_part, ignored)) {
        // The run was complete, so the rest of the older volume is removed.
        if (fs::is_directory(m_folder, ignored)) removeSlices(oldName(m_part));
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
            described = TiffReader(file).description() == m_description;
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

void TiffFolderSink::put(Index zBegin, Span3<const float> voxels, int threads) {
    require(zBegin >= 0 && zBegin + voxels.size(0) <= m_grid.voxels[2] &&
                voxels.size(1) == m_grid.voxels[1] && voxels.size(2) == m_grid.voxels[0],
            "slices do not fit the volume that they belong to");
    const auto sliceVoxels = static_cast<std::size_t>(voxels.size(1) * voxels.size(2));
    const bool asItIs = m_encoding.type == PixelType::float32;
    parallelFor(threads, voxels.size(0), 1, [&](Index z, Index, int) {
        const std::span slice(voxels.row(z, 0), sliceVoxels);
        HostBuffer<std::byte> stored(
            asItIs ? 0 : static_cast<Index>(sliceVoxels) * sizeBytes(m_encoding.type));
        if (!asItIs) encode(m_encoding, slice, stored.span());
        writeSlice(zBegin + z, asItIs ? std::as_bytes(slice) : stored.span());
        m_written.add({zBegin + z, zBegin + z + 1});
    });
}

void TiffFolderSink::writeSlice(Index z, std::span<const std::byte> pixels) {
    TiffPage page;
    page.columns = m_grid.voxels[0];
    page.rows = m_grid.voxels[1];
    page.type = m_encoding.type;
    page.pitchMm = {m_grid.pitchMm[0], m_grid.pitchMm[1]};
    page.description = m_description;
    const bool large = std::ssize(pixels) > kMaxClassicBytes;
    TiffWriter writer(sliceFile(z), large ? TiffWriter::Mode::big : TiffWriter::Mode::classic);
    writer.write(page, pixels);
    writer.close();
    const std::lock_guard lock(m_mutex);
    m_unsynced.push_back(z);
}

void TiffFolderSink::flush() {
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

void TiffFolderSink::complete(int /*threads*/, const std::stop_token& /*stop*/) {
    m_written.requireAll();
    flush();
    std::error_code ignored;
    const fs::path old = oldName(m_part);
    if (fs::exists(m_folder, ignored)) {
        if (!holdsOnlySlices(m_folder))
            throwError<InputError>(
                "The folder {} holds other files and was not replaced. The volume is in {}.",
                m_folder.string(), m_part.string());
        // A folder that is not empty cannot be replaced by renaming, and a killed run may have left
        // one.
        removeSlices(old);
        // Exchanging the two names in one step would leave the older volume under the temporary
        // name: a run killed right then would be resumed with it.
        renameFile(m_folder, old);
    }
    renameFile(m_part, m_folder);
    removeSlices(old);
    m_lock.close();
}

void TiffFolderSink::discard() noexcept {
    removeSlices(m_part);
    m_lock = File();
}

}  // namespace gantry
