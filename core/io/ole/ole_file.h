#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/types.h"

namespace gantry {

/// Bytes of a stream that lie in one piece in the file.
struct OlePiece {
    Index begin = 0;   ///< counted in the stream
    Index inFile = 0;  ///< where that byte is in the file
};

/// Where the bytes of a stream are.
struct OlePlaces {
    std::vector<OlePiece> pieces;  ///< in order; each ends where the next one begins
    Index sizeBytes = 0;
};

/// A stream of an OLE compound file.
struct OleStream {
    std::string path;  ///< as UTF-8, behind the names of its storages: "ImageInfo/Angles"
    Index sizeBytes = 0;
    std::uint32_t first = 0;  ///< its first sector or, of a small stream, mini sector
};

/// Reads bytes of a stream, which has them, from `begin` on.
void readPlaces(const File& file, const OlePlaces& places, Index begin, std::span<std::byte> bytes);

/// Whether a file begins as OLE compound files do.
[[nodiscard]] bool isOleSignature(std::string_view begin);

/// An OLE compound file (Microsoft's CFB, versions 3 and 4), open to be read. Every number in it is
/// checked before it is followed or memory is taken for it. Besides the list of streams, at most
/// 1/4000 of the file is held. Several threads may read at once.
/// Tests: tests/core/io/ole_file_test.cpp
class OleFile {
  public:
    static constexpr Index kMaxEntries = 262'144;  ///< of the directory
    static constexpr Index kMaxDepth = 16;         ///< of storages in each other

    /// Reads the header and the directory.
    /// @throws InputError naming the file: it is no OLE file, is cut off, or has numbers of sectors
    ///         or entries that are not there, loops, or more than the limits above
    explicit OleFile(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const { return m_file.path(); }
    [[nodiscard]] Index sizeBytes() const { return m_sizeBytes; }
    [[nodiscard]] const std::vector<OleStream>& streams() const { return m_streams; }
    /// The stream of a path, whatever its letters' case; null: there is none.
    [[nodiscard]] const OleStream* find(std::string_view path) const;

    /// Where a stream's bytes are, all within the file.
    /// @throws InputError naming the file: its chain of sectors is too short, loops or leaves it
    [[nodiscard]] OlePlaces placesOf(const OleStream& stream) const;
    /// The first bytes of a stream: all, if there are no more than `max`.
    /// @throws InputError as placesOf()
    [[nodiscard]] std::vector<std::byte> readBegin(const OleStream& stream, Index max) const;

  private:
    struct Header;
    struct Entry;
    class Chain;
    [[nodiscard]] Header readHeader();
    void readTable(const Header& header);
    void takeTableSectors(std::span<const std::byte> numbers, Index wanted);
    [[nodiscard]] std::vector<Entry> readDirectory(std::uint32_t first) const;
    [[nodiscard]] Entry entryAt(std::span<const std::byte> bytes, Index number) const;
    void listStreams(const std::vector<Entry>& entries);
    void addStream(const std::string& path, const Entry& entry);
    void openMiniStream(const Header& header, const Entry& root);
    /// The place of a sector of which so many bytes are needed.
    [[nodiscard]] Index placeOf(std::uint32_t sector, Index bytes) const;
    [[nodiscard]] OlePlaces followed(std::uint32_t first, Index bytes) const;
    [[nodiscard]] OlePlaces followedMini(std::uint32_t first, Index bytes) const;

    File m_file;
    Index m_sizeBytes = 0;
    Index m_sectorBytes = 0;
    Index m_sectors = 0;  ///< that the file has, the last one perhaps in part
    bool m_isVersion4 = false;
    OlePlaces m_table;       ///< the FAT: which sector follows each one
    OlePlaces m_miniTable;   ///< the same of mini sectors
    OlePlaces m_miniStream;  ///< which the mini sectors are in
    Index m_bytesOfStreams = 0;
    std::vector<OleStream> m_streams;
    std::map<std::string, std::size_t, std::less<>> m_byPath;  ///< paths in lower case
};

}  // namespace gantry
