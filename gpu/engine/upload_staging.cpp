#include "gpu/engine/upload_staging.h"

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

void UploadStaging::reserve(Index bytes) {
    for (Buffer& buffer : m_buffers) {
        if (buffer.bytes.count() >= bytes) continue;
        buffer.read.synchronize();
        buffer.bytes.reserve(bytes);
    }
}

void UploadStaging::switchBuffer() {
    m_current = 1 - m_current;
    m_stream.wait(m_buffers[m_current].read);
}

void UploadStaging::copy(const HostViews& views, Index toByte) {
    Buffer& buffer = m_buffers[m_current];
    require(toByte + views.views * views.viewBytes <= buffer.bytes.count(),
            "a batch is larger than there is room for on the GPU");
    const bool isOnePiece = views.strideBytes == views.viewBytes;
    const Index copies = isOnePiece ? 1 : views.views;
    const Index bytes = isOnePiece ? views.views * views.viewBytes : views.viewBytes;
    for (Index i = 0; i < copies; ++i)
        check(cudaMemcpyAsync(buffer.bytes.data() + toByte + i * bytes,
                              views.first + i * views.strideBytes, static_cast<std::size_t>(bytes),
                              cudaMemcpyHostToDevice, m_stream.get()),
              "copying views to it");
}

void UploadStaging::handTo(Stream& reader) {
    Buffer& buffer = m_buffers[m_current];
    buffer.copied.record(m_stream.get());
    reader.wait(buffer.copied);
}

void UploadStaging::release(const Stream& reader) {
    m_buffers[m_current].read.record(reader.get());
}

void UploadStaging::synchronize() const {
    m_buffers[m_current].copied.synchronize();
}

UploadGuard::~UploadGuard() {
    (void)cudaStreamSynchronize(m_staging.stream().get());
    forgetError();
}

}  // namespace gantry
