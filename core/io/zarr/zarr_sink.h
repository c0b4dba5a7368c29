#pragma once

#include <filesystem>

#include "core/io/volume/volume_sink.h"
#include "core/io/zarr/pyramid_writer.h"

namespace gantry {

/// Writes a volume as an OME-Zarr pyramid: see PyramidWriter.
/// Tests: tests/core/io/zarr_pyramid_test.cpp, tests/core/io/open_sink_test.cpp
class ZarrSink final : public VolumeSink {
  public:
    /// @throws InputError as PyramidWriter
    ZarrSink(std::filesystem::path folder, const VolumeDescription& volume, SinkStart start)
        : m_volume(volume),
          m_writer(std::move(folder), volume, kPyramidChunk, start == SinkStart::resumed) {}

    void flush() override { m_writer.flush(); }
    void discard() noexcept override { m_writer.discard(); }

  private:
    void put(Index zBegin, Span3<const float> voxels, int threads) override;
    void complete(int threads, const std::stop_token& stop) override {
        m_writer.finish(threads, stop);
    }

    VolumeDescription m_volume;
    PyramidWriter m_writer;
};

}  // namespace gantry
