#pragma once

#include <QSaveFile>
#include <QTemporaryFile>
#include <array>
#include <cstdint>
#include <filesystem>
#include <unordered_map>

#include "ui/scene/volume/surface_file.h"

namespace gantry {

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

}  // namespace gantry
