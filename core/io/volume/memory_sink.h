#pragma once

#include "core/io/volume/volume_sink.h"
#include "core/io/volume/written_slices.h"

namespace gantry {

/// A volume that stays in memory.
/// Tests: tests/core/recon/in_memory_test.cpp
class MemorySink final : public VolumeSink {
  public:
    /// volume: attenuation, 1/mm; [z][y][x], x fastest; outlives the sink
    explicit MemorySink(Span3<float> volume);

    void flush() override {}
    void discard() noexcept override {}

  private:
    void put(Index zBegin, Span3<const float> voxels, int threads) override;
    void complete(int threads, const std::stop_token& stop) override;

    Span3<float> m_volume;
    WrittenSlices m_written;
};

}  // namespace gantry
