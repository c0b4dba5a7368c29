#include "ui/scene/volume/surface_file.h"

#include <fmt/format.h>

#include <QCoreApplication>
#include <QtEndian>
#include <bit>

#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/scene/volume/ply_file.h"
#include "ui/scene/volume/stl_file.h"

namespace gantry {

std::unique_ptr<SurfaceFile> createSurfaceFile(const std::filesystem::path& path) {
    const std::string extension = inLowerCase(path.extension().string());
    if (extension == ".stl") return std::make_unique<StlFile>(path);
    if (extension == ".ply") return std::make_unique<PlyFile>(path);
    throw InputError(fmt::format("{}: a surface is saved as .stl or .ply", path.string()));
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
