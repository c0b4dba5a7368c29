#include "ui/scene/volume/stl_file.h"

#include <QCoreApplication>
#include <QtEndian>
#include <bit>
#include <limits>

#include "core/base/error.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

constexpr int kHeaderBytes = 80;
constexpr int kPendingBytes = 4 << 20;

void append(QByteArray& bytes, double value) {
    const quint32 bits = qToLittleEndian(std::bit_cast<quint32>(static_cast<float>(value)));
    bytes.append(reinterpret_cast<const char*>(&bits), sizeof bits);
}

void append(QByteArray& bytes, const Vec3& place) {
    append(bytes, place.x);
    append(bytes, place.y);
    append(bytes, place.z);
}

}  // namespace

StlFile::StlFile(const std::filesystem::path& path) : m_file(toText(path)) {
    if (!m_file.open(QIODevice::WriteOnly)) fail();
    // Must not begin with "solid", which marks STL files of text.
    m_pending = QByteArray("Gantry isosurface, mm").leftJustified(kHeaderBytes, '\0');
    m_pending.append(4, '\0');  // the count, known at the end
}

void StlFile::fail() const {
    throw ResourceError(QCoreApplication::translate("StlFile", "%1 cannot be written: %2.")
                            .arg(m_file.fileName(), m_file.errorString())
                            .toStdString());
}

void StlFile::flush() {
    if (m_file.write(m_pending) != m_pending.size()) fail();
    m_pending.clear();
}

void StlFile::add(const Triangle& triangle) {
    const auto& [a, b, c] = triangle;
    const Vec3 normal = cross(b - a, c - a);
    const double size = length(normal);
    append(m_pending, size > 0 ? (1 / size) * normal : Vec3{0, 0, 0});
    for (const Vec3& corner : triangle)
        append(m_pending, corner);
    m_pending.append(2, '\0');
    ++m_count;
    if (m_pending.size() >= kPendingBytes) flush();
}

void StlFile::finish() {
    if (m_count > std::numeric_limits<quint32>::max())
        throw ResourceError(
            "The isosurface has more triangles than an STL file can hold, 4294967295: clip the "
            "volume with a smaller box, or raise the attenuation above the noise.");
    flush();
    const quint32 count = qToLittleEndian(static_cast<quint32>(m_count));
    if (!m_file.seek(kHeaderBytes) ||
        m_file.write(reinterpret_cast<const char*>(&count), sizeof count) != sizeof count ||
        !m_file.commit())
        fail();
}

}  // namespace gantry
