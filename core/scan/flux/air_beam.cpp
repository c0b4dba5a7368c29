#include "core/scan/flux/air_beam.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/median.h"
#include "core/base/percent.h"
#include "core/scan/inspect/picture_facts.h"
#include "core/scan/open_scan.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

// So many pixels of a region are measured, in whole rows: with 10,000 counts each that is 0.03 % of
// noise.
constexpr Index kMeasuredPixels = 1024;

// Takes away what is as even as air and yet part of an object that is much wider than the detector.
void keepAirBeside(const OpenScan& scan, const std::vector<Index>& chosen, int threads,
                   const std::stop_token& stop, std::vector<PixelRegion>& regions) {
    if (regions.empty()) return;
    const std::vector<PictureFacts> facts =
        pictureFacts(scan, chosen, FactsOf::edges, threads, stop);
    const auto isWithin = [&](const EdgeStrip PictureFacts::*edge) {
        return std::ranges::any_of(
            facts, [&](const PictureFacts& fact) { return (fact.*edge).isWithinObject; });
    };
    const bool isLeftWithin = isWithin(&PictureFacts::left);
    const bool isRightWithin = isWithin(&PictureFacts::right);
    std::erase_if(regions, [&](const PixelRegion& region) {
        return region.columns.begin == 0 ? isLeftWithin : isRightWithin;
    });
}

std::vector<PixelRegion> regionsFound(const OpenScan& scan, FluxMethod method, int threads,
                                      const std::stop_token& stop) {
    const SourceInfo& info = scan.stored;
    const std::vector<Index> chosen = viewsToLookAt(info.views);
    BlockViews sample(std::ssize(chosen), info.rows, info.columns);
    visitViews(
        scan, chosen, {0, info.rows}, threads,
        [&](std::size_t i, Span3<const float> view) { sample.add(static_cast<Index>(i), view); },
        [](double) {}, stop);
    if (method == FluxMethod::plane) sample.level();
    std::vector<PixelRegion> regions = findAir(sample);
    keepAirBeside(scan, chosen, threads, stop, regions);
    if (regions.empty())
        throw InputError(
            "The beam flux cannot be found: no part of the detector shows only air in all views, "
            "at its left or its right side.",
            {.advice = "Give one by --air U0,V0,U1,V1, or leave --flux air out.",
             .field = "prep.flux"});
    return regions;
}

PixelRegion regionGiven(const std::vector<Index>& region, const SourceInfo& info) {
    if (region[2] > info.columns || region[3] > info.rows)
        throw InputError(
            fmt::format("prep.airRegion (--air) is {}: it ends behind the detector, which has {} "
                        "columns and {} rows.",
                        fmt::join(region, ", "), info.columns, info.rows),
            {.field = "prep.airRegion"});
    return {{region[0], region[2]}, {region[1], region[3]}};
}

// How bright a region is in one view, as a share of the flat fields.
struct Brightness {
    double level = 0;   // mean without outliers
    double uneven = 0;  // how much its quarters differ beyond their noise, as a share
};

// Whole counts make a median coarse, so that it only says which pixels enter a mean.
Brightness brightnessOf(Span3<const float> rows, IndexRange columns) {
    const Index middleRow = rows.size(1) / 2;
    const Index middleColumn = (columns.begin + columns.end) / 2;
    std::vector<double> all;
    std::vector<double> quarters[4];
    for (Index v = 0; v < rows.size(1); ++v)
        for (Index u = columns.begin; u < columns.end; ++u) {
            const double share = std::exp(-static_cast<double>(rows(0, v, u)));
            all.push_back(share);
            quarters[(v < middleRow ? 0 : 2) + (u < middleColumn ? 0 : 1)].push_back(share);
        }
    const double median = medianOf(all);
    std::vector<double> distances;
    distances.reserve(all.size());
    for (const double share : all)
        distances.push_back(std::abs(share - median));
    const double sigma = 1.4826 * medianOf(std::move(distances));
    double sum = 0;
    double count = 0;
    for (const double share : all)
        if (std::abs(share - median) <= 4 * sigma) {
            sum += share;
            ++count;
        }
    Brightness found = {sum / count};
    double low = found.level;
    double high = found.level;
    for (std::vector<double>& quarter : quarters)
        if (!quarter.empty()) {
            const double level = medianOf(std::move(quarter));
            low = std::min(low, level);
            high = std::max(high, level);
        }
    const double noise = 8 * sigma / std::sqrt(static_cast<double>(all.size()) / 4);
    if (high - low > noise) found.uneven = (high - low) / found.level;
    return found;
}

// Some pixels whose brightness is measured in all views.
struct Sample {
    PixelRegion pixels;

    [[nodiscard]] double column() const { return middleOf(pixels.columns); }
    [[nodiscard]] double row() const { return middleOf(pixels.rows); }
};

// The rows in the middle of the region that are measured.
IndexRange measuredRows(const PixelRegion& region) {
    const Index columns = region.columns.size();
    const Index count = std::min(region.rows.size(), (kMeasuredPixels + columns - 1) / columns);
    const Index begin = region.rows.begin + (region.rows.size() - count) / 2;
    return {begin, begin + count};
}

// Takes the middle of each region; for a plane those of its lower and its upper half, left and
// right.
std::vector<Sample> samplesOf(const std::vector<PixelRegion>& regions, FluxMethod method) {
    std::vector<Sample> samples;
    const auto halves = [&](IndexRange range) -> std::vector<IndexRange> {
        const Index middle = (range.begin + range.end) / 2;
        if (method == FluxMethod::air || middle == range.begin) return {range};
        return {{range.begin, middle}, {middle, range.end}};
    };
    for (const PixelRegion& region : regions)
        for (const IndexRange rows : halves(region.rows)) {
            const std::vector<IndexRange> sides = halves(region.columns);
            // The same rows for both sides, so that they are read together.
            const IndexRange measured = measuredRows({sides.front(), rows});
            for (const IndexRange columns : sides)
                samples.push_back({{columns, measured}});
        }
    return samples;
}

// A plane through logarithms at these samples, by least squares. Samples that span less than a
// third of the detector tell no slope.
class PlaneFit {
  public:
    PlaneFit(const std::vector<Sample>& samples, const SourceInfo& info, FluxMethod method) {
        const auto spans = [&](double (Sample::*place)() const, Index size) {
            const auto [low, high] = std::ranges::minmax(
                samples, {}, [&](const Sample& sample) { return (sample.*place)(); });
            return method == FluxMethod::plane &&
                   (high.*place)() - (low.*place)() >= static_cast<double>(size) / 3;
        };
        m_hasU = spans(&Sample::column, info.columns);
        m_hasV = spans(&Sample::row, info.rows);
        Eigen::MatrixXd places(std::ssize(samples), 1 + (m_hasU ? 1 : 0) + (m_hasV ? 1 : 0));
        for (Index i = 0; i < std::ssize(samples); ++i) {
            const Sample& sample = samples[static_cast<std::size_t>(i)];
            places(i, 0) = 1;
            if (m_hasU) places(i, 1) = sample.column();
            if (m_hasV) places(i, places.cols() - 1) = sample.row();
        }
        m_inverse = places.completeOrthogonalDecomposition().pseudoInverse();
    }

    // logs: one a sample
    [[nodiscard]] BeamOffset through(const Eigen::VectorXd& logs) const {
        const Eigen::VectorXd plane = m_inverse * logs;
        return {static_cast<float>(plane[0]), m_hasU ? static_cast<float>(plane[1]) : 0,
                m_hasV ? static_cast<float>(plane[plane.size() - 1]) : 0};
    }
    [[nodiscard]] bool hasU() const { return m_hasU; }

  private:
    bool m_hasU = false;
    bool m_hasV = false;
    Eigen::MatrixXd m_inverse;
};

struct MeasuredViews {
    std::vector<BeamOffset> offsets;
    std::vector<double> uneven;
    bool hasSlopeAlongRows = false;
};

MeasuredViews measure(const OpenScan& scan, const std::vector<PixelRegion>& regions,
                      FluxMethod method, int threads, const std::stop_token& stop) {
    std::vector<Index> all(static_cast<std::size_t>(scan.stored.views));
    std::iota(all.begin(), all.end(), Index{0});
    MeasuredViews measured = {std::vector<BeamOffset>(all.size()), std::vector<double>(all.size())};
    const std::vector<Sample> samples = samplesOf(regions, method);
    Eigen::MatrixXd logs(std::ssize(samples), std::ssize(all));
    for (Index begin = 0, end = 0; begin < std::ssize(samples); begin = end) {
        const IndexRange rows = samples[static_cast<std::size_t>(begin)].pixels.rows;
        while (end < std::ssize(samples) &&
               samples[static_cast<std::size_t>(end)].pixels.rows == rows)
            ++end;
        visitViews(
            scan, all, rows, threads,
            [&](std::size_t i, Span3<const float> view) {
                for (Index k = begin; k < end; ++k) {
                    const Brightness found =
                        brightnessOf(view, samples[static_cast<std::size_t>(k)].pixels.columns);
                    logs(k, static_cast<Index>(i)) = std::log(found.level);
                    measured.uneven[i] = std::max(measured.uneven[i], found.uneven);
                }
            },
            [](double) {}, stop);
    }
    const PlaneFit fit(samples, scan.stored, method);
    for (std::size_t i = 0; i < all.size(); ++i)
        measured.offsets[i] = fit.through(logs.col(static_cast<Index>(i)));
    measured.hasSlopeAlongRows = fit.hasU();
    return measured;
}

std::string placeOf(const std::vector<PixelRegion>& regions) {
    std::vector<std::string> places;
    places.reserve(regions.size());
    for (const PixelRegion& region : regions)
        places.push_back(fmt::format("columns {} to {} of rows {} to {}", region.columns.begin,
                                     region.columns.end - 1, region.rows.begin,
                                     region.rows.end - 1));
    return fmt::format("{}", fmt::join(places, ", and in "));
}

std::vector<std::string> notesOn(const OpenScan& scan, const std::vector<PixelRegion>& regions,
                                 FluxMethod method, const MeasuredViews& measured) {
    constexpr double kEven = 0.02;
    std::vector<double> beam;
    double tilt = 0;
    const auto columns = static_cast<double>(scan.stored.columns - 1);
    const auto rows = static_cast<double>(scan.stored.rows - 1);
    for (const BeamOffset& offset : measured.offsets) {
        beam.push_back(std::exp(offset.at(columns / 2, rows / 2)));
        tilt = std::max(tilt, std::abs(static_cast<double>(offset.alongU)) * columns +
                                  std::abs(static_cast<double>(offset.alongV)) * rows);
    }
    const auto [low, high] = std::ranges::minmax(beam);
    const double usual = medianOf(std::move(beam));
    std::vector<std::string> notes = {fmt::format(
        "The beam of the views is {:.{}f} of {} ({:.3f} to {:.3f} over the scan), by the air in "
        "{}.",
        usual, std::abs(usual - 1) > 0.05 ? 2 : 3,
        scan.kind == ProjectionKind::counts ? "the flat fields'"
                                            : "the one that their line integrals refer to",
        low, high, placeOf(regions))};
    if (method == FluxMethod::plane)
        notes.push_back(
            fmt::format("Across the detector it differs by up to {}{}.", formatPercent(tilt),
                        measured.hasSlopeAlongRows
                            ? ""
                            : "; along the rows that is not known, as there is air on one side of "
                              "the object only"));
    const auto worst = std::ranges::max_element(measured.uneven);
    if (*worst > kEven)
        notes.push_back(fmt::format(
            "The region that is taken for air (prep.airRegion) varies by {} within view {}: "
            "something else may be in it, and then levels are wrong. Choose one that shows only "
            "air in all views.",
            formatPercent(*worst), scan.numberOf(worst - measured.uneven.begin())));
    if (!scan.calibration->beam.empty())
        notes.emplace_back("What a beam monitor states in the files was not used.");
    return notes;
}

}  // namespace

std::shared_ptr<const AirBeam> AirBeams::of(const OpenScan& stored, const FluxSpec& spec,
                                            int threads, const std::stop_token& stop) {
    const std::scoped_lock lock(m_mutex);
    if (m_beam && m_spec == spec && m_views == stored.views) return m_beam;
    OpenScan scan = stored;
    scan.offsets.clear();
    AirBeam beam;
    beam.regions = spec.airRegion.empty() ? regionsFound(scan, spec.method, threads, stop)
                                          : std::vector{regionGiven(spec.airRegion, scan.stored)};
    MeasuredViews measured = measure(scan, beam.regions, spec.method, threads, stop);
    beam.notes = notesOn(scan, beam.regions, spec.method, measured);
    beam.offsets = std::move(measured.offsets);
    m_spec = spec;
    m_views = stored.views;
    m_beam = std::make_shared<const AirBeam>(std::move(beam));
    return m_beam;
}

}  // namespace gantry
