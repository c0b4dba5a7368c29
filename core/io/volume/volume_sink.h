#pragma once

#include <span>
#include <stop_token>

#include "core/base/span3.h"
#include "core/base/types.h"

namespace gantry {

/// How the temporary of a volume is opened: new, as an interrupted run left it, or together with
/// the process that has it open, to write other slices of the same volume.
enum class SinkStart { fresh, resumed, joined };

/// The destination of a finished volume. It is written under a temporary name ("….part" beside the
/// final one) and takes its final name in finish(). If destroyed without finish(), the temporary
/// stays for a resume; see discard().
/// Tests: tests/core/io/open_sink_test.cpp, tests/core/io/full_disk_test.cpp
class VolumeSink {
  public:
    virtual ~VolumeSink() = default;

    /// States which slices will be written through this, in that order: their disk space may be
    /// reserved in advance, in the background. Other slices may be written too. Called at most
    /// once.
    virtual void expect(std::span<const IndexRange> /*slices*/) {}

    /// Writes slices [zBegin, zBegin + voxels.size(0)) with up to that many threads; voxels:
    /// [z][y][x], 1/mm. Slices come in any order, and several callers may write different ones at
    /// once.
    /// @throws ResourceError when the disk is full, InputError when it cannot be written
    void write(Index zBegin, Span3<const float> voxels, int threads = 1) {
        put(zBegin, voxels, threads);
    }

    /// Syncs what was written so far to disk, so that a killed job can resume from there. Several
    /// callers may do so at once.
    virtual void flush() = 0;
    /// Completes the file, with up to that many threads, and gives it its final name, in place of
    /// an older output of that name.
    /// @throws ResourceError, InputError as write(), Cancelled when `stop` is requested; the
    /// temporary stays
    /// @throws InternalError when a slice has not been written
    void finish(int threads = 1, const std::stop_token& stop = {}) { complete(threads, stop); }
    /// Removes the temporary.
    virtual void discard() noexcept = 0;

  private:
    virtual void put(Index zBegin, Span3<const float> voxels, int threads) = 0;
    virtual void complete(int threads, const std::stop_token& stop) = 0;
};

}  // namespace gantry
