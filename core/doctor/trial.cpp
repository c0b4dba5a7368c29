#include "core/doctor/trial.h"

#include <algorithm>
#include <cmath>

#include "core/align/centre_from_rays.h"
#include "core/align/find_alignment.h"
#include "core/align/opposite_rays.h"
#include "core/align/quick_slices.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/this_machine.h"
#include "core/base/throw_error.h"
#include "core/geometry/views/ray_cover.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

constexpr Index kMaxViews = 240;
constexpr Index kMaxColumns = 128;
constexpr Index kMinRows = 32;
constexpr Index kMaxRows = 256;
constexpr Index kSlicePixels = 96;
constexpr double kHeightShare = 0.5;
// Max views for planes, which already give many pairs.
constexpr Index kMaxPlaneViews = 120;
constexpr Index kMinCompared = 100;

StackRequest requestFor(const OpenScan& scan) {
    const SourceInfo& info = scan.source->info();
    const Index across = std::max<Index>(1, (info.columns + kMaxColumns - 1) / kMaxColumns);
    StackRequest request;
    request.maxViews = kMaxViews;
    // Detector pixels are kept unless the detector has few rows or very many.
    const Index down = std::clamp<Index>(info.rows / kMinRows, 1, across);
    request.binning = {across, std::max(down, (info.rows + kMaxRows - 1) / kMaxRows)};
    request.rows = {0, info.rows};
    return request;
}

// Every `step`th view, from `first` on.
ViewStack partOf(const ViewStack& all, std::size_t first, std::size_t step) {
    ViewStack part;
    part.firstRow = all.firstRow;
    part.rows = all.rows;
    part.columns = all.columns;
    part.binning = all.binning;
    for (std::size_t s = first; s < all.views.size(); s += step)
        part.views.push_back(all.views[s]);
    const Index pixels = all.rows * all.columns;
    part.pixels = HostBuffer<float>(std::ssize(part.views) * pixels);
    for (std::size_t i = 0; i < part.views.size(); ++i)
        std::copy_n(all.pixels.data() + static_cast<Index>(first + i * step) * pixels, pixels,
                    part.pixels.data() + static_cast<Index>(i) * pixels);
    return part;
}

// Disagreement without the pairs that contain a view of each part; the last one is of all pairs.
using Disagreement = std::array<double, kViewParts + 1>;

// minSquare: of rays that show too little to be compared, on average
Disagreement disagreement(const Differences& found, double minSquare) {
    Disagreement differences = {};
    Disagreement squares = {};
    std::array<Index, kViewParts + 1> counts = {};
    for (std::size_t i = 0; i < found.values.size(); ++i) {
        if (std::isnan(found.values[i])) continue;
        const auto& [a, b] = found.pairs[i / static_cast<std::size_t>(found.perPair)];
        for (std::size_t part = 0; part <= kViewParts; ++part) {
            if (part == static_cast<std::size_t>(a) % kViewParts ||
                part == static_cast<std::size_t>(b) % kViewParts)
                continue;
            differences[part] += found.values[i] * found.values[i];
            squares[part] += found.squares[i];
            ++counts[part];
        }
    }
    for (std::size_t part = 0; part <= kViewParts; ++part)
        differences[part] = counts[part] < kMinCompared || !(squares[part] > 0) ||
                                    squares[part] < minSquare * static_cast<double>(counts[part])
                                ? kUncompared
                                : differences[part] / squares[part];
    return differences;
}

// Rays that meet nothing but air agree, whatever the geometry.
constexpr double kShownShare = 0.01;

double meanSquareOf(std::span<const float> pixels) {
    double sum = 0;
    for (const float pixel : pixels)
        sum += static_cast<double>(pixel) * static_cast<double>(pixel);
    return sum / static_cast<double>(std::max<std::size_t>(1, pixels.size()));
}

// Whether the object reaches the first or the last column of the views.
bool isCutOff(const ViewStack& stack, double meanSquare) {
    constexpr double kShown = 0.02;  // more than drifts of the beam make of air
    double first = 0;
    double last = 0;
    const Index rows = std::ssize(stack.views) * stack.rows;
    for (Index row = 0; row < rows; ++row) {
        const float* pixels = stack.pixels.data() + row * stack.columns;
        first += std::pow(static_cast<double>(pixels[0]), 2);
        last += std::pow(static_cast<double>(pixels[stack.columns - 1]), 2);
    }
    return std::max(first, last) > kShown * meanSquare * static_cast<double>(rows);
}

double negativeShare(std::span<const float> pixels) {
    double below = 0;
    double all = 0;
    for (const float value : pixels) {
        all += std::abs(value);
        if (value < 0) below -= value;
    }
    return all > 0 ? below / all : 0;
}

void reverseColumns(TrialPicture& picture) {
    for (Index row = 0; row < picture.rows; ++row)
        std::reverse(picture.pixels.begin() + row * picture.columns,
                     picture.pixels.begin() + (row + 1) * picture.columns);
}

void reverseRows(TrialPicture& picture) {
    std::ranges::reverse(picture.pixels);
    reverseColumns(picture);
}

// Adds slices of the volume in this interpretation. The last one is across y.
void showAsRead(std::vector<TrialPicture>& slices, const ReadGeometry& read) {
    if (read.isMirroredX)
        for (TrialPicture& slice : slices)
            reverseColumns(slice);
    if (!read.isUpsideDown) return;
    std::reverse(slices.begin(), std::prev(slices.end()));
    reverseRows(slices.back());
}

void checkMemory(const OpenScan& scan, int threads) {
    const Index needed = Trials::bytesNeeded(scan, threads);
    const Index available = availableMemoryBytes();
    if (needed > available)
        throwError<ResourceError>(
            "Trying the conventions of this scan needs {} of memory, and {} are free.",
            formatBytes(needed), formatBytes(available));
}

// The matrix with the same depth everywhere, which projects what is near the origin alike.
ProjectionMatrix withParallelRays(const ProjectionMatrix& matrix) {
    const double depth = matrix.m[2][3];
    ProjectionMatrix parallel = matrix;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const double origin = matrix.m[axis][3] / depth;
        for (std::size_t i = 0; i < 3; ++i)
            parallel.m[axis][i] = (matrix.m[axis][i] - origin * matrix.m[2][i]) / depth;
        parallel.m[axis][3] = origin;
    }
    parallel.m[2] = {0, 0, 0, 1};
    return parallel;
}

}  // namespace

bool isCentreOff(const Finding& centre, double tolerancePx) {
    constexpr double kSpreads = 3;
    return centre.isFound &&
           std::abs(centre.value) > std::max(tolerancePx, kSpreads * centre.uncertainty);
}

Index Trials::bytesNeeded(const OpenScan& scan, int threads) {
    constexpr Index kPairs = kMaxPlaneViews * (kMaxPlaneViews - 1) / 2;
    constexpr Index kPairBytes = 3 * sizeof(double);  // of a plane: difference, square, line
    const StackRequest request = requestFor(scan);
    const Index rows = request.rows.size() / request.binning[1];
    // Counts the views, their parts, one part filtered and possibly padded, and the half of the
    // views that planes are compared in, with their tables.
    return 4 * stackBytes(scan, request) + kPairs * (rows / 2) * kPairBytes +
           readingBytes(scan, request, threads);
}

Trials::Trials(const OpenScan& scan, PlanePreview& preview, int threads,
               const std::function<void(double)>& onProgress, const std::stop_token& stop)
    : m_preview(preview), m_threads(threads) {
    checkMemory(scan, threads);
    m_all = loadViewStack(scan, requestFor(scan), threads, onProgress, stop);
    const std::size_t parts = std::min(kViewParts, m_all.views.size());
    for (std::size_t part = 0; part < parts; ++part)
        m_parts.push_back(partOf(m_all, part, parts));
    constexpr auto kMax = static_cast<std::size_t>(kMaxPlaneViews);
    m_few = partOf(m_all, 0, (m_all.views.size() + kMax - 1) / kMax);
    m_planes.emplace(m_few, m_few.matrices(projectionMatrices(scan.description.geometry)), threads,
                     stop);
    const ScanGeometry binned = binnedGeometry(scan.description.geometry, m_all);
    smooth(m_all, kRaySmoothing, threads);
    m_meanSquare = meanSquareOf(m_all.pixels.span());
    m_isCutOff = isCutOff(m_all, m_meanSquare);
    const FieldOfView field = fieldOfView(binned);
    // What one side alone sees of a narrow ring is no sharper or less sharp by any reading.
    const bool hasNarrowRing =
        field.everyViewMm < field.radiusMm && RayCover(binned).seesBothSidesAlike();
    m_grid = fitGrid(binned, kSlicePixels, hasNarrowRing ? 2 * field.everyViewMm : 0);
    const double share = 1 - std::min(0.5, field.radiusMm / alignedDetector(binned).axisDistanceMm);
    m_heightMm = share * (field.zMaxMm - field.zMinMm);
    m_grid.voxels[2] =
        std::clamp<Index>(std::lround(m_heightMm / m_grid.pitchMm[2]), 1, 2 * kSlicePixels);
}

double Trials::centreTolerancePx() const {
    constexpr double kMinPx = 1;
    constexpr double kShareOfColumn = 0.125;
    return std::max(kMinPx, kShareOfColumn * static_cast<double>(binning()));
}

std::array<Plane, 4> Trials::planesFor(const ScanGeometry& binned) const {
    const FieldOfView field = fieldOfView(binned);
    VolumeGrid grid = m_grid;
    grid.centerMm = {field.centerMm[0], field.centerMm[1], (field.zMinMm + field.zMaxMm) / 2};
    const auto across = [&](double share) {
        const double z = grid.centerMm[2] + share * m_heightMm / 2;
        return orthogonalPlanes(grid, {grid.centerMm[0], grid.centerMm[1], z})[0];
    };
    return {across(-kHeightShare), across(0), across(kHeightShare),
            orthogonalPlanes(grid, {grid.centerMm[0], grid.centerMm[1], grid.centerMm[2]})[1]};
}

void Trials::compareViews(Trial& trial, const ScanGeometry& geometry,
                          const std::stop_token& stop) const {
    std::vector<ProjectionMatrix> matrices = projectionMatrices(geometry);
    const bool isParallel = areNearlyParallel(geometry);
    if (isParallel)
        for (ProjectionMatrix& matrix : matrices)
            matrix = withParallelRays(matrix);
    const Disagreement rays = disagreement(
        oppositeRays(m_all, m_all.matrices(matrices), CommonToViews::removed, m_threads, stop),
        kShownShare * m_meanSquare);
    Disagreement planes;
    planes.fill(kUncompared);
    // What is compared of planes are derivatives along rays that spread.
    if (m_planes->isWhole() && !isParallel)
        planes = disagreement(
            m_planes->differences(m_few.matrices(matrices), m_few.rows / 2, m_threads, stop), 0);
    for (std::size_t part = 0; part < kViewParts; ++part) {
        trial.without[part].rays = rays[part];
        trial.without[part].planes = planes[part];
    }
    trial.all.rays = rays.back();
    trial.all.planes = planes.back();
    trial.isAnySeenTwice = !isParallel || geometry.coverageDeg() > 185;
    trial.isOneSided = !trial.isAnySeenTwice && m_isCutOff;
}

void Trials::score(Trial& trial, const std::vector<std::vector<float>>& parts,
                   const std::array<Plane, 4>& planes) const {
    const auto n = static_cast<float>(parts.size());
    std::vector<float> all(parts.front().size());
    for (const std::vector<float>& part : parts)
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] += part[i] / n;
    const auto scored = [&](const std::vector<float>& pixels, TrialScores& scores) {
        scores.sharpness = 0;
        for (const Span3<const float>& picture : picturesOf(planes, pixels.data()))
            scores.sharpness += sharpness(picture).energy;
        scores.negative = negativeShare(pixels);
    };
    scored(all, trial.all);
    std::vector<float> rest(all.size());
    for (std::size_t part = 0; part < parts.size() && parts.size() > 1; ++part) {
        for (std::size_t i = 0; i < all.size(); ++i)
            rest[i] = (n * all[i] - parts[part][i]) / (n - 1);
        scored(rest, trial.without[part]);
    }
    const float* pixel = all.data();
    for (const Plane& plane : planes) {
        const Index count = plane.columns * plane.rows;
        trial.slices.push_back({plane.columns, plane.rows, {pixel, pixel + count}});
        pixel += count;
    }
}

Trial Trials::run(const ReadGeometry& read, const std::stop_token& stop) {
    const ScanGeometry binned = binnedGeometry(read.geometry, m_all);
    const std::array<Plane, 4> planes = planesFor(binned);
    std::vector<std::vector<float>> parts;
    for (const ViewStack& part : m_parts) {
        const auto acquisition = acquisitionOf(part, binned, FilterRows::own);
        (void)m_preview.setLineIntegrals(part.span(), stop);
        m_preview.setFilter(acquisition, {});
        m_preview.filter({0, acquisition->geometry.views}, stop);
        m_preview.setGeometry(acquisition->geometry.matrices);
        std::vector<float>& pixels = parts.emplace_back();
        for (const Span3<const float>& picture :
             m_preview.render(planes, PlanePreview::Precision::quick, stop))
            pixels.insert(pixels.end(), picture.data(), picture.data() + picture.count());
    }
    Trial trial;
    score(trial, parts, planes);
    showAsRead(trial.slices, read);
    compareViews(trial, read.geometry, stop);
    return trial;
}

Finding Trials::centre(const ReadGeometry& read, const std::stop_token& stop) const {
    const MatricesAt matricesAt = [&](const Misalignment& misalignment) {
        return projectionMatrices(withMisalignment(read.geometry, misalignment));
    };
    const double rangePx = 0.1 * static_cast<double>(read.geometry.detector.columns);
    return centreFromRays(m_all, matricesAt, {}, rangePx, m_threads, stop);
}

}  // namespace gantry
