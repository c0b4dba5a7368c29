#pragma once

#include <QSaveFile>
#include <cstdint>
#include <filesystem>

#include "ui/scene/volume/surface_file.h"

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

}  // namespace gantry
