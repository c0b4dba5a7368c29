#pragma once

/// @file
/// What this build of Gantry, on this machine, reconstructs with.

#include <memory>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace gantry {

struct Backends;

/// A GPU that can be used.
struct Gpu {
    int number = 0;  ///< as ReconstructionRequest::devices has it
    std::string name;
    Index memoryBytes = 0;
    Index freeBytes = 0;  ///< when the engines were found
};

/// The GPUs that were found, and the CPU. Copies share them; several threads may use them at once.
/// Tests: tests/install/test_install.py
class Engines {
  public:
    /// Finds the GPUs, which takes some tenths of a second where there is a driver: once a program.
    [[nodiscard]] static Engines find();

    [[nodiscard]] std::vector<Gpu> gpus() const;
    /// One sentence; empty where there are GPUs.
    [[nodiscard]] const std::string& whyNoGpu() const;

    /// What the library itself works with. Its type is no part of the surface.
    [[nodiscard]] const Backends& behind() const { return *m_backends; }

  private:
    explicit Engines(std::shared_ptr<const Backends> backends);

    std::shared_ptr<const Backends> m_backends;
};

}  // namespace gantry
