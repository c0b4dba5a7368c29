#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "gpu/device/cuda_check.h"

namespace gantry {

/// A point in a stream's work, with the time at which the device passed it. Belongs to the device
/// that was current when it was made; several may wait for it.
class Event {
  public:
    enum class Timing { off, on };
    explicit Event(Timing timing = Timing::off);

    [[nodiscard]] cudaEvent_t get() const { return m_event.get(); }
    void record(cudaStream_t stream);
    /// Blocks this thread, without spinning, until the device has passed it.
    void synchronize() const;
    [[nodiscard]] bool isPassed() const;
    /// Milliseconds from `earlier`; both were recorded with timing on and are passed.
    [[nodiscard]] double millisecondsSince(const Event& earlier) const;

  private:
    struct Deleter {
        void operator()(cudaEvent_t event) const noexcept {
            (void)cudaEventDestroy(event);
            forgetError();
        }
    };
    std::unique_ptr<CUevent_st, Deleter> m_event;
};

/// A queue of work on the device that was current when it was made; it is ordered against other
/// streams by events only.
class Stream {
  public:
    enum class Priority {
        normal,
        high,  ///< its kernels start before the remaining blocks of those in normal streams
    };
    explicit Stream(Priority priority = Priority::normal);

    [[nodiscard]] cudaStream_t get() const { return m_stream.get(); }
    void wait(const Event& event);
    /// Blocks until all its work is done. @throws what went wrong in it
    void synchronize() const;

  private:
    struct Deleter {
        void operator()(cudaStream_t stream) const noexcept {
            (void)cudaStreamDestroy(stream);
            forgetError();
        }
    };
    std::unique_ptr<CUstream_st, Deleter> m_stream;
};

}  // namespace gantry
