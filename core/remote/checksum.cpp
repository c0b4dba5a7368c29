#include "core/remote/checksum.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"

namespace gantry {

namespace {

constexpr std::uint32_t kPolynomial = 0x04C11DB7;
constexpr std::size_t kSlices = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

// Table n is the contribution of a byte that lies n bytes before the last.
constexpr Tables makeTables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte << 24U;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc << 1U) ^ ((crc & 0x80000000U) != 0 ? kPolynomial : 0U);
        tables[0][byte] = crc;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice)
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[slice - 1][byte];
            tables[slice][byte] = (before << 8U) ^ tables[0][before >> 24U];
        }
    return tables;
}

constexpr Tables kTables = makeTables();

std::uint32_t withByte(std::uint32_t crc, std::uint32_t byte) {
    return (crc << 8U) ^ kTables[0][(crc >> 24U) ^ byte];
}

std::uint32_t at(std::span<const std::byte> bytes, std::size_t i) {
    return std::to_integer<std::uint32_t>(bytes[i]);
}

}  // namespace

void PosixChecksum::add(std::span<const std::byte> bytes) {
    m_bytes += bytes.size();
    for (; bytes.size() >= kSlices; bytes = bytes.subspan(kSlices)) {
        const std::uint32_t first = m_crc ^ ((at(bytes, 0) << 24U) | (at(bytes, 1) << 16U) |
                                             (at(bytes, 2) << 8U) | at(bytes, 3));
        m_crc = kTables[7][first >> 24U] ^ kTables[6][(first >> 16U) & 255U] ^
                kTables[5][(first >> 8U) & 255U] ^ kTables[4][first & 255U] ^
                kTables[3][at(bytes, 4)] ^ kTables[2][at(bytes, 5)] ^ kTables[1][at(bytes, 6)] ^
                kTables[0][at(bytes, 7)];
    }
    for (const std::byte byte : bytes)
        m_crc = withByte(m_crc, std::to_integer<std::uint32_t>(byte));
}

std::uint32_t PosixChecksum::value() const {
    std::uint32_t crc = m_crc;
    for (std::uint64_t length = m_bytes; length > 0; length >>= 8U)
        crc = withByte(crc, static_cast<std::uint32_t>(length & 255U));
    return ~crc;
}

std::uint32_t checksumOf(const std::filesystem::path& path, const std::stop_token& stop) {
    constexpr Index kPieceBytes = 4'000'000;
    const File file(path, File::Mode::read);
    const Index size = file.sizeBytes();
    std::vector<std::byte> piece(static_cast<std::size_t>(std::min(size, kPieceBytes)));
    PosixChecksum sum;
    for (Index offset = 0; offset < size; offset += kPieceBytes) {
        if (stop.stop_requested()) throw Cancelled();
        const auto bytes =
            std::span(piece).first(static_cast<std::size_t>(std::min(kPieceBytes, size - offset)));
        file.readAt(offset, bytes);
        sum.add(bytes);
    }
    return sum.value();
}

}  // namespace gantry
