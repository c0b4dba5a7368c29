#pragma once

#include <QByteArray>
#include <QSaveFile>
#include <cstdint>
#include <filesystem>

#include "ui/scene/volume/surface_contour.h"

namespace gantry {

/// A binary STL file while it is written, in mm; has its name only once it is finished.
/// Tests: tests/ui/scene/isosurface_test.cpp
class StlFile {
  public:
    /// @throws ResourceError when it cannot be written; so do the others
    explicit StlFile(const std::filesystem::path& path);
    void add(const Triangle& triangle);
    void finish();

  private:
    void flush();
    [[noreturn]] void fail() const;

    QSaveFile m_file;
    QByteArray m_pending;
    std::uint64_t m_count = 0;
};

}  // namespace gantry
