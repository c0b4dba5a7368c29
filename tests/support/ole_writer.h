#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gantry::test {

/// Writes OLE compound files from the published layout, independently of the reader.
class OleWriter {
  public:
    explicit OleWriter(int version = 4);

    /// path: "Storage/Stream"; storages are made as they are named
    void add(const std::string& path, std::string bytes);
    /// Lays sectors of streams from the last one to the first, so that each is a piece.
    bool isReversed = false;

    /// The file. Afterwards the places below are known.
    [[nodiscard]] std::string write();

    std::size_t sectorBytes = 0;
    std::size_t table = 0;      ///< where the FAT begins
    std::size_t miniTable = 0;  ///< where the mini FAT begins
    std::size_t directory = 0;  ///< where the directory begins, at its root

  private:
    static constexpr std::uint32_t kFree = 0xFFFFFFFF;
    static constexpr std::uint32_t kEnd = 0xFFFFFFFE;
    static constexpr std::uint32_t kTableSector = 0xFFFFFFFD;
    static constexpr std::uint32_t kListSector = 0xFFFFFFFC;
    static constexpr std::size_t kMini = 64;
    static constexpr std::size_t kCutoff = 4096;
    static constexpr std::size_t kInHeader = 109;

    struct Entry {
        std::string name;
        int type = 0;
        std::string bytes;
        std::vector<std::size_t> children;
        std::uint32_t next = 0xFFFFFFFF;  ///< of the same storage
        std::uint32_t first = 0xFFFFFFFE;
        std::size_t size = 0;
    };
    std::size_t child(std::size_t storage, const std::string& name, int type);
    std::uint32_t place(const std::string& bytes);
    std::uint32_t placeMini(const std::string& bytes);
    [[nodiscard]] std::string directoryBytes() const;
    [[nodiscard]] static std::size_t ceilOf(std::size_t value, std::size_t by) {
        return (value + by - 1) / by;
    }
    [[nodiscard]] static std::string wordsOf(const std::vector<std::uint32_t>& words);
    [[nodiscard]] std::size_t offsetOf(std::uint32_t sector) const {
        return (sector + std::size_t{1}) * sectorBytes;
    }

    int m_version;
    std::vector<Entry> m_entries;
    std::string m_body;
    std::vector<std::uint32_t> m_next;      ///< of sectors
    std::string m_mini;                     ///< the mini sectors
    std::vector<std::uint32_t> m_miniNext;  ///< of mini sectors
};

/// The bytes of a number, least significant first.
[[nodiscard]] std::string littleEndian(std::uint64_t value, int bytes);

inline std::string OleWriter::wordsOf(const std::vector<std::uint32_t>& words) {
    std::string bytes;
    for (const std::uint32_t word : words)
        bytes += littleEndian(word, 4);
    return bytes;
}

inline std::string littleEndian(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i)
        text += static_cast<char>(value >> (8 * i) & 0xFFU);
    return text;
}

inline OleWriter::OleWriter(int version)
    : sectorBytes(version == 4 ? 4096 : 512), m_version(version), m_entries(1) {
    m_entries.front().name = "Root Entry";
    m_entries.front().type = 5;
}

inline std::size_t OleWriter::child(std::size_t storage, const std::string& name, int type) {
    for (const std::size_t i : m_entries[storage].children)
        if (m_entries[i].name == name) return i;
    m_entries[storage].children.push_back(m_entries.size());
    m_entries.emplace_back();
    m_entries.back().name = name;
    m_entries.back().type = type;
    return m_entries.size() - 1;
}

inline void OleWriter::add(const std::string& path, std::string bytes) {
    std::size_t storage = 0;
    std::size_t begin = 0;
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', begin)) {
        storage = child(storage, path.substr(begin, slash - begin), 1);
        begin = slash + 1;
    }
    const std::size_t stream = child(storage, path.substr(begin), 2);
    m_entries[stream].size = bytes.size();
    m_entries[stream].bytes = std::move(bytes);
}

inline std::uint32_t OleWriter::place(const std::string& bytes) {
    const std::size_t count = ceilOf(bytes.size(), sectorBytes);
    if (count == 0) return kEnd;
    const auto begin = static_cast<std::uint32_t>(m_next.size());
    m_body.resize(m_body.size() + count * sectorBytes);
    m_next.resize(m_next.size() + count, kEnd);
    const auto sectorOf = [&](std::size_t i) {
        return static_cast<std::uint32_t>(begin + (isReversed ? count - 1 - i : i));
    };
    for (std::size_t i = 0; i < count; ++i) {
        const std::string piece = bytes.substr(i * sectorBytes, sectorBytes);
        m_body.replace(sectorOf(i) * sectorBytes, piece.size(), piece);
        if (i + 1 < count) m_next[sectorOf(i)] = sectorOf(i + 1);
    }
    return sectorOf(0);
}

inline std::uint32_t OleWriter::placeMini(const std::string& bytes) {
    if (bytes.empty()) return 0xFFFFFFF0;  // as real files have it: a start that is not valid
    const auto first = static_cast<std::uint32_t>(m_miniNext.size());
    const std::size_t count = ceilOf(bytes.size(), kMini);
    for (std::size_t i = 0; i < count; ++i)
        m_miniNext.push_back(i + 1 < count ? static_cast<std::uint32_t>(first + i + 1) : kEnd);
    m_mini += bytes;
    m_mini.resize(m_miniNext.size() * kMini);
    return first;
}

inline std::string OleWriter::directoryBytes() const {
    std::string bytes;
    for (const Entry& entry : m_entries) {
        std::string name;
        for (const char c : entry.name)
            name += std::string{c, '\0'};
        name.resize(64);
        const std::uint32_t child =
            entry.children.empty() ? kFree : static_cast<std::uint32_t>(entry.children.front());
        bytes += name + littleEndian(2 * entry.name.size() + 2, 2) +
                 littleEndian(static_cast<unsigned>(entry.type), 1) + littleEndian(1, 1) +
                 wordsOf({kFree, entry.next, child}) + std::string(36, '\0') +
                 wordsOf({entry.first}) + littleEndian(entry.size, 8);
    }
    bytes.resize(ceilOf(bytes.size(), sectorBytes) * sectorBytes);
    return bytes;
}

inline std::string OleWriter::write() {
    for (Entry& entry : m_entries) {
        for (std::size_t i = 1; i < entry.children.size(); ++i)
            m_entries[entry.children[i - 1]].next = static_cast<std::uint32_t>(entry.children[i]);
        if (entry.type == 2)
            entry.first =
                entry.bytes.size() < kCutoff ? placeMini(entry.bytes) : place(entry.bytes);
    }
    m_entries.front().size = m_mini.size();
    m_entries.front().first = place(m_mini);
    isReversed = false;  // tables are easier to find in a row
    const std::uint32_t miniFirst = place(wordsOf(m_miniNext));
    if (miniFirst != kEnd) miniTable = offsetOf(miniFirst);
    const std::uint32_t directoryFirst = place(directoryBytes());
    directory = offsetOf(directoryFirst);

    const std::size_t perSector = sectorBytes / 4;
    std::size_t tables = 0;
    std::size_t lists = 0;
    for (std::size_t before = 1; before != tables + lists;) {
        before = tables + lists;
        tables = ceilOf(m_next.size() + before, perSector);
        lists = tables > kInHeader ? ceilOf(tables - kInHeader, perSector - 1) : 0;
    }
    const std::size_t firstTable = m_next.size();
    const std::size_t firstList = firstTable + tables;
    table = offsetOf(static_cast<std::uint32_t>(firstTable));
    m_next.resize(firstList, kTableSector);
    m_next.resize(firstList + lists, kListSector);
    std::vector<std::uint32_t> padded = m_next;
    padded.resize(tables * perSector, kFree);
    m_body += wordsOf(padded);
    std::vector<std::uint32_t> inHeader(kInHeader, kFree);
    for (std::size_t i = 0; i < std::min(tables, kInHeader); ++i)
        inHeader[i] = static_cast<std::uint32_t>(firstTable + i);
    for (std::size_t list = 0, next = kInHeader; list < lists; ++list) {
        std::vector<std::uint32_t> words(perSector, kFree);
        for (std::size_t i = 0; i + 1 < perSector && next < tables; ++i, ++next)
            words[i] = static_cast<std::uint32_t>(firstTable + next);
        words.back() = list + 1 < lists ? static_cast<std::uint32_t>(firstList + list + 1) : kEnd;
        m_body += wordsOf(words);
    }
    std::string header = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + std::string(16, '\0') +
                         littleEndian(0x3E, 2) + littleEndian(static_cast<unsigned>(m_version), 2) +
                         littleEndian(0xFFFE, 2) + littleEndian(m_version == 4 ? 12 : 9, 2) +
                         littleEndian(6, 2) + std::string(6, '\0');
    header += wordsOf({m_version == 4 ? 1U : 0U, static_cast<std::uint32_t>(tables), directoryFirst,
                       0, kCutoff, miniFirst,
                       static_cast<std::uint32_t>(ceilOf(4 * m_miniNext.size(), sectorBytes)),
                       lists > 0 ? static_cast<std::uint32_t>(firstList) : kEnd,
                       static_cast<std::uint32_t>(lists)});
    header += wordsOf(inHeader);
    header.resize(sectorBytes);
    return header + m_body;
}

}  // namespace gantry::test
