#include "ui/models/job/job_remedy.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/volume/open_sink.h"
#include "core/machine/choose_rows.h"
#include "ui/models/job/job_volume.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

// Attenuation of nearly all common objects: water has 0.02 /mm, bone 0.05, aluminium 0.1.
constexpr std::array<double, 2> kUsualRange = {0.0, 0.1};

std::filesystem::path folderOf(const std::filesystem::path& output) {
    // A folder of slices ends in a slash.
    return (output.has_filename() ? output : output.parent_path()).parent_path();
}

// Searches for changes that are accepted. Their speed does not matter.
class Search {
  public:
    Search(const OpenScan& scan, const Machine& machine, const Facts& facts)
        : m_scan(scan), m_machine(machine), m_facts(facts) {}

    bool offer(const JobSpec& spec, const QString& text) {
        try {
            (void)forecastJob(m_scan, spec, m_machine, m_facts);
        } catch (const Error&) {
            return false;
        }
        m_remedies.push_back({text, spec});
        return true;
    }
    void offerPlace() { m_remedies.push_back({tr("Choose another place…"), {}}); }
    [[nodiscard]] std::vector<Remedy> take() { return std::move(m_remedies); }

  private:
    const OpenScan& m_scan;
    const Machine& m_machine;
    const Facts& m_facts;
    std::vector<Remedy> m_remedies;
};

void offerFewerVoxels(const JobSpec& spec, Search& search) {
    for (const Index across : {1024, 512, 384, 256, 128, 64}) {
        JobSpec fewer = spec;
        if (across >= spec.volume.voxels[0]) continue;
        fewer.volume = withVoxelsAcross(spec.volume, across);
        if (search.offer(fewer, tr("Use %1 voxels").arg(across))) return;
    }
}

bool wantsGpu(const JobSpec& spec) {
    return asksForDevices(spec) || spec.fast;
}

// The same without anything that only GPUs can do.
JobSpec onCpu(const JobSpec& spec, const Machine& machine) {
    JobSpec other = spec;
    other.engine = machine.gpu.devices.empty() ? Engine::automatic : Engine::cpu;
    leaveGpus(other);
    return other;
}

void offerForGpu(const JobSpec& spec, const Machine& machine, Search& search) {
    if (spec.engine == Engine::cpu || machine.gpu.devices.empty()) return;
    JobSpec other = spec;
    if (spec.deviceMemoryBytes > 0) {
        other.deviceMemoryBytes = 0;
        search.offer(other, tr("Allow more GPU memory"));
    }
    if (spec.filterOn == FilterOn::gpu) {
        other = spec;
        other.filterOn = FilterOn::automatic;
        search.offer(other, tr("Filter on the CPU"));
    }
    if (!spec.devices.empty()) {
        other = spec;
        other.devices.clear();
        search.offer(other, tr("Use all GPUs"));
    }
    search.offer(onCpu(spec, machine), tr("Use the CPU"));
}

std::vector<Remedy> remediesFor(const Error& error, const OpenScan& scan, const JobSpec& spec,
                                const Machine& machine, const Facts& facts) {
    Search search(scan, machine, facts);
    if (wantsGpu(spec) && machine.gpu.devices.empty() &&
        search.offer(onCpu(spec, machine), tr("Use the CPU")))
        return search.take();
    offerForGpu(spec, machine, search);
    if (spec.memoryBytes > 0) {
        JobSpec other = spec;
        other.memoryBytes = 0;
        search.offer(other, tr("Allow more memory"));
    }
    const bool lacksDisk = error.code() == ErrorCode::disk;
    if (lacksDisk && spec.output.type == PixelType::float32) {
        JobSpec other = spec;
        other.output.type = PixelType::uint16;
        other.output.range = kUsualRange;
        search.offer(other, tr("Use 16-bit output"));
    }
    offerFewerVoxels(spec, search);
    if (lacksDisk || !isFolder(folderOf(spec.output.path))) search.offerPlace();
    return search.take();
}

// No room, or no such folder.
bool isOfDisk(const Error& error) {
    return error.code() == ErrorCode::disk ||
           (error.code() == ErrorCode::missingFile && error.details().field == "output.path");
}

QString sentenceOf(const Error& error) {
    QString text = QString::fromStdString(messageOf(error));
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

}  // namespace

JobSpec withLessOfTheGpu(const JobSpec& spec, const Machine& machine) {
    const std::vector<DeviceFacts>& devices = machine.gpu.devices;
    if (devices.empty() || spec.deviceMemoryBytes > 0) return onCpu(spec, machine);
    const Index smallest =
        std::ranges::min_element(devices, [](const DeviceFacts& a, const DeviceFacts& b) {
            return a.memoryBytes < b.memoryBytes;
        })->memoryBytes;
    JobSpec other = spec;
    other.deviceMemoryBytes = smallest / 2;
    return other;
}

std::variant<JobForecast, Refusal> forecastOrRefusal(const OpenScan& scan, const JobSpec& spec,
                                                     const Machine& machine, const Facts& facts) {
    try {
        const FilterRows rows = rowsByFacts(facts, scan, spec, machine).rows;
        if (onOwnDetectors(spec.scan.geometry, rows) !=
            onOwnDetectors(spec.scan.geometry, scan.rows))
            return forecastJob(withRows(scan, rows), spec, machine, facts);
        return forecastJob(scan, spec, machine, facts);
    } catch (const Error& error) {
        return Refusal{sentenceOf(error), remediesFor(error, scan, spec, machine, facts),
                       isOfDisk(error)};
    }
}

}  // namespace gantry
