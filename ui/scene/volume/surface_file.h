#pragma once

#include <QByteArray>
#include <QFileDevice>
#include <filesystem>
#include <memory>

#include "ui/scene/volume/surface_contour.h"

namespace gantry {

/// A file of triangles in mm while it is written; it gets its name only when it is finished.
/// Triangles are streamed slab by slab; VTK's writers would hold the whole surface in memory.
/// Tests: tests/ui/scene/isosurface_test.cpp
class SurfaceFile {
  public:
    virtual ~SurfaceFile() = default;

    /// Triangles until the next call belong to one slab; corners are shared only with the slab
    /// before it.
    virtual void beginSlab() {}
    /// @throws ResourceError when it cannot be written
    virtual void add(const Triangle& triangle) = 0;
    /// @throws ResourceError  the same, or there are more triangles than the format can count
    virtual void finish() = 0;
};

/// Creates a binary STL (.stl) or PLY (.ply) file, by the name.
/// @throws InputError for another name; ResourceError when it cannot be written
[[nodiscard]] std::unique_ptr<SurfaceFile> createSurfaceFile(const std::filesystem::path& path);

/// Collects little-endian bytes and writes them to a file.
class SurfaceBytes {
  public:
    /// file: open for writing; outlives this
    explicit SurfaceBytes(QFileDevice& file) : m_file(file) {}

    void append(const QByteArray& bytes);
    void append(quint32 number);
    void append(const Vec3& place);  ///< as three floats
    void flush();
    /// @throws ResourceError stating why the file cannot be written
    [[noreturn]] void fail() const;

  private:
    QFileDevice& m_file;
    QByteArray m_pending;
};

}  // namespace gantry
