#include "core/machine/run_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/this_machine.h"
#include "core/machine/storage_speeds.h"
#include "core/plan/plan_forecast.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSeconds = "besideSeconds";
constexpr const char* kLastSeconds = "lastBesideSeconds";

nlohmann::json devicesKey(const std::vector<std::string>& devices) {
    return {{"machine", machineName()}, {"devices", devices}};
}

nlohmann::json kindKey(Stage stage, const std::string& kind) {
    return {{"machine", machineName()}, {name(stage), kind}};
}

std::string rateName(Stage stage) {
    return fmt::format("{}{}PerSecond", name(stage), stage == Stage::load ? "Bytes" : "Pixels");
}

// The first run since the machine was started takes longer, and others may be slowed down: so the
// shorter of two times counts, or the median of three.
double usualOf(std::vector<double> seconds) {
    std::ranges::sort(seconds);
    return seconds[(seconds.size() - 1) / 2];
}

double rate(double amount, double seconds) {
    return seconds > 0 ? amount / seconds : 0;
}

}  // namespace

RunTimes::RunTimes(fs::path file) : m_kept(std::move(file), "gantryRunTimes", "runs") {}

std::optional<double> RunTimes::besideSeconds(const std::vector<std::string>& devices) const {
    return m_kept.findPositive(devicesKey(devices), kSeconds);
}

void RunTimes::keepBeside(const std::vector<std::string>& devices, double seconds) const noexcept {
    constexpr std::size_t kRuns = 3;
    try {
        const nlohmann::json key = devicesKey(devices);
        std::vector<double> last = {seconds};
        if (const std::optional<nlohmann::json> kept = m_kept.find(key); kept) {
            const nlohmann::json before =
                kept->value(kLastSeconds, nlohmann::json::array({positiveOf(*kept, kSeconds)}));
            for (const nlohmann::json& one : before)
                if (one.is_number() && last.size() < kRuns) last.push_back(one);
        }
        m_kept.keep(key, {{kSeconds, usualOf(last)}, {kLastSeconds, last}});
    } catch (...) {
        // Losing the times of one run is no error: the next run keeps its own.
    }
}

std::optional<double> RunTimes::rateOf(Stage stage, const std::string& kind) const {
    return m_kept.findPositive(kindKey(stage, kind), rateName(stage).c_str());
}

void RunTimes::keepRate(Stage stage, const std::string& kind, double perSecond) const noexcept {
    m_kept.keep(kindKey(stage, kind), {{rateName(stage), perSecond}});
}

std::string loadKind(const OpenScan& scan, const Question& question) {
    const auto& stored = scan.stored;
    const double bytes = static_cast<double>(stored.views * stored.rows * stored.columns) *
                         static_cast<double>(sizeBytes(stored.pixelType));
    return fmt::format("{}, {} rows{}, 2^{:.0f} bytes in {} files on {}", question.of, stored.rows,
                       scan.wholeDetector ? fmt::format(" of {} columns, {} averaged",
                                                        scan.wholeDetector->stored.columns,
                                                        scan.corrections.pixels.bin)
                                          : "",
                       std::log2(std::max(1.0, bytes)), scan.files.size(),
                       mountOf(scan.description.path.parent_path()).string());
}

std::string prepareKind(const Acquisition& acquisition, const Question& question) {
    return fmt::format("{}, {}{}", question.of, name(acquisition.stored.pixelType),
                       question.hostTakes == ViewState::filtered ? "" : ", for devices");
}

std::string correctKind(const Acquisition& acquisition, const Question& question) {
    return fmt::format("{} views of {} rows, {}", acquisition.stored.views, acquisition.stored.rows,
                       question.of);
}

MachineRates reachedRates(const PlanInputs& inputs, const JobPlan& plan,
                          std::span<const TimelineSpan> spans) {
    // With all rates set to 1, the predicted seconds of a stage are the amount of its work.
    MachineRates once = {1, 1, 1, 1, 1, {}, 1};
    once.devices.assign(plan.devices.size(), DeviceRates{1, 1, 1, 1});
    const Forecast amounts = forecast(workOnDevices(inputs, plan), plan.handedOver, once);
    const TimelineSummary run = summarise({spans.begin(), spans.end()});
    const auto secondsOf = [&](Stage stage) {
        return run.stages[static_cast<std::size_t>(stage)].seconds;
    };
    const auto devices = static_cast<double>(plan.devices.size());
    const double filter = secondsOf(Stage::filter);
    MachineRates rates;
    rates.loadBytes = rate(amounts.load, secondsOf(Stage::load));
    rates.correctPixels = rate(amounts.correct, secondsOf(Stage::correct));
    rates.preparePixels = rate(amounts.prepare, secondsOf(Stage::prepare));
    if (plan.handedOver == ViewState::filtered) rates.filterPixels = rate(amounts.filter, filter);
    rates.storeBytes =
        storageRateOf(spans, inputs.sink.outputBytes, inputs.request.volume.count()).value_or(0);
    DeviceRates each;
    each.uploadBytes = rate(devices * amounts.upload, secondsOf(Stage::upload));
    each.downloadBytes = rate(devices * amounts.download, secondsOf(Stage::download));
    if (plan.handedOver != ViewState::filtered)
        each.filterPixels = rate(devices * amounts.filter, filter);
    each.updates = rate(devices * amounts.backproject, secondsOf(Stage::backproject));
    rates.devices.assign(plan.devices.size(), each);
    return rates;
}

}  // namespace gantry
