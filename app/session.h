#pragma once

#include "app/interrupt.h"
#include "core/recon/backends.h"

namespace gantry {

/// What every command of this program's run shares.
class Session {
  public:
    Session(const Backends& backends, Interrupt& interrupt)
        : m_backends(backends), m_interrupt(interrupt) {}

    [[nodiscard]] const Backends& backends() const { return m_backends; }
    /// See Interrupt::token().
    [[nodiscard]] std::stop_token stop() { return m_interrupt.token(); }

  private:
    const Backends& m_backends;
    Interrupt& m_interrupt;
};

}  // namespace gantry
