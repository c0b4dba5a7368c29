#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <stop_token>
#include <thread>

namespace gantry {

/// Binds the ranks of a job on this machine to a core each as soon as they exist, and slows the
/// last one down by stopping it for a part of every few hundredths of a second, as other load on
/// its core would. The destructor lets all ranks run normally again.
class SlowedRank {
  public:
    /// job: its folder, which identifies its processes
    /// speed: of the slowed rank, relative to full speed; afterSeconds: since it exists
    SlowedRank(const std::filesystem::path& job, int ranks, double speed, double afterSeconds);

  private:
    void run(const std::stop_token& stop) const;
    [[nodiscard]] std::map<int, pid_t> processes() const;

    std::filesystem::path m_job;
    int m_ranks;
    double m_speed;
    double m_afterSeconds;
    std::jthread m_thread;  ///< last, because it uses the others
};

}  // namespace gantry
