#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/interrupt.h"
#include "app/wiring/wiring.h"

namespace gantry {

/// What every command of this program's run shares.
class Session {
  public:
    Session(Interrupt& interrupt, std::vector<std::string> words)
        : m_interrupt(interrupt), m_words(std::move(words)) {}

    /// Found when first asked for: commands that do not reconstruct need not wait for the GPUs.
    [[nodiscard]] const Backends& backends() {
        if (!m_backends) m_backends = makeBackends();
        return *m_backends;
    }
    /// See Interrupt::token().
    [[nodiscard]] std::stop_token stop() { return m_interrupt.token(); }
    /// With which the program was called, its name left out.
    [[nodiscard]] const std::vector<std::string>& words() const { return m_words; }

  private:
    std::optional<Backends> m_backends;
    Interrupt& m_interrupt;
    std::vector<std::string> m_words;
};

}  // namespace gantry
