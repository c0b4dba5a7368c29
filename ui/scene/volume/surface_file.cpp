#include "ui/scene/volume/surface_file.h"

#include <QCoreApplication>
#include <QSaveFile>
#include <QTemporaryFile>
#include <QtEndian>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/base/foreign_text.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/base/written_place.h"
#include "ui/models/text.h"

namespace gantry {

/// A binary STL file: three corners for each triangle, and its normal.
/// Tests: tests/ui/scene/isosurface_test.cpp
class StlFile : public SurfaceFile {
  public:
    /// @throws ResourceError when it cannot be written
    explicit StlFile(const std::filesystem::path& path);
    void add(const Triangle& triangle) override;
    void finish() override;

  private:
    QSaveFile m_file;
    SurfaceBytes m_bytes{m_file};
    std::uint64_t m_count = 0;
};

namespace {

constexpr int kHeaderBytes = 80;

}  // namespace

StlFile::StlFile(const std::filesystem::path& path) : m_file(toText(path)) {
    if (!m_file.open(QIODevice::WriteOnly)) m_bytes.fail();
    // The header must not begin with "solid", which marks text STL files.
    m_bytes.append(QByteArray("Gantry isosurface, mm").leftJustified(kHeaderBytes, '\0'));
    m_bytes.append(quint32{0});  // the count, known at the end
}

void StlFile::add(const Triangle& triangle) {
    const auto& [a, b, c] = triangle;
    const Vec3 normal = cross(b - a, c - a);
    const double size = length(normal);
    m_bytes.append(size > 0 ? (1 / size) * normal : Vec3{0, 0, 0});
    for (const Vec3& corner : triangle)
        m_bytes.append(corner);
    m_bytes.append(QByteArray(2, '\0'));
    ++m_count;
}

void StlFile::finish() {
    if (m_count > std::numeric_limits<quint32>::max())
        throw ResourceError(
            "The isosurface has more triangles than an STL file can hold, 4294967295: clip the "
            "volume with a smaller box, or raise the attenuation above the noise.");
    m_bytes.flush();
    if (!m_file.seek(kHeaderBytes)) m_bytes.fail();
    m_bytes.append(static_cast<quint32>(m_count));
    m_bytes.flush();
    if (!m_file.commit()) m_bytes.fail();
}

/// A binary PLY file: each corner once, and three corner numbers for each triangle. Triangles are
/// collected in a second file in the same folder, because the format has them behind all corners.
/// Tests: tests/ui/scene/isosurface_test.cpp
class PlyFile : public SurfaceFile {
  public:
    /// @throws ResourceError when it cannot be written
    explicit PlyFile(const std::filesystem::path& path);
    void beginSlab() override;
    void add(const Triangle& triangle) override;
    void finish() override;

  private:
    using Corner = std::array<quint32, 3>;  // the bits of its floats
    struct Hash {
        std::size_t operator()(const Corner& corner) const;
    };
    using Corners = std::unordered_map<Corner, quint32, Hash>;

    [[nodiscard]] quint32 numberOf(const Vec3& corner);
    void appendTriangles();

    QSaveFile m_file;
    QTemporaryFile m_triangleFile;
    SurfaceBytes m_bytes{m_file};
    SurfaceBytes m_triangles{m_triangleFile};
    Corners m_before;  ///< of the slab before
    Corners m_now;
    std::uint64_t m_corners = 0;
    std::uint64_t m_count = 0;
};

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

std::unique_ptr<SurfaceFile> createSurfaceFile(const std::filesystem::path& path) {
    if (!isUtf8(path.string()))  // which Qt's files cannot have
        throwError<InputError>(
            "{}: a surface can only be saved where all names are UTF-8. Choose another folder or "
            "name.",
            path.string());
    if (isSpecial(path))
        throwError<InputError>("{} cannot be written: it is not a regular file.", path.string());
    const std::string extension = inLowerCase(path.extension().string());
    if (extension == ".stl") return std::make_unique<StlFile>(path);
    if (extension == ".ply") return std::make_unique<PlyFile>(path);
    throwError<InputError>("{}: a surface is saved as .stl or .ply", path.string());
}

void SurfaceBytes::append(const QByteArray& bytes) {
    constexpr qsizetype kMaxPending = 4 << 20;
    m_pending.append(bytes);
    if (m_pending.size() >= kMaxPending) flush();
}

void SurfaceBytes::append(quint32 number) {
    const quint32 bytes = qToLittleEndian(number);
    append(QByteArray(reinterpret_cast<const char*>(&bytes), sizeof bytes));
}

void SurfaceBytes::append(const Vec3& place) {
    for (const double value : {place.x, place.y, place.z})
        append(std::bit_cast<quint32>(static_cast<float>(value)));
}

void SurfaceBytes::flush() {
    if (m_file.write(m_pending) != m_pending.size()) fail();
    m_pending.clear();
}

void SurfaceBytes::fail() const {
    throw ResourceError(QCoreApplication::translate("SurfaceFile", "%1 cannot be written: %2.")
                            .arg(m_file.fileName(), m_file.errorString())
                            .toStdString());
}

}  // namespace gantry
