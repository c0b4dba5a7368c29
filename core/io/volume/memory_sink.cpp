#include "core/io/volume/memory_sink.h"

#include <algorithm>

namespace gantry {

MemorySink::MemorySink(Span3<float> volume) : m_volume(volume), m_written(volume.size(0), false) {}

void MemorySink::put(Index zBegin, Span3<const float> voxels, int) {
    const IndexRange slices = {zBegin, zBegin + voxels.size(0)};
    require(slices.begin >= 0 && slices.end <= m_volume.size(0) &&
                voxels.size(1) == m_volume.size(1) && voxels.size(2) == m_volume.size(2),
            "slices came to a volume in memory that they do not fit");
    std::copy_n(voxels.data(), voxels.count(), m_volume.slices(slices).data());
    m_written.add(slices);
}

void MemorySink::complete(int, const std::stop_token&) {
    m_written.requireAll();
}

}  // namespace gantry
