#include "core/scan/missing_pixels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/scan/open_scan.h"
#include "core/scan/unusable_pixels.h"

namespace gantry {

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

// What views are stored as.
struct Storage {
    const SourceInfo& stored;
    ProjectionKind kind;
    const DetectorCalibration& calibration;

    [[nodiscard]] Index rowBytes() const { return stored.columns * sizeBytes(stored.pixelType); }
};

Storage storageOf(const OpenScan& scan) {
    return {scan.stored, scan.kind, *scan.calibration};
}

// Stored pixels of a row from column `first` on as floats; what is of no use is not a number.
void toUsable(const Storage& scan, Index row, Index first, std::span<const std::byte> pixels,
              std::span<float> values) {
    const DetectorCalibration& calibration = scan.calibration;
    toFloat(scan.stored.pixelType, pixels, values);
    const Index at = row * scan.stored.columns + first;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto pixel = at + static_cast<Index>(i);
        const bool isBad = calibration.bad.count() > 0 && calibration.bad[pixel] != 0;
        if (isBad || !std::isfinite(values[i])) values[i] = kMissing;
    }
}

bool isAnyUsable(const Storage& scan, Index row, Index first, std::span<const float> values) {
    const bool areCounts = scan.kind == ProjectionKind::counts;
    const Index at = row * scan.stored.columns + first;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isnan(values[i]) &&
            (!areCounts || values[i] > scan.calibration.dark[at + static_cast<Index>(i)]))
            return true;
    return false;
}

// The bytes of pixels [first, first + count) of a row.
std::span<const std::byte> bytesOf(const Storage& scan, std::span<const std::byte> pixels,
                                   Index row, Index first, Index count) {
    const Index size = sizeBytes(scan.stored.pixelType);
    return pixels.subspan(row * scan.rowBytes() + first * size, count * size);
}

// Whether no value has the largest exponent; without branches, as every pixel that is read comes
// by here.
template <class Bits>
bool areFinite(std::span<const std::byte> pixels, Bits exponent) {
    unsigned odd = 0;
    for (std::size_t at = 0; at < pixels.size(); at += sizeof(Bits)) {
        Bits bits;
        std::memcpy(&bits, pixels.data() + at, sizeof(Bits));
        odd |= static_cast<unsigned>((bits & exponent) == exponent);
    }
    return odd == 0;
}

bool areNumbers(PixelType type, std::span<const std::byte> pixels) {
    if (type == PixelType::float32) return areFinite<std::uint32_t>(pixels, 0x7F800000U);
    if (type == PixelType::float64) return areFinite<std::uint64_t>(pixels, 0x7FF0000000000000U);
    return true;
}

// Whether all pixels are numbers and one of the first ones is usable.
bool isRowWhole(const Storage& scan, Index row, std::span<const std::byte> pixels, Index inBlock) {
    constexpr Index kFew = 8;
    const Index columns = scan.stored.columns;
    if (!areNumbers(scan.stored.pixelType, bytesOf(scan, pixels, inBlock, 0, columns)))
        return false;
    std::array<float, kFew> values{};
    const std::span<float> first = std::span(values).first(std::min(kFew, columns));
    toUsable(scan, row, 0, bytesOf(scan, pixels, inBlock, 0, std::ssize(first)), first);
    return isAnyUsable(scan, row, 0, first);
}

bool isRowOfBadPixels(const Storage& scan, Index row) {
    if (scan.calibration.bad.count() == 0) return false;
    const unsigned char* bad = scan.calibration.bad.data() + row * scan.stored.columns;
    return std::all_of(bad, bad + scan.stored.columns, [](unsigned char b) { return b != 0; });
}

// Adds one for each pixel that a view lacks: one that is no number, or all of a row without one
// usable pixel.
void countMissing(const Storage& scan, std::span<const std::byte> pixels, std::vector<int>& lacks) {
    std::vector<float> values(scan.stored.columns);
    for (Index v = 0; v < scan.stored.rows; ++v) {
        if (isRowWhole(scan, v, pixels, v) || isRowOfBadPixels(scan, v)) continue;
        toUsable(scan, v, 0, bytesOf(scan, pixels, v, 0, scan.stored.columns), values);
        const bool isRowLost = !isAnyUsable(scan, v, 0, values);
        for (Index u = 0; u < scan.stored.columns; ++u)
            if (isRowLost || std::isnan(values[u])) ++lacks[v * scan.stored.columns + u];
    }
}

}  // namespace

std::string markMissingInAllViews(const ProjectionSource& views, ProjectionKind kind,
                                  DetectorCalibration& calibration) {
    constexpr int kViews = 5;
    const SourceInfo& info = views.info();
    const Storage scan = {info, kind, calibration};
    HostBuffer<std::byte> pixels(info.rows * scan.rowBytes());
    std::vector<int> lacks(info.rows * info.columns);
    int read = 0;
    for (int i = 0; i < kViews; ++i) {
        if (read > 0 && std::ranges::find(lacks, read) == lacks.end()) return {};
        try {
            views.readRows(i * (info.views - 1) / (kViews - 1), {0, info.rows}, pixels.span());
        } catch (const InputError&) {
            continue;  // it is told where the view is read
        }
        countMissing(scan, pixels.span(), lacks);
        ++read;
    }
    UnusablePixels missing(info.rows, info.columns);
    for (Index i = 0; i < std::ssize(lacks); ++i) {
        const bool isBad = calibration.bad.count() > 0 && calibration.bad[i] != 0;
        if (read > 0 && lacks[i] == read && !isBad) missing.add(i);
    }
    if (missing.count() == 0 || missing.count() == std::ssize(lacks)) return {};
    const std::string so = fmt::format(
        "missing in all views that were looked at, as {}",
        kind == ProjectionKind::counts ? "no number or not above the dark field" : "no number");
    return missing.takeForDead(calibration, "is " + so, "are " + so);
}

MissingPixels::MissingPixels(std::vector<double> anglesDeg) : m_placeOf(anglesDeg.size()) {
    for (std::size_t s = 0; s < anglesDeg.size(); ++s)
        m_byAngle.emplace_back(anglesDeg[s] - 360 * std::floor(anglesDeg[s] / 360),
                               static_cast<Index>(s));
    std::ranges::sort(m_byAngle);
    std::vector<double> steps;
    for (std::size_t i = 0; i < m_byAngle.size(); ++i) {
        m_placeOf[m_byAngle[i].second] = i;
        if (i > 0) steps.push_back(m_byAngle[i].first - m_byAngle[i - 1].first);
    }
    if (steps.empty()) return;
    const auto middle = steps.begin() + std::ssize(steps) / 2;
    std::nth_element(steps.begin(), middle, steps.end());
    m_stepDeg = *middle;
}

std::vector<MissingPixels::Run> MissingPixels::runsIn(const OpenScan& opened, IndexRange rows,
                                                      std::span<const std::byte> pixels) {
    const Storage scan = storageOf(opened);
    const Index columns = scan.stored.columns;
    std::vector<float> values;
    std::vector<Run> runs;
    for (Index v = rows.begin; v < rows.end; ++v) {
        if (isRowWhole(scan, v, pixels, v - rows.begin) || isRowOfBadPixels(scan, v)) continue;
        values.resize(columns);
        toUsable(scan, v, 0, bytesOf(scan, pixels, v - rows.begin, 0, columns), values);
        if (!isAnyUsable(scan, v, 0, values)) {
            runs.push_back({v, 0, columns});
            continue;
        }
        for (Index u = 0; u < columns; ++u) {
            const Index begin = u;
            while (u < columns && std::isnan(values[u]))
                ++u;
            if (u - begin >= kMinRun) runs.push_back({v, begin, u});
        }
    }
    return runs;
}

void MissingPixels::findPermanent(const OpenScan& scan) {
    const Index views = scan.stored.views;
    const IndexRange all = {0, scan.stored.rows};
    HostBuffer<std::byte> pixels(all.size() * scan.storedRowBytes());
    std::vector<int> lacks(scan.stored.rows * scan.stored.columns);
    for (const Index view : {Index{0}, views / 2, views - 1}) {
        try {
            scan.source->readRows(view, all, pixels.span());
        } catch (const InputError&) {
            continue;  // it is told where the view is read
        }
        for (const Run& run : runsIn(scan, all, pixels.span()))
            for (Index u = run.begin; u < run.end; ++u)
                ++lacks[run.row * scan.stored.columns + u];
    }
    m_isPermanent.resize(lacks.size());
    std::transform(lacks.begin(), lacks.end(), m_isPermanent.begin(),
                   [](int count) { return count == 3; });
}

// The two nearest other views on one side, the nearest first.
std::vector<MissingPixels::Beside> MissingPixels::viewsBeside(Index view, int direction) const {
    constexpr std::size_t kViews = 2;
    const std::size_t n = m_byAngle.size();
    const std::size_t place = m_placeOf[view];
    std::vector<Beside> beside;
    for (std::size_t i = 1; i <= kViews && i < n; ++i) {
        const auto& [angle, other] = m_byAngle[(place + (direction > 0 ? i : n - i)) % n];
        const double apart = std::abs(std::remainder(angle - m_byAngle[place].first, 360));
        if (apart <= kMaxSteps * m_stepDeg) beside.push_back({other, apart});
    }
    return beside;
}

// The wanted pixels of these rows from the nearest views on one side, [v][u], and how far away they
// were seen.
HostBuffer<float> MissingPixels::valuesBeside(const OpenScan& scan, Index view, int direction,
                                              IndexRange rows, const std::vector<Run>& wanted,
                                              HostBuffer<float>& apartDeg) const {
    const Storage storage = storageOf(scan);
    const Index columns = scan.stored.columns;
    HostBuffer<float> values(rows.size() * columns);
    std::ranges::fill(values.span(), kMissing);
    HostBuffer<std::byte> pixels(rows.size() * scan.storedRowBytes());
    std::vector<float> row(columns);
    for (const Beside& other : viewsBeside(view, direction)) {
        try {
            scan.source->readRows(other.view, rows, pixels.span());
        } catch (const InputError&) {
            continue;  // it is told where the view is read
        }
        for (const Run& run : wanted) {
            const Index inBlock = run.row - rows.begin;
            toUsable(storage, run.row, 0, bytesOf(storage, pixels.span(), inBlock, 0, columns),
                     row);
            if (!isAnyUsable(storage, run.row, 0, row)) continue;
            for (Index u = run.begin; u < run.end; ++u) {
                const Index at = inBlock * columns + u;
                if (!std::isnan(values[at])) continue;
                values[at] = row[u];
                apartDeg[at] = static_cast<float>(other.apartDeg);
            }
        }
    }
    return values;
}

void MissingPixels::fill(const OpenScan& scan, Index view, IndexRange rows,
                         std::span<std::byte> pixels) {
    std::vector<Run> runs = runsIn(scan, rows, pixels);
    if (runs.empty()) return;
    const Index columns = scan.stored.columns;
    std::call_once(m_isPermanentKnown, [&] { findPermanent(scan); });
    std::erase_if(runs, [&](const Run& run) {
        const auto first = m_isPermanent.begin() + run.row * columns;
        return std::all_of(first + run.begin, first + run.end, [](bool is) { return is; });
    });
    if (runs.empty()) return;
    const IndexRange needed = {runs.front().row, runs.back().row + 1};
    HostBuffer<float> apartBefore(needed.size() * columns);
    HostBuffer<float> apartAfter(needed.size() * columns);
    const HostBuffer<float> before = valuesBeside(scan, view, -1, needed, runs, apartBefore);
    const HostBuffer<float> after = valuesBeside(scan, view, 1, needed, runs, apartAfter);
    const Index size = sizeBytes(scan.stored.pixelType);
    bool isFilled = false;
    for (const Run& run : runs)
        for (Index u = run.begin; u < run.end; ++u) {
            const Index at = (run.row - needed.begin) * columns + u;
            const bool hasBefore = !std::isnan(before[at]);
            const bool hasAfter = !std::isnan(after[at]);
            if (!hasBefore && !hasAfter) continue;
            const float share = hasBefore && hasAfter
                                    ? apartBefore[at] / (apartBefore[at] + apartAfter[at])
                                : hasAfter ? 1.0F
                                           : 0.0F;
            const float value = share == 0   ? before[at]
                                : share == 1 ? after[at]
                                             : before[at] + share * (after[at] - before[at]);
            fromFloat(
                scan.stored.pixelType, {&value, 1},
                pixels.subspan((run.row - rows.begin) * scan.storedRowBytes() + u * size, size));
            isFilled = true;
        }
    if (!isFilled) return;
    const std::scoped_lock lock(m_mutex);
    m_filled.insert(scan.numberOf(view));
}

std::string MissingPixels::note() const {
    constexpr std::size_t kNamed = 5;
    const std::scoped_lock lock(m_mutex);
    if (m_filled.empty()) return {};
    std::string names;
    std::size_t named = 0;
    for (const Index view : m_filled) {
        if (named == kNamed) break;
        names += fmt::format("{}{}", named++ > 0 ? ", " : "", view);
    }
    return fmt::format(
        "{} {}{} {} rows or blocks without usable pixels, which were interpolated "
        "from the views beside {}.",
        m_filled.size() == 1 ? "View" : "Views", names,
        m_filled.size() > kNamed ? fmt::format(" and {} more", m_filled.size() - kNamed) : "",
        m_filled.size() == 1 ? "has" : "have", m_filled.size() == 1 ? "it" : "them");
}

}  // namespace gantry
