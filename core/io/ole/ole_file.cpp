#include "core/io/ole/ole_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/ole/ole_bytes.h"

namespace gantry {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv;
constexpr Index kOleHeaderBytes = 512;
constexpr Index kHeaderNumbers = 109;  // of sectors of the FAT
constexpr Index kEntryBytes = 128;
constexpr Index kMiniBytes = 64;
constexpr Index kMiniCutoff = 4096;  // smaller streams are in mini sectors
constexpr Index kMaxPathBytes = Index{64} << 20;
constexpr std::uint32_t kMaxSector = 0xFFFFFFF9;  // those above have meanings of their own
constexpr std::uint32_t kEndOfChain = 0xFFFFFFFE;
constexpr std::uint32_t kNoEntry = 0xFFFFFFFF;
constexpr int kStorage = 1;
constexpr int kStream = 2;
constexpr int kRoot = 5;

Index ceilDiv(Index value, Index by) {
    return (value + by - 1) / by;
}

void appendPiece(OlePlaces& places, Index begin, Index inFile) {
    if (!places.pieces.empty()) {
        const OlePiece& last = places.pieces.back();
        if (last.inFile + (begin - last.begin) == inFile) return;
    }
    places.pieces.push_back({begin, inFile});
}

// The piece that has a byte of the stream.
const OlePiece& pieceAt(const OlePlaces& places, Index begin) {
    const auto after =
        std::upper_bound(places.pieces.begin(), places.pieces.end(), begin,
                         [](Index at, const OlePiece& piece) { return at < piece.begin; });
    return *std::prev(after);
}

// Tells a chain that comes back to where it was, after at most three times its loop (Brent).
class LoopGuard {
  public:
    [[nodiscard]] bool isLoop(std::uint32_t sector) {
        if (m_steps > 0 && sector == m_mark) return true;
        if (++m_steps == m_next) {
            m_mark = sector;
            m_next *= 2;
        }
        return false;
    }

  private:
    std::uint32_t m_mark = 0;
    Index m_steps = 0;
    Index m_next = 1;
};

}  // namespace

void readPlaces(const File& file, const OlePlaces& places, Index begin,
                std::span<std::byte> bytes) {
    require(begin >= 0 && begin + std::ssize(bytes) <= places.sizeBytes,
            "bytes are read that the stream does not have");
    while (!bytes.empty()) {
        const OlePiece* const piece = &pieceAt(places, begin);
        const bool isLast = piece == &places.pieces.back();
        const Index end = isLast ? places.sizeBytes : (piece + 1)->begin;
        const Index count = std::min(std::ssize(bytes), end - begin);
        file.readAt(piece->inFile + (begin - piece->begin), bytes.first(count));
        begin += count;
        bytes = bytes.subspan(count);
    }
}

bool isOleSignature(std::string_view begin) {
    return begin.starts_with(kMagic);
}

struct OleFile::Header {
    std::array<std::byte, kOleHeaderBytes> bytes{};

    [[nodiscard]] std::uint32_t number(Index at) const { return oleNumber(bytes, at); }
};

struct OleFile::Entry {
    std::string name;
    int type = 0;
    std::uint32_t left = kNoEntry;
    std::uint32_t right = kNoEntry;
    std::uint32_t child = kNoEntry;
    std::uint32_t first = 0;
    Index sizeBytes = 0;
};

// Follows a chain through a table, of which it holds a part.
class OleFile::Chain {
  public:
    Chain(const OleFile& file, const OlePlaces& table, std::uint32_t first)
        : m_ole(file), m_table(table), m_sector(first) {
        check();
    }

    [[nodiscard]] std::uint32_t sector() const { return m_sector; }
    [[nodiscard]] bool isAtEnd() const { return m_sector == kEndOfChain; }
    void advance() {
        m_sector = following();
        check();
    }

  private:
    void check() {
        if (isAtEnd()) return;
        if (m_sector > kMaxSector)
            throwErrorOf<FileError>(
                m_ole.path(), "is damaged: a chain of sectors leads to one that is in no chain");
        if (m_guard.isLoop(m_sector))
            throwErrorOf<FileError>(
                m_ole.path(), "is damaged: a chain of sectors comes back to sector {}", m_sector);
    }

    [[nodiscard]] std::uint32_t following() {
        const Index at = Index{4} * m_sector;
        if (at + 4 > m_table.sizeBytes)
            throwErrorOf<FileError>(
                m_ole.path(),
                "is damaged: a chain of sectors leads to sector {}, which the table of {} "
                "sectors lacks",
                m_sector, m_table.sizeBytes / 4);
        if (at < m_begin || at + 4 > m_begin + std::ssize(m_part)) {
            m_begin = at / kPartBytes * kPartBytes;
            m_part.resize(std::min(kPartBytes, m_table.sizeBytes - m_begin));
            readPlaces(m_ole.m_file, m_table, m_begin, m_part);
        }
        return oleNumber(m_part, at - m_begin);
    }

    static constexpr Index kPartBytes = 4096;
    const OleFile& m_ole;
    const OlePlaces& m_table;
    std::uint32_t m_sector;
    LoopGuard m_guard;
    std::vector<std::byte> m_part;
    Index m_begin = 0;
};

OleFile::OleFile(const std::filesystem::path& path)
    : m_file(path, File::Mode::read), m_sizeBytes(m_file.sizeBytes()) {
    const Header header = readHeader();
    readTable(header);
    constexpr Index kDirectoryAt = 48;
    const std::vector<Entry> entries = readDirectory(header.number(kDirectoryAt));
    openMiniStream(header, entries.front());
    listStreams(entries);
}

OleFile::Header OleFile::readHeader() {
    Header header;
    if (m_sizeBytes < kOleHeaderBytes)
        throwErrorOf<FileError>(path(), "is cut off: it has {} bytes", m_sizeBytes);
    m_file.readAt(0, header.bytes);
    const auto begin = std::string_view(reinterpret_cast<const char*>(header.bytes.data()), 8);
    if (!isOleSignature(begin)) throwErrorOf<FileError>(path(), "is no OLE compound file");
    const int version = oleShort(header.bytes, 26);
    const int shift = oleShort(header.bytes, 30);
    if (oleShort(header.bytes, 28) != 0xFFFE || oleShort(header.bytes, 32) != 6 ||
        header.number(56) != kMiniCutoff ||
        !((version == 3 && shift == 9) || (version == 4 && shift == 12)))
        throwErrorOf<FileError>(
            path(),
            "is damaged: version {} with sectors of 2^{} bytes and mini sectors of 2^{} is no OLE "
            "file that is known",
            version, shift, oleShort(header.bytes, 32));
    m_sectorBytes = Index{1} << shift;
    m_sectors = ceilDiv(std::max<Index>(m_sizeBytes - m_sectorBytes, 0), m_sectorBytes);
    m_isVersion4 = version == 4;
    return header;
}

Index OleFile::placeOf(std::uint32_t sector, Index bytes) const {
    const Index place = (Index{sector} + 1) * m_sectorBytes;
    if (sector >= m_sectors || place + bytes > m_sizeBytes)
        throwErrorOf<FileError>(path(),
                                "is cut off or damaged: it has {} sectors, and sector {} is needed",
                                m_sectors, sector);
    return place;
}

// numbers: of sectors of the FAT, as long as more are wanted
void OleFile::takeTableSectors(std::span<const std::byte> numbers, Index wanted) {
    for (Index at = 0; at + 4 <= std::ssize(numbers); at += 4) {
        if (m_table.sizeBytes == wanted * m_sectorBytes) return;
        appendPiece(m_table, m_table.sizeBytes, placeOf(oleNumber(numbers, at), m_sectorBytes));
        m_table.sizeBytes += m_sectorBytes;
    }
}

// The numbers of the FAT's sectors are in the header and, of large files, in a list of sectors of
// their own, the DIFAT. No more are taken than the file has sectors for.
void OleFile::readTable(const Header& header) {
    constexpr Index kCountAt = 44;
    constexpr Index kListAt = 68;
    constexpr Index kNumbersAt = 76;
    const Index wanted =
        std::min(Index{header.number(kCountAt)}, ceilDiv(m_sectors * 4, m_sectorBytes));
    takeTableSectors(std::span(header.bytes).subspan(kNumbersAt, 4 * kHeaderNumbers), wanted);
    std::uint32_t list = header.number(kListAt);
    LoopGuard guard;
    std::vector<std::byte> sector(m_sectorBytes);
    while (m_table.sizeBytes < wanted * m_sectorBytes) {
        if (list > kMaxSector)
            throwErrorOf<FileError>(
                path(), "is damaged: its table of sectors has {} parts, and {} are listed", wanted,
                m_table.sizeBytes / m_sectorBytes);
        if (guard.isLoop(list))
            throwErrorOf<FileError>(path(),
                                    "is damaged: its list of tables comes back to sector {}", list);
        m_file.readAt(placeOf(list, m_sectorBytes), sector);
        takeTableSectors(std::span(sector).first(m_sectorBytes - 4), wanted);
        list = oleNumber(sector, m_sectorBytes - 4);
    }
}

OlePlaces OleFile::followed(std::uint32_t first, Index bytes) const {
    OlePlaces places{{}, bytes};
    if (bytes == 0) return places;
    Chain chain(*this, m_table, first);
    for (Index begin = 0; begin < bytes; begin += m_sectorBytes) {
        if (begin > 0) chain.advance();
        if (chain.isAtEnd())
            throwErrorOf<FileError>(
                path(), "is damaged: a chain of sectors ends after {} of {} bytes", begin, bytes);
        appendPiece(places, begin, placeOf(chain.sector(), std::min(m_sectorBytes, bytes - begin)));
    }
    return places;
}

OlePlaces OleFile::followedMini(std::uint32_t first, Index bytes) const {
    OlePlaces places{{}, bytes};
    if (bytes == 0) return places;
    Chain chain(*this, m_miniTable, first);
    for (Index begin = 0; begin < bytes; begin += kMiniBytes) {
        if (begin > 0) chain.advance();
        const Index within = kMiniBytes * Index{chain.sector()};
        if (chain.isAtEnd() ||
            within + std::min(kMiniBytes, bytes - begin) > m_miniStream.sizeBytes)
            throwErrorOf<FileError>(
                path(),
                "is damaged: a chain of mini sectors ends, or leaves their stream, after {} of {} "
                "bytes",
                begin, bytes);
        const OlePiece& piece = pieceAt(m_miniStream, within);
        appendPiece(places, begin, piece.inFile + (within - piece.begin));
    }
    return places;
}

OleFile::Entry OleFile::entryAt(std::span<const std::byte> bytes, Index number) const {
    constexpr Index kNameBytesAt = 64;
    constexpr Index kMaxNameBytes = 64;
    Entry entry;
    const Index nameBytes = oleShort(bytes, kNameBytesAt);
    entry.type = static_cast<int>(bytes[66]);
    if (entry.type == 0) return entry;
    if (nameBytes < 2 || nameBytes > kMaxNameBytes || nameBytes % 2 != 0)
        throwErrorOf<FileError>(path(), "is damaged: the name of entry {} has {} bytes", number,
                                nameBytes);
    entry.name = oleName(bytes.first(nameBytes - 2));
    entry.left = oleNumber(bytes, 68);
    entry.right = oleNumber(bytes, 72);
    entry.child = oleNumber(bytes, 76);
    entry.first = oleNumber(bytes, 116);
    // The upper half of the size has no meaning in version 3.
    constexpr Index kMaxUpper = 0x7FFF'FFFF;
    const Index upper = m_isVersion4 ? Index{oleNumber(bytes, 124)} : 0;
    entry.sizeBytes = (std::min(upper, kMaxUpper) << 32) | Index{oleNumber(bytes, 120)};
    if (entry.type != kStorage && entry.sizeBytes > m_sizeBytes)
        throwErrorOf<FileError>(
            path(), "is cut off or damaged: its stream {} has {} bytes, and the file {}",
            quotable(entry.name), entry.sizeBytes, m_sizeBytes);
    return entry;
}

std::vector<OleFile::Entry> OleFile::readDirectory(std::uint32_t first) const {
    std::vector<Entry> entries;
    std::vector<std::byte> sector(m_sectorBytes);
    for (Chain chain(*this, m_table, first); !chain.isAtEnd(); chain.advance()) {
        m_file.readAt(placeOf(chain.sector(), m_sectorBytes), sector);
        for (Index at = 0; at < m_sectorBytes; at += kEntryBytes)
            entries.push_back(
                entryAt(std::span(sector).subspan(at, kEntryBytes), std::ssize(entries)));
        if (std::ssize(entries) > kMaxEntries)
            throwErrorOf<FileError>(path(), "has a directory of more than {} entries", kMaxEntries);
    }
    if (entries.empty() || entries.front().type != kRoot)
        throwErrorOf<FileError>(path(), "is damaged: its directory has no root");
    return entries;
}

void OleFile::openMiniStream(const Header& header, const Entry& root) {
    constexpr Index kMiniTableAt = 60;
    m_miniStream = followed(root.first, root.sizeBytes);
    m_miniTable =
        followed(header.number(kMiniTableAt),
                 ceilDiv(ceilDiv(root.sizeBytes, kMiniBytes) * 4, m_sectorBytes) * m_sectorBytes);
}

void OleFile::addStream(const std::string& path, const Entry& entry) {
    m_bytesOfStreams += entry.sizeBytes;
    if (m_bytesOfStreams > m_sizeBytes)
        throwErrorOf<FileError>(
            m_file.path(), "is cut off or damaged: its streams have more bytes than the file, {}",
            m_sizeBytes);
    m_byPath.try_emplace(inLowerCase(path), m_streams.size());
    m_streams.push_back({path, entry.sizeBytes, entry.first});
}

// Entries of a storage are a tree; its order is left aside, as writers differ in it.
void OleFile::listStreams(const std::vector<Entry>& entries) {
    struct Step {
        std::uint32_t entry;
        Index depth;
        std::string folder;
    };
    std::vector<bool> isSeen(entries.size());
    std::vector<Step> steps = {{entries.front().child, 0, ""}};
    Index pathBytes = 0;
    while (!steps.empty()) {
        const Step step = std::move(steps.back());
        steps.pop_back();
        if (step.entry == kNoEntry) continue;
        if (step.entry >= entries.size() || isSeen[step.entry])
            throwErrorOf<FileError>(m_file.path(), "is damaged: entry {} of its directory is {}",
                                    step.entry,
                                    step.entry >= entries.size() ? "not there" : "in two places");
        isSeen[step.entry] = true;
        const Entry& entry = entries[step.entry];
        const std::string path = step.folder + entry.name;
        pathBytes += std::ssize(path);
        if (step.depth > kMaxDepth || pathBytes > kMaxPathBytes)
            throwErrorOf<FileError>(
                m_file.path(), "has storages in each other, more than {} or with names too long",
                kMaxDepth);
        if (entry.type == kStream)
            addStream(path, entry);
        else if (entry.type == kStorage)
            steps.push_back({entry.child, step.depth + 1, path + "/"});
        else
            throwErrorOf<FileError>(
                m_file.path(),
                "is damaged: entry {} of its directory is neither a stream nor a storage",
                step.entry);
        steps.push_back({entry.right, step.depth, step.folder});
        steps.push_back({entry.left, step.depth, step.folder});
    }
}

const OleStream* OleFile::find(std::string_view path) const {
    const auto found = m_byPath.find(inLowerCase(path));
    return found == m_byPath.end() ? nullptr : &m_streams[found->second];
}

OlePlaces OleFile::placesOf(const OleStream& stream) const {
    return stream.sizeBytes < kMiniCutoff ? followedMini(stream.first, stream.sizeBytes)
                                          : followed(stream.first, stream.sizeBytes);
}

std::vector<std::byte> OleFile::readBegin(const OleStream& stream, Index max) const {
    std::vector<std::byte> bytes(std::min(max, stream.sizeBytes));
    readPlaces(m_file, placesOf(stream), 0, bytes);
    return bytes;
}

}  // namespace gantry
