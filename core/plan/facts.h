#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/types.h"
#include "core/engine/device_rates.h"
#include "core/engine/kernel.h"
#include "core/engine/view_state.h"

namespace gantry {

/// Something that a plan or a forecast wants to know of the machine and that has to be measured.
/// What it asks for depends on the job: kernels are tried on pieces of it.
struct Question {
    enum class About {
        kernel,   ///< which kernel a device takes, and its speed: KernelFacts
        device,   ///< what a device copies and filters a second: DeviceRates
        host,     ///< what the CPU loads, prepares and filters a second: HostRates
        storage,  ///< what is written a second: StorageRate
    };
    About about = About::kernel;
    EngineKind engine = EngineKind::cpu;        ///< kernel, device
    int device = 0;                             ///< kernel, device: its number
    std::string kernel;                         ///< the only one to try; empty: the fastest
    bool fast = false;                          ///< kernel: texture hardware may interpolate
    ViewState hostTakes = ViewState::filtered;  ///< host: how far the CPU takes views
    std::string of;                             ///< what else the answer depends on, in words
    std::string place{};                        ///< storage: the folder that is written to

    // What to measure it on: of the job's slabs and batches. Questions that differ in nothing else
    // have the same answer.
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
    /// Until the device, first used in a process, takes work; or all that an earlier run on the
    /// same devices took beside what a forecast counts.
    double startSeconds = 0;
};

/// What the CPU does a second with all the threads of the job, one stage at a time; 0: not asked.
struct HostRates {
    double loadBytes = 0;      ///< stored bytes read and decoded
    double preparePixels = 0;  ///< counts to line integrals
    double filterPixels = 0;   ///< at this detector's width
    double correctPixels = 0;  ///< zingers, phase and rings; of a scan that is corrected
};

struct StorageRate {
    double bytes = 0;
    /// Of earlier jobs on the same disk, by storageKind().
    std::map<std::string, double> ofJobs{};

    /// Of a job of that kind.
    [[nodiscard]] double of(const std::string& kind) const {
        const auto known = ofJobs.find(kind);
        return known == ofJobs.end() ? bytes : known->second;
    }
};

/// A device that cannot be used, as where another program holds it.
struct DeviceFailure {
    std::string message;
    ErrorDetails details;
};

using Answer = std::variant<KernelFacts, DeviceRates, HostRates, StorageRate, DeviceFailure>;

/// What is known of a machine by measurement. A value: it may come from another process.
class Facts {
  public:
    /// Replaces the answer to the same question.
    void add(const Question& question, Answer answer);
    /// Null where it is not known.
    [[nodiscard]] const Answer* find(const Question& question) const;
    /// The answer of that kind; null where there is none of it.
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
