#include "core/scan/inspect/image_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/base/median.h"
#include "core/base/parallel.h"
#include "core/io/series/series_parts.h"

namespace gantry {

namespace {

// Statistics of one image.
struct FrameFacts {
    double smallest = std::numeric_limits<double>::infinity();
    double largest = -std::numeric_limits<double>::infinity();
    double sum = 0;
    double sumOfSquares = 0;
    Index finite = 0;
    Index notFinite = 0;
    Index saturated = 0;
    std::string damage;  // why it could not be read
    std::vector<float> sample;

    [[nodiscard]] double mean() const { return finite > 0 ? sum / static_cast<double>(finite) : 0; }
};

FrameFacts look(std::span<const float> pixels, std::optional<double> saturation,
                std::size_t sampleStep) {
    FrameFacts facts;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        const auto value = static_cast<double>(pixels[i]);
        if (!std::isfinite(value)) {
            ++facts.notFinite;
            continue;
        }
        ++facts.finite;
        facts.smallest = std::min(facts.smallest, value);
        facts.largest = std::max(facts.largest, value);
        facts.sum += value;
        facts.sumOfSquares += value * value;
        if (saturation && value >= *saturation) ++facts.saturated;
        if (i % sampleStep == 0) facts.sample.push_back(pixels[i]);
    }
    return facts;
}

std::vector<Index> chosenImages(const SourceInfo& info, bool every) {
    constexpr Index kBytes = 200'000'000;
    constexpr Index kMin = 16;
    const Index imageBytes = info.rows * info.columns * sizeBytes(info.pixelType);
    const Index count =
        every ? info.views
              : std::min(info.views, std::max(kMin, kBytes / std::max<Index>(1, imageBytes)));
    std::vector<Index> chosen;
    for (Index i = 0; i < count; ++i)
        chosen.push_back(i * info.views / count);
    return chosen;
}

std::vector<FrameFacts> lookAtAll(const ProjectionSource& source, const std::vector<Index>& chosen,
                                  std::optional<double> saturation, const InspectOptions& options) {
    constexpr Index kSample = 1'000'000;
    const SourceInfo& info = source.info();
    const Index pixels = info.rows * info.columns;
    const auto count = std::ssize(chosen);
    const auto step = static_cast<std::size_t>(std::max<Index>(1, pixels * count / kSample));
    std::vector<FrameFacts> facts(chosen.size());
    parallelFor(
        options.threads, count, 1,
        [&](Index begin, Index end, int) {
            HostBuffer<std::byte> stored(pixels * sizeBytes(info.pixelType));
            HostBuffer<float> values(pixels);
            for (Index i = begin; i < end; ++i) {
                const auto at = static_cast<std::size_t>(i);
                try {
                    source.readRows(chosen[at], {0, info.rows}, stored.span());
                } catch (const InputError&) {
                    facts[at].damage =
                        faultSentence(source.viewName(chosen[at]), std::current_exception());
                    continue;
                }
                toFloat(info.pixelType, stored.span(), values.span());
                facts[at] = look(values.span(), saturation, step);
            }
        },
        options.stop);
    return facts;
}

ImageStatistics total(const std::vector<FrameFacts>& all) {
    ImageStatistics statistics;
    FrameFacts sum;
    for (const FrameFacts& facts : all) {
        if (!facts.damage.empty()) continue;
        ++statistics.images;
        sum.smallest = std::min(sum.smallest, facts.smallest);
        sum.largest = std::max(sum.largest, facts.largest);
        sum.sum += facts.sum;
        sum.sumOfSquares += facts.sumOfSquares;
        sum.finite += facts.finite;
        sum.sample.insert(sum.sample.end(), facts.sample.begin(), facts.sample.end());
    }
    if (sum.finite == 0) return statistics;
    statistics.smallest = sum.smallest;
    statistics.largest = sum.largest;
    statistics.mean = sum.mean();
    const double variance =
        sum.sumOfSquares / static_cast<double>(sum.finite) - statistics.mean * statistics.mean;
    statistics.standardDeviation = std::sqrt(std::max(0.0, variance));
    std::ranges::sort(sum.sample);
    for (std::size_t i = 0; i < kPercentiles.size() && !sum.sample.empty(); ++i)
        statistics.percentiles[i] = static_cast<double>(
            sum.sample[(sum.sample.size() - 1) * static_cast<std::size_t>(kPercentiles[i]) / 100]);
    return statistics;
}

// The median of the means of up to three images on either side.
double neighbourMean(const std::vector<FrameFacts>& all, std::size_t at) {
    std::vector<double> means;
    for (std::size_t i = at - std::min<std::size_t>(at, 3); i < std::min(all.size(), at + 4); ++i)
        if (i != at && all[i].damage.empty()) means.push_back(all[i].mean());
    if (means.empty()) return all[at].mean();
    return medianOf(std::move(means));
}

struct Suspect {
    Suspicion suspicion;
    std::string reason;
};

std::optional<Suspect> saturatedIn(const FrameFacts& facts) {
    constexpr double kClippedShare = 0.01;
    const double share = static_cast<double>(facts.saturated) / static_cast<double>(facts.finite);
    if (!(share > kClippedShare)) return std::nullopt;
    return Suspect{Suspicion::saturated, fmt::format("{:.1f} % of it is saturated", 100 * share)};
}

std::optional<Suspect> suspectOf(const std::vector<FrameFacts>& all, std::size_t at) {
    constexpr double kMuchDarker = 0.6;
    const FrameFacts& facts = all[at];
    if (!facts.damage.empty()) return Suspect{Suspicion::damaged, facts.damage};
    if (facts.finite == 0) return Suspect{Suspicion::notFinite, "every pixel is NaN or infinite"};
    if (facts.notFinite > 0)
        return Suspect{Suspicion::notFinite,
                       fmt::format("{} pixels are NaN or infinite", facts.notFinite)};
    if (facts.smallest == facts.largest)
        return Suspect{Suspicion::constant,
                       fmt::format("constant: every pixel is {:.6g}", facts.smallest)};
    if (std::optional<Suspect> saturated = saturatedIn(facts)) return saturated;
    const double others = neighbourMean(all, at);
    const double ratio = others > 0 ? facts.mean() / others : 1;
    if (ratio < kMuchDarker || ratio > 1 / kMuchDarker)
        return Suspect{Suspicion::unlikeNeighbours,
                       fmt::format("much {} than its neighbours: mean {:.4g}, theirs {:.4g}",
                                   ratio < 1 ? "darker" : "brighter", facts.mean(), others)};
    return std::nullopt;
}

}  // namespace

void inspectImages(const ProjectionSource& source, std::optional<double> saturation,
                   const InspectOptions& options, SeriesInspection& series) {
    series.info = source.info();
    const std::vector<Index> chosen = chosenImages(series.info, options.everyImage);
    const std::vector<FrameFacts> facts = lookAtAll(source, chosen, saturation, options);
    series.statistics = total(facts);
    for (std::size_t i = 0; i < facts.size(); ++i)
        if (std::optional<Suspect> suspect = suspectOf(facts, i))
            series.suspects.push_back({chosen[i], source.viewName(chosen[i]), suspect->suspicion,
                                       std::move(suspect->reason)});
}

void judgeSaturatedAgain(const OpenScan& scan, double saturation, const std::stop_token& stop,
                         std::vector<SuspectFrame>& suspects) {
    const HostBuffer<unsigned char>& dead = scan.calibration->bad;
    if (dead.count() == 0) return;
    HostBuffer<float> pixels(dead.count());
    std::vector<SuspectFrame> remaining;
    for (SuspectFrame& frame : suspects) {
        const std::optional<Index> view = scan.sourceView(frame.number);
        if (frame.suspicion == Suspicion::saturated && view &&
            scan.source->viewName(*view) == frame.name) {
            if (stop.stop_requested()) throw Cancelled();
            readView(*scan.source, *view, pixels.span());
            for (Index i = 0; i < dead.count(); ++i)
                if (dead[i] != 0) pixels[i] = std::numeric_limits<float>::quiet_NaN();
            std::optional<Suspect> still = saturatedIn(look(pixels.span(), saturation, 1));
            if (!still) continue;
            frame.reason = std::move(still->reason);
        }
        remaining.push_back(std::move(frame));
    }
    suspects = std::move(remaining);
}

}  // namespace gantry
