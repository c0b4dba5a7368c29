#pragma once

/// @file
/// The GPUs and the CPU that this build of Gantry can use on this machine.

#include <memory>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace gantry {

struct Backends;

/// A GPU that can be used.
struct Gpu {
    int number = 0;         ///< as ReconstructionRequest::devices has it
    std::string name;       ///< "NVIDIA H200"
    Index memoryBytes = 0;  ///< in all
    Index freeBytes = 0;    ///< when the engines were found
};

/// The GPUs that were found, and the CPU. Copies share them; several threads may use them at once.
/// Tests: tests/install/test_install.py
class Engines {
  public:
    /// Finds the GPUs. Call it once in a program: with a driver it takes some tenths of a second.
    [[nodiscard]] static Engines find();

    /// The GPUs that can be used; empty where there are none.
    [[nodiscard]] std::vector<Gpu> gpus() const;
    /// One sentence; empty where there are GPUs.
    [[nodiscard]] const std::string& whyNoGpu() const;

    /// For the library itself; the type may change.
    [[nodiscard]] const Backends& backends() const { return *m_backends; }

  private:
    explicit Engines(std::shared_ptr<const Backends> backends);

    std::shared_ptr<const Backends> m_backends;
};

}  // namespace gantry
