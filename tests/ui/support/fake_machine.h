#pragma once

#include <signal.h>

#include <QString>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "core/base/file.h"
#include "tests/support/cpu_backends.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/temporary_folder.h"

namespace gantry::test {

/// A machine whose GPUs are fake, none at first, for a Workspace: what is known of it at once, and
/// the program that measures it. Its jobs are run by the program itself.
class FakeMachine {
  public:
    FakeMachine() {
        writeFileAtomically(script(), "#!/bin/sh\nexec '" GANTRY_FAKE_PROGRAM "' '" +
                                          m_folder.path().string() +
                                          "' '" GANTRY_PROGRAM "' \"$@\"\n");
        std::filesystem::permissions(script(), std::filesystem::perms::owner_all);
        write();
    }

    /// From the next measurement on.
    void setGpus(int count, Index freeBytes = 10'000'000'000) {
        m_gpus = count;
        m_freeBytes = freeBytes;
        write();
    }
    /// How long a job is measured, from the next measurement on, and how long GPUs are looked for,
    /// which a shorter time ends at once.
    void setDelays(int jobMs, int gpusMs = 0) {
        m_jobDelayMs = jobMs;
        m_gpuDelayMs = gpusMs;
        write();
    }
    /// What is said instead of measuring a job; empty: it is measured.
    void setFailure(const std::string& sentence) {
        m_failure = sentence;
        write();
    }

    /// Why the GPUs cannot filter, which a job's measurement finds; empty: they can.
    void setNoFilter(const std::string& why) {
        m_whyNoFilter = why;
        write();
    }

    /// What is free on every disk, from now on; 0: as it is.
    void setFreeDisk(Index bytes) { *m_freeDisk = bytes; }

    [[nodiscard]] Machine machine() const {
        FakeGpuRates rates;
        Machine machine = test::machine();
        machine.gpu = fakeGpus(0, 0, rates).info;
        machine.freeDisk = [free = m_freeDisk](const std::filesystem::path& path) {
            return *free > 0 ? Index{*free} : freeDiskBytes(path);
        };
        return machine;
    }
    [[nodiscard]] QString program() const { return QString::fromStdString(script().string()); }

    /// Measurements that were begun and that were completed: of "job" or of "gpus".
    [[nodiscard]] int asked(const std::string& of) const { return count("asked " + of); }
    [[nodiscard]] int answered(const std::string& of) const { return count("answered " + of); }
    /// The process of the last one that was begun; 0: none was.
    [[nodiscard]] pid_t lastProcess() const {
        pid_t last = 0;
        eachLine([&](const std::string& line) { last = std::stoi(line.substr(line.rfind(' '))); });
        return last;
    }
    [[nodiscard]] bool isLastAlive() const {
        const pid_t last = lastProcess();
        return last > 0 && ::kill(last, 0) == 0;
    }

  private:
    [[nodiscard]] std::filesystem::path script() const { return m_folder / "gantry"; }
    void write() const {
        writeFileAtomically(m_folder / "machine",
                            std::to_string(m_gpus) + ' ' + std::to_string(m_freeBytes) + ' ' +
                                std::to_string(m_jobDelayMs) + ' ' + std::to_string(m_gpuDelayMs) +
                                '\n' + m_failure + '\n' + m_whyNoFilter + '\n');
    }
    template <class Take>
    void eachLine(const Take& take) const {
        std::ifstream file(m_folder / "log");
        for (std::string line; std::getline(file, line);)
            take(line);
    }
    [[nodiscard]] int count(const std::string& begin) const {
        int found = 0;
        eachLine([&](const std::string& line) { found += line.starts_with(begin) ? 1 : 0; });
        return found;
    }

    TemporaryFolder m_folder;
    std::shared_ptr<std::atomic<Index>> m_freeDisk = std::make_shared<std::atomic<Index>>(0);
    int m_gpus = 0;
    Index m_freeBytes = 0;
    int m_jobDelayMs = 0;
    int m_gpuDelayMs = 0;
    std::string m_failure;
    std::string m_whyNoFilter;
};

}  // namespace gantry::test
