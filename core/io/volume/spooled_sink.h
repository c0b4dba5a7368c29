#pragma once

#include <array>
#include <functional>
#include <memory>

#include "core/io/volume/flat_sink.h"

namespace gantry {

/// Writes a volume whose scale is its own smallest and largest value, known only at the end: spools
/// it as float32 to "<path>.spool.part", and in finish() converts it to the real output. Killed
/// at any time, it can be resumed from the spool. NaN and infinite voxels do not count in the
/// range. Tests: tests/core/io/scaled_sink_test.cpp
class SpooledSink : public VolumeSink {
  public:
    /// Opens the real output for attenuations in a range.
    using OpenOutput = std::function<std::unique_ptr<VolumeSink>(std::array<double, 2> range)>;

    SpooledSink(const std::filesystem::path& path, const VolumeGrid& grid, SinkStart start,
                OpenOutput openOutput);

    void expect(std::span<const IndexRange> slices) override { m_spool.expect(slices); }
    void flush() override { m_spool.flush(); }
    void discard() noexcept override { m_spool.discard(); }

  private:
    void put(Index zBegin, Span3<const float> voxels, int threads) override {
        m_spool.write(zBegin, voxels, threads);
    }
    /// When it fails, the spool stays.
    void complete(int threads, const std::stop_token& stop) override;
    [[nodiscard]] std::array<double, 2> finiteRange(int threads, const std::stop_token& stop) const;
    void convert(VolumeSink& output, int threads, const std::stop_token& stop) const;

    VolumeGrid m_grid;
    FlatSink m_spool;
    OpenOutput m_openOutput;
};

}  // namespace gantry
