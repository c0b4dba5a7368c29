#pragma once

#include <QSettings>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/remote/host/host.h"
#include "tests/support/temporary_folder.h"

namespace gantry::test {

/// This machine as a host called "here", among hosts and jobs of the test alone.
class OwnHost {
  public:
    OwnHost() {
        if (const char* before = std::getenv("XDG_STATE_HOME")) m_before = before;
        ::setenv("XDG_STATE_HOME", (m_folder / "state").c_str(), 1);
        std::filesystem::remove_all(hostsFolder());
        addHost(host("here"));
    }
    ~OwnHost() {
        std::filesystem::remove_all(hostsFolder());
        ::setenv("XDG_STATE_HOME", m_before.c_str(), 1);
    }
    OwnHost(const OwnHost&) = delete;
    OwnHost& operator=(const OwnHost&) = delete;

    [[nodiscard]] Host host(const std::string& name) const {
        Host made;
        made.name = name;
        made.scratch = (m_folder / "it's $(scratch)").string();
        made.program = GANTRY_PROGRAM;
        return made;
    }
    [[nodiscard]] std::filesystem::path scratch() const { return m_folder / "it's $(scratch)"; }

  private:
    TemporaryFolder m_folder;
    std::string m_before;  // whose jobs other tests see
};

}  // namespace gantry::test
