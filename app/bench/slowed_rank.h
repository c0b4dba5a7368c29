#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <stop_token>
#include <thread>

namespace gantry {

/// Binds the ranks of a job on this machine to a core each as soon as they are there, and slows the
/// last one down by stopping it for a part of every few hundredths of a second, as a core that
/// others use does. Goes on until the destructor, which lets all run again.
class SlowedRank {
  public:
    /// job: its folder, by which its processes are known
    /// speed: of the slowed rank, as a part of its own; afterSeconds: since it is there
    SlowedRank(const std::filesystem::path& job, int ranks, double speed, double afterSeconds);

  private:
    void run(const std::stop_token& stop) const;
    [[nodiscard]] std::map<int, pid_t> processes() const;

    std::filesystem::path m_job;
    int m_ranks;
    double m_speed;
    double m_afterSeconds;
    std::jthread m_thread;  ///< last: it uses all of these
};

}  // namespace gantry
