#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/interrupt.h"
#include "app/wiring/wiring.h"

namespace gantry {

/// What every command of the program shares.
class Session {
  public:
    Session(Interrupt& interrupt, std::vector<std::string> words)
        : m_interrupt(interrupt), m_words(std::move(words)) {}

    /// Found at the first call: commands that do not reconstruct need not wait for the GPUs.
    [[nodiscard]] const Backends& backends() {
        if (!m_backends) m_backends = makeBackends();
        return *m_backends;
    }
    /// See Interrupt::token().
    [[nodiscard]] std::stop_token stop() { return m_interrupt.token(); }
    /// The arguments of the program, without its name.
    [[nodiscard]] const std::vector<std::string>& words() const { return m_words; }

  private:
    std::optional<Backends> m_backends;
    Interrupt& m_interrupt;
    std::vector<std::string> m_words;
};

}  // namespace gantry
