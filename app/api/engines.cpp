#include <gantry/engines.h>

#include "app/wiring/wiring.h"

namespace gantry {

Engines::Engines(std::shared_ptr<const Backends> backends) : m_backends(std::move(backends)) {}

Engines Engines::find() {
    return Engines(std::make_shared<const Backends>(makeBackends()));
}

std::vector<Gpu> Engines::gpus() const {
    std::vector<Gpu> gpus;
    for (const DeviceFacts& device : m_backends->gpu.info.devices)
        gpus.push_back({device.number, device.name, device.memoryBytes, device.freeBytes});
    return gpus;
}

const std::string& Engines::whyNoGpu() const {
    return m_backends->whyNoGpu;
}

}  // namespace gantry
