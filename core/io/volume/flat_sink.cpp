#include "core/io/volume/flat_sink.h"

#include <bit>
#include <system_error>

#include "core/base/parallel.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace fs = std::filesystem;

// Voxels go to disk as they are in memory, and every header declares little-endian.
static_assert(std::endian::native == std::endian::little);

namespace {

std::span<const std::byte> bytesOf(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

Index length(const std::string& text) {
    return std::ssize(text);
}

void writeText(const fs::path& path, const std::string& text) {
    File file(path, File::Mode::create);
    file.writeAt(0, bytesOf(text));
    file.sync();
    file.close();
}

void requireFits(Index zBegin, const Index (&sizes)[3], const VolumeGrid& grid) {
    require(zBegin >= 0 && zBegin + sizes[0] <= grid.voxels[2] && sizes[1] == grid.voxels[1] &&
                sizes[2] == grid.voxels[0],
            "slices do not fit the volume that they belong to");
}

}  // namespace

fs::path partName(const fs::path& path) {
    fs::path part = path;
    part += ".part";
    return part;
}

void claim(File& part, const fs::path& path) {
    if (!part.tryLock())
        throwError<InputError>(
            "Another job is writing {}. Wait for it to finish, or choose another place.",
            path.string());
}

FlatSink::FlatSink(FlatLayout layout, const VolumeGrid& grid, const VoxelEncoding& encoding,
                   SinkStart start)
    : m_layout(std::move(layout)),
      m_grid(grid),
      m_encoding(encoding),
      m_part(partName(m_layout.path)),
      m_companionPart(m_layout.companionPath.empty() ? fs::path()
                                                     : partName(m_layout.companionPath)),
      m_written(grid.voxels[2], start != SinkStart::fresh) {
    start == SinkStart::fresh ? create() : reopen(start);
}

void FlatSink::expect(std::span<const IndexRange> slices) {
    std::vector<IndexRange> bytes;
    for (const IndexRange& range : slices)
        bytes.push_back({offsetOf(range.begin), offsetOf(range.end)});
    m_memory.emplace(m_file, bytes);
}

void FlatSink::create() {
    // An existing file is emptied only once it is certain that nobody else writes it.
    m_file = File(m_part, File::Mode::keep);
    claim(m_file, m_layout.path);
    try {
        m_file.resize(0);
        m_file.writeAt(0, bytesOf(m_layout.before));
        m_file.resize(afterBegin() + length(m_layout.after));
        m_file.writeAt(afterBegin(), bytesOf(m_layout.after));
        if (!m_companionPart.empty()) writeText(m_companionPart, m_layout.companionText);
    } catch (...) {
        discard();
        throw;
    }
}

void FlatSink::reopen(SinkStart start) {
    std::error_code ignored;
    const bool named = !m_companionPart.empty() && fs::is_regular_file(m_layout.path, ignored) &&
                       fs::is_regular_file(m_companionPart, ignored) &&
                       !fs::exists(m_layout.companionPath, ignored);
    // A run was killed after the data got their final name, but before the companion did.
    if (named && !fs::exists(m_part, ignored)) renameFile(m_layout.path, m_part);
    if (!fs::is_regular_file(m_part, ignored))
        throwError<InputError>(
            "The unfinished volume {} is gone. Start the job again from the beginning.",
            m_part.string());
    m_file = File(m_part, File::Mode::update);
    if (start != SinkStart::joined) claim(m_file, m_layout.path);
    bool same = holdsTexts();
    if (!same && m_layout.former) {
        m_layout = FlatLayout(*m_layout.former);
        same = holdsTexts();
    }
    if (!m_companionPart.empty())
        same = same && fs::is_regular_file(m_companionPart, ignored) &&
               readTextFile(m_companionPart) == m_layout.companionText;
    if (!same)
        throwError<InputError>(
            "The unfinished volume {} differs in size, type or place from the one asked for, or "
            "another version of Gantry began it. Start the job again from the beginning.",
            m_part.string());
}

bool FlatSink::holdsTexts() const {
    const Index after = afterBegin();
    const auto holds = [&](Index offset, const std::string& text) {
        std::string found(text.size(), '\0');
        m_file.readAt(offset, std::as_writable_bytes(std::span(found)));
        return found == text;
    };
    return m_file.sizeBytes() == after + length(m_layout.after) && holds(0, m_layout.before) &&
           holds(after, m_layout.after);
}

Index FlatSink::offsetOf(Index zBegin) const {
    return length(m_layout.before) +
           zBegin * m_grid.voxels[1] * m_grid.voxels[0] * sizeBytes(m_encoding.type);
}

Index FlatSink::afterBegin() const {
    return offsetOf(m_grid.voxels[2]) + m_layout.madeBytes;
}

void FlatSink::makeOf(Index zBegin, Span3<const float> voxels, int threads) {
    const Index base = offsetOf(m_grid.voxels[2]);
    const auto write = [&](Index offset, std::span<const std::byte> bytes) {
        m_file.writeAt(base + offset, bytes);
    };
    const auto sliceVoxels = static_cast<std::size_t>(voxels.size(1) * voxels.size(2));
    parallelFor(threads, voxels.size(0), 1, [&](Index z, Index, int) {
        m_layout.make(zBegin + z, {voxels.row(z, 0), sliceVoxels}, write);
    });
}

void FlatSink::put(Index zBegin, Span3<const float> voxels, int threads) {
    requireFits(zBegin, {voxels.size(0), voxels.size(1), voxels.size(2)}, m_grid);
    const std::span all(voxels.data(), static_cast<std::size_t>(voxels.count()));
    const Index voxelBytes = sizeBytes(m_encoding.type);
    const Index bytes = voxels.count() * voxelBytes;
    const File::Room room =
        m_memory ? m_memory->take(offsetOf(zBegin), bytes) : File::Room::unknown;
    if (m_encoding.isPlain())
        m_file.writeAt(offsetOf(zBegin), std::as_bytes(all), threads, room);
    else
        m_file.writeMade(offsetOf(zBegin), bytes, threads, room,
                         [&](Index begin, std::span<std::byte> to) {
                             encode(m_encoding,
                                    all.subspan(begin / voxelBytes,
                                                to.size() / static_cast<std::size_t>(voxelBytes)),
                                    to);
                         });
    if (m_layout.make) makeOf(zBegin, voxels, threads);
    m_file.startSync(offsetOf(zBegin), offsetOf(zBegin + voxels.size(0)) - offsetOf(zBegin));
    m_written.add({zBegin, zBegin + voxels.size(0)});
}

void FlatSink::read(Index firstVoxel, std::span<float> voxels) const {
    require(m_encoding.isPlain(), "scaled voxels were to be read back");
    require(firstVoxel >= 0 && firstVoxel + std::ssize(voxels) <= m_grid.count(),
            "voxels that a volume does not have were to be read back");
    m_file.readAt(offsetOf(0) + firstVoxel * Index{sizeof(float)}, std::as_writable_bytes(voxels));
}

void FlatSink::flush() {
    m_file.sync();
}

void FlatSink::complete(int /*threads*/, const std::stop_token& /*stop*/) {
    m_memory.reset();
    m_written.requireAll();
    m_file.sync();
    if (!m_companionPart.empty()) removeFile(m_layout.companionPath);
    renameFile(m_part, m_layout.path);
    if (!m_companionPart.empty()) renameFile(m_companionPart, m_layout.companionPath);
    // The file stays open until now, because closing ends the claim to the temporary name.
    m_file.close();
}

void FlatSink::discard() noexcept {
    m_memory.reset();
    std::error_code ignored;
    fs::remove(m_part, ignored);
    if (!m_companionPart.empty()) fs::remove(m_companionPart, ignored);
    m_file = File();
}

}  // namespace gantry
