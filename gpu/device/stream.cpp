#include "gpu/device/stream.h"

namespace gantry {

Event::Event(Timing timing) {
    cudaEvent_t event = nullptr;
    const unsigned flags =
        cudaEventBlockingSync | (timing == Timing::off ? cudaEventDisableTiming : 0U);
    check(cudaEventCreateWithFlags(&event, flags), "making an event");
    m_event.reset(event);
}

void Event::record(cudaStream_t stream) {
    check(cudaEventRecord(m_event.get(), stream), "marking a point in its work");
}

void Event::synchronize() const {
    check(cudaEventSynchronize(m_event.get()), "computing");
}

bool Event::isPassed() const {
    const cudaError_t result = cudaEventQuery(m_event.get());
    if (result == cudaErrorNotReady) {
        (void)cudaGetLastError();  // the next launch would otherwise seem to have failed
        return false;
    }
    check(result, "computing");
    return true;
}

double Event::millisecondsSince(const Event& earlier) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, earlier.m_event.get(), m_event.get()),
          "measuring time");
    return static_cast<double>(milliseconds);
}

Stream::Stream(Priority priority) {
    int min = 0;
    int greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&min, &greatest), "making a stream");
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                       priority == Priority::high ? greatest : min),
          "making a stream");
    m_stream.reset(stream);
}

void Stream::wait(const Event& event) {
    check(cudaStreamWaitEvent(m_stream.get(), event.get(), 0), "waiting for its own work");
}

void Stream::synchronize() const {
    check(cudaStreamSynchronize(m_stream.get()), "computing");
}

}  // namespace gantry
