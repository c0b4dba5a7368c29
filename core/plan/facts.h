#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/types.h"
#include "core/engine/device_rates.h"
#include "core/engine/kernel.h"
#include "core/engine/view_state.h"

namespace gantry {

/// A property of the machine that a plan or a forecast needs and that has to be measured. The
/// measurement depends on the job: kernels are tried on pieces of it.
struct Question {
    enum class About {
        kernel,   ///< the fastest kernel of a device, and its speed: KernelFacts
        device,   ///< rates at which a device copies and filters: DeviceRates
        host,     ///< rates at which the CPU loads, prepares and filters: HostRates
        storage,  ///< rate at which a disk writes: StorageRate
    };
    About about = About::kernel;
    EngineKind engine = EngineKind::cpu;        ///< for kernel, device
    int device = 0;                             ///< for kernel, device: its number
    std::string kernel;                         ///< the only one to try; empty: the fastest
    bool fast = false;                          ///< for kernel: texture hardware may interpolate
    ViewState hostTakes = ViewState::filtered;  ///< for host: how far the CPU takes views
    std::optional<int> stepsOn{};  ///< for host: the device that corrects or resamples views
    std::string of;                ///< the other conditions that the answer depends
                                   ///< on, in words
    std::string place{};           ///< for storage: the folder that is written to

    // The size of the job's slabs and batches to measure on. Questions that differ only here have
    // the same answer.
    IndexRanges rows;
    Index slices = 0;
    Index batchViews = 0;
    int threads = 1;

    /// Whether the two have the same answer.
    [[nodiscard]] bool isSame(const Question& other) const;
};

/// A device's kernel, whether it can filter, and when it can begin.
struct KernelFacts {
    KernelChoice choice;
    std::string whyNoFilter;  ///< half a sentence; empty: it can
    /// Seconds until the device, first used in a process, accepts work; or all the time that an
    /// earlier run on the same devices took beyond what a forecast counts.
    double startSeconds = 0;
};

/// Rates of the CPU with all the threads of the job, one stage at a time; 0: not measured. Where
/// devices resample or correct views, it is the rate of one of them: see sharedSteps().
struct HostRates {
    double loadBytes = 0;      ///< stored bytes read and decoded
    double preparePixels = 0;  ///< counts to line integrals
    double filterPixels = 0;   ///< at this detector's width
    double correctPixels = 0;  ///< zingers, phase and rings, where a scan is corrected
};

struct StorageRate {
    double bytes = 0;  ///< 0: the disk has no room for the test
    /// Rates of earlier jobs on the same disk, by storageKind().
    std::map<std::string, double> ofJobs{};

    /// The rate for a job of that kind.
    [[nodiscard]] double of(const std::string& kind) const {
        const auto known = ofJobs.find(kind);
        return known == ofJobs.end() ? bytes : known->second;
    }
};

/// Why a device cannot be used, for example because another program holds it.
struct DeviceFailure {
    std::string message;
    ErrorDetails details;
};

using Answer = std::variant<KernelFacts, DeviceRates, HostRates, StorageRate, DeviceFailure>;

/// What measurements have shown about a machine. A value: it may come from another process.
class Facts {
  public:
    /// Replaces the answer to the same question.
    void add(const Question& question, Answer answer);
    /// Null where the answer is not known.
    [[nodiscard]] const Answer* find(const Question& question) const;
    /// The answer if it is of that type; null otherwise.
    template <class Kind>
    [[nodiscard]] const Kind* find(const Question& question) const {
        const Answer* answer = find(question);
        return answer ? std::get_if<Kind>(answer) : nullptr;
    }

    struct Fact {
        Question question;
        Answer answer;
    };
    [[nodiscard]] const std::vector<Fact>& all() const { return m_all; }

  private:
    std::vector<Fact> m_all;
};

}  // namespace gantry
