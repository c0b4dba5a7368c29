#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/io/volume/flat_sink.h"

namespace gantry {

/// Writes a volume whose scale is its own smallest and largest value, known only at the end: spools
/// it as float32 to "<path>.spool.part", and converts it to the real output in finish(). If killed
/// at any time, it can be resumed from the spool. The range of what it writes itself is known when
/// the last slice comes; only what another run or process has written is read for it. NaN and
/// infinite voxels do not count. Tests: tests/core/io/scaled_sink_test.cpp
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
    /// Smallest and largest value; if there are none, the smallest is above the largest.
    struct Range {
        float min = std::numeric_limits<float>::infinity();
        float max = -std::numeric_limits<float>::infinity();

        void add(const Range& other) {
            min = std::min(min, other.min);
            max = std::max(max, other.max);
        }
    };
    static Range finiteRange(std::span<const float> values);

    void put(Index zBegin, Span3<const float> voxels, int threads) override;
    /// If it fails, the spool stays.
    void complete(int threads, const std::stop_token& stop) override;
    [[nodiscard]] Range rangeOfUnseen(int threads, const std::stop_token& stop) const;
    void convert(VolumeSink& output, int threads, const std::stop_token& stop) const;

    VolumeGrid m_grid;
    FlatSink m_spool;
    OpenOutput m_openOutput;
    std::mutex m_mutex;
    Range m_seen;                ///< of what this sink has written
    std::vector<bool> m_isSeen;  ///< [z]
};

}  // namespace gantry
