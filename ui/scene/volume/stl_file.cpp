#include "ui/scene/volume/stl_file.h"

#include <limits>

#include "core/base/error.h"
#include "ui/models/text.h"

namespace gantry {

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

}  // namespace gantry
