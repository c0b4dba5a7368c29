#pragma once

#include <optional>

#include "app/cli/interrupt.h"
#include "app/wiring/wiring.h"

namespace gantry {

/// What every command of this program's run shares.
class Session {
  public:
    explicit Session(Interrupt& interrupt) : m_interrupt(interrupt) {}

    /// Found when first asked for: commands that do not reconstruct need not wait for the GPUs.
    [[nodiscard]] const Backends& backends() {
        if (!m_backends) m_backends = makeBackends();
        return *m_backends;
    }
    /// See Interrupt::token().
    [[nodiscard]] std::stop_token stop() { return m_interrupt.token(); }

  private:
    std::optional<Backends> m_backends;
    Interrupt& m_interrupt;
};

}  // namespace gantry
