#pragma once

#include <signal.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"

namespace gantry::test {

/// The processes of this machine that work on a job of a host, held so that it cannot end before
/// it is cancelled; they go on when the object goes.
class HeldJob {
  public:
    /// place: the job's folder on the host, which is this machine
    explicit HeldJob(const std::string& place) {
        for (const std::filesystem::path& each : entriesOf("/proc")) {
            const std::string name = each.filename().string();
            if (name.find_first_not_of("0123456789") != std::string::npos) continue;
            std::ifstream file(each / "cmdline", std::ios::binary);
            const std::string words{std::istreambuf_iterator<char>(file), {}};
            // Not who starts them, as srun.
            const bool isWorker = words.substr(0, words.find('\0')).ends_with("/gantry") &&
                                  words.find("worker") != std::string::npos;
            if (isWorker && words.find(place + "/job") != std::string::npos)
                m_processes.push_back(std::stoi(name));
        }
        for (const int process : m_processes)
            ::kill(process, SIGSTOP);
    }
    ~HeldJob() {
        for (const int process : m_processes)
            ::kill(process, SIGCONT);
    }
    HeldJob(const HeldJob&) = delete;
    HeldJob& operator=(const HeldJob&) = delete;

    [[nodiscard]] bool isAny() const { return !m_processes.empty(); }
    /// Whether one of them was asked to end, which it sees when it goes on; or has ended, as a
    /// scheduler lets them go on to see it.
    [[nodiscard]] bool isAskedToEnd() const {
        for (const int process : m_processes) {
            std::ifstream status("/proc/" + std::to_string(process) + "/status");
            if (!status) return true;
            for (std::string word; status >> word;) {
                if (word == "Z") return true;  // behind "State:"
                if (word != "SigPnd:" && word != "ShdPnd:") continue;
                status >> word;
                constexpr int kHex = 16;
                if ((std::stoull(word, nullptr, kHex) >> (SIGTERM - 1) & 1U) != 0) return true;
            }
        }
        return false;
    }

  private:
    std::vector<int> m_processes;
};

}  // namespace gantry::test
