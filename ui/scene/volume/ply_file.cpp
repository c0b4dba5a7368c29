#include "ui/scene/volume/ply_file.h"

#include <bit>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

// The length is the same for all numbers, because they are known only at the end.
QByteArray headerOf(std::uint64_t corners, std::uint64_t triangles) {
    constexpr qsizetype kBytes = 320;
    const QByteArray begin = "ply\nformat binary_little_endian 1.0\n";
    const QByteArray end = "element vertex " + QByteArray::number(corners) +
                           "\nproperty float x\nproperty float y\nproperty float z\n"
                           "element face " +
                           QByteArray::number(triangles) +
                           "\nproperty list uchar int vertex_indices\nend_header\n";
    const QByteArray comment = "comment Gantry isosurface, mm";
    return begin + comment.leftJustified(kBytes - begin.size() - end.size() - 1) + '\n' + end;
}

}  // namespace

std::size_t PlyFile::Hash::operator()(const Corner& corner) const {
    std::size_t hash = 0;
    for (const quint32 bits : corner)
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 29);
}

PlyFile::PlyFile(const std::filesystem::path& path)
    : m_file(toText(path)), m_triangleFile(toText(path) + ".XXXXXX") {
    if (!m_file.open(QIODevice::WriteOnly)) m_bytes.fail();
    if (!m_triangleFile.open()) m_triangles.fail();
    m_bytes.append(headerOf(0, 0));
}

void PlyFile::beginSlab() {
    m_before = std::exchange(m_now, {});
}

quint32 PlyFile::numberOf(const Vec3& corner) {
    const auto bits = [](double value) {
        return std::bit_cast<quint32>(static_cast<float>(value) + 0.0F);  // -0 is 0
    };
    const Corner key = {bits(corner.x), bits(corner.y), bits(corner.z)};
    const auto [place, isNew] = m_now.try_emplace(key, 0);
    if (!isNew) return place->second;
    const auto known = m_before.find(key);
    if (known != m_before.end()) {
        place->second = known->second;
    } else {
        if (m_corners >= std::numeric_limits<qint32>::max())
            throw ResourceError(
                "The isosurface has more corners than a PLY file can hold, 2147483647: clip the "
                "volume with a smaller box, or raise the attenuation above the noise.");
        place->second = static_cast<quint32>(m_corners++);
        m_bytes.append(corner);
    }
    return place->second;
}

void PlyFile::add(const Triangle& triangle) {
    const std::array<quint32, 3> corners = {numberOf(triangle[0]), numberOf(triangle[1]),
                                            numberOf(triangle[2])};
    // If a voxel is exactly at the level, triangles degenerate to lines and points.
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) return;
    m_triangles.append(QByteArray(1, '\3'));
    for (const quint32 corner : corners)
        m_triangles.append(corner);
    ++m_count;
}

void PlyFile::appendTriangles() {
    constexpr qint64 kPiece = 4 << 20;
    m_triangles.flush();
    if (!m_triangleFile.seek(0)) m_triangles.fail();
    while (!m_triangleFile.atEnd()) {
        const QByteArray piece = m_triangleFile.read(kPiece);
        if (piece.isEmpty()) m_triangles.fail();
        m_bytes.append(piece);
    }
    m_bytes.flush();
}

void PlyFile::finish() {
    m_bytes.flush();
    appendTriangles();
    if (!m_file.seek(0)) m_bytes.fail();
    m_bytes.append(headerOf(m_corners, m_count));
    m_bytes.flush();
    if (!m_file.commit()) m_bytes.fail();
}

}  // namespace gantry
