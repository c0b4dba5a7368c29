#pragma once

#include <algorithm>

#include "core/base/error.h"
#include "core/io/volume/volume_sink.h"
#include "core/io/volume/written_slices.h"

namespace gantry {

/// A volume that stays in memory.
/// Tests: tests/core/recon/in_memory_test.cpp
class MemorySink final : public VolumeSink {
  public:
    /// volume: attenuation, 1/mm; [z][y][x], x fastest; outlives the sink
    explicit MemorySink(Span3<float> volume) : m_volume(volume), m_written(volume.size(0), false) {}

    void flush() override {}
    void discard() noexcept override {}

  private:
    void put(Index zBegin, Span3<const float> voxels, int /*threads*/) override {
        const IndexRange slices = {zBegin, zBegin + voxels.size(0)};
        require(slices.begin >= 0 && slices.end <= m_volume.size(0) &&
                    voxels.size(1) == m_volume.size(1) && voxels.size(2) == m_volume.size(2),
                "slices came to a volume in memory that they do not fit");
        std::copy_n(voxels.data(), voxels.count(), m_volume.slices(slices).data());
        m_written.add(slices);
    }
    void complete(int /*threads*/, const std::stop_token& /*stop*/) override {
        m_written.requireAll();
    }

    Span3<float> m_volume;
    WrittenSlices m_written;
};

}  // namespace gantry
