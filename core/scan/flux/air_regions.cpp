#include "core/scan/flux/air_regions.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/median.h"

namespace gantry {

namespace {

constexpr Index kMaxBlocks = 128;    // along a side of the detector
constexpr Index kMinPixels = 200;    // of a region: its mean is then known to a part of its noise
constexpr Index kMinBlocks = 2;      // across; a narrower one could be the rim of an object
constexpr Index kStripBlocks = 6;    // of a strip at a side, at least
constexpr double kToSigma = 1.4826;  // of the median distance from the median, of normal noise

Index blocksOf(Index pixels) {
    return std::clamp<Index>(pixels / 3, 1, kMaxBlocks);
}

double spreadOf(std::vector<double> values, double center) {
    for (double& value : values)
        value = std::abs(value - center);
    return kToSigma * medianOf(std::move(values));
}

// Part i of `parts` of that many.
IndexRange partOf(Index count, Index i, Index parts) {
    return {i * count / parts, (i + 1) * count / parts};
}

// One side of the detector: blocks are counted from its edge inwards.
class Side {
  public:
    Side(Span3<const float> blocks, bool isRight) : m_blocks(blocks), m_isRight(isRight) {}

    [[nodiscard]] Index views() const { return m_blocks.size(0); }
    [[nodiscard]] Index rows() const { return m_blocks.size(1); }
    [[nodiscard]] Index across() const { return m_blocks.size(2); }
    [[nodiscard]] double at(Index s, Index v, Index inwards) const {
        return static_cast<double>(m_blocks(s, v, m_isRight ? across() - 1 - inwards : inwards));
    }
    [[nodiscard]] IndexRange columns(Index width) const {
        return m_isRight ? IndexRange{across() - width, across()} : IndexRange{0, width};
    }
    // The blocks of a rectangle at the edge in one view.
    [[nodiscard]] std::vector<double> blocksIn(Index s, IndexRange rows, Index width) const {
        std::vector<double> values;
        for (Index v = rows.begin; v < rows.end; ++v)
            for (Index i = 0; i < width; ++i)
                values.push_back(at(s, v, i));
        return values;
    }

  private:
    Span3<const float> m_blocks;
    bool m_isRight;
};

// A rectangle at the edge of a side.
struct AirPart {
    IndexRange rows;
    Index width = 0;
    std::vector<double> levels;  // [s], medians
    double noise = 0;            // of the levels, by how much its blocks differ
    double excess = 0;           // over the brightest part, in the view where it is largest
};

AirPart partAt(const Side& side, IndexRange rows, Index width) {
    AirPart part = {rows, width, {}};
    std::vector<double> spreads;
    for (Index s = 0; s < side.views(); ++s) {
        const std::vector<double> blocks = side.blocksIn(s, rows, width);
        part.levels.push_back(medianOf(blocks));
        spreads.push_back(spreadOf(blocks, part.levels.back()));
    }
    // A median is 1.25 times as noisy as a mean.
    part.noise =
        1.25 * medianOf(std::move(spreads)) / std::sqrt(static_cast<double>(rows.size() * width));
    return part;
}

std::vector<AirPart> stripsOf(const Side& side) {
    constexpr Index kMaxStrips = 4;
    const Index count = std::min(kMaxStrips, side.rows());
    std::vector<AirPart> strips;
    for (Index i = 0; i < count; ++i) {
        const IndexRange rows = partOf(side.rows(), i, count);
        // A detector of few rows has wider strips, so that their noise is known.
        const Index width = std::max(kMinBlocks, (kStripBlocks + rows.size() - 1) / rows.size());
        strips.push_back(partAt(side, rows, width));
    }
    return strips;
}

// A place on the blocks and how dark it is there.
struct StripLevel {
    double column = 0;
    double row = 0;
    double level = 0;
};

// The plane through these, of which some may be darker because the object covers them: least
// squares in which what is too dark weighs less and less.
Eigen::Vector3d planeThrough(const std::vector<StripLevel>& strips) {
    constexpr int kSteps = 30;
    constexpr double kMinScale = 1e-4;
    const auto count = static_cast<Eigen::Index>(strips.size());
    Eigen::MatrixXd places(count, 3);
    Eigen::VectorXd levels(count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const StripLevel& strip = strips[static_cast<std::size_t>(i)];
        places.row(i) << 1, strip.column, strip.row;
        levels[i] = strip.level;
    }
    Eigen::VectorXd weights = Eigen::VectorXd::Ones(count);
    Eigen::Vector3d plane = Eigen::Vector3d::Zero();
    for (int step = 0; step < kSteps; ++step) {
        const Eigen::VectorXd roots = weights.cwiseSqrt();
        plane = (roots.asDiagonal() * places)
                    .completeOrthogonalDecomposition()
                    .solve(roots.asDiagonal() * levels);
        const Eigen::VectorXd darker = levels - places * plane;
        std::vector<double> sizes;
        for (const double value : darker)
            sizes.push_back(std::abs(value));
        const double limit = std::max(kMinScale, medianOf(std::move(sizes)));
        for (Eigen::Index i = 0; i < count; ++i)
            weights[i] = darker[i] <= limit ? 1 : std::pow(limit / darker[i], 2);
    }
    return plane;
}

// An object only ever makes a strip darker: of each side, the strip that stays nearest to the
// brightest of all.
std::vector<AirPart> brightestStrips(const Side& left, const Side& right) {
    std::vector<AirPart> ofSides[2] = {stripsOf(left), stripsOf(right)};
    std::vector<double> brightest(left.views(), std::numeric_limits<double>::infinity());
    for (const std::vector<AirPart>& strips : ofSides)
        for (const AirPart& strip : strips)
            for (std::size_t s = 0; s < brightest.size(); ++s)
                brightest[s] = std::min(brightest[s], strip.levels[s]);
    std::vector<AirPart> best;
    for (std::vector<AirPart>& strips : ofSides) {
        for (AirPart& strip : strips)
            for (std::size_t s = 0; s < brightest.size(); ++s)
                strip.excess = std::max(strip.excess, strip.levels[s] - brightest[s]);
        best.push_back(*std::ranges::min_element(strips, {}, &AirPart::excess));
    }
    return best;
}

// How much darker the object's darkest place is than the part, in the median view.
double contrastTo(const AirPart& part, Span3<const float> blocks) {
    std::vector<double> contrasts;
    for (Index s = 0; s < blocks.size(0); ++s) {
        const float* view = blocks.row(s, 0);
        std::vector<float> values(view, view + blocks.size(1) * blocks.size(2));
        const auto dark = values.begin() + std::ssize(values) * 99 / 100;
        std::nth_element(values.begin(), dark, values.end());
        contrasts.push_back(static_cast<double>(*dark) - part.levels[s]);
    }
    return std::max(0.0, medianOf(std::move(contrasts)));
}

// Which blocks of a side are air in all views: as bright as a part that is, within its noise.
class AirMask {
  public:
    AirMask(const Side& side, const AirPart& part, double contrast)
        : m_side(side), m_tolerance(std::max(0.002, 0.004 * contrast)), m_contrast(contrast) {
        const Index blocks = side.rows() * side.across();
        m_usual.resize(blocks);
        m_changes.resize(blocks);
        for (Index v = part.rows.begin; v < part.rows.end; ++v)
            for (Index i = 0; i < part.width; ++i)
                takeBlock(part, v, i);
        takeNoise(part);
        for (Index v = 0; v < side.rows(); ++v)
            m_widths.push_back(widthAt(part, v));
    }

    // How many blocks of a row are air, from the edge up to the middle.
    [[nodiscard]] Index airAt(Index v) const { return m_widths[v]; }
    // Whether it is as bright at the edge as farther inwards: the rim of an object is not.
    [[nodiscard]] bool isLevel(IndexRange rows, Index width) const {
        double outer = 0;
        double inner = 0;
        const Index half = width / 2;
        for (Index v = rows.begin; v < rows.end; ++v)
            for (Index i = 0; i < half; ++i) {
                outer += usual(v, i);
                inner += usual(v, width - 1 - i);
            }
        const auto count = static_cast<double>(rows.size() * half);
        const double max =
            std::max({0.001, 0.01 * m_contrast, 4 * m_usualNoise / std::sqrt(count)});
        return std::abs(inner - outer) / count <= max;
    }

  private:
    [[nodiscard]] double usual(Index v, Index i) const { return m_usual[v * m_side.across() + i]; }

    // By how much it is usually darker than the part, and by how much that changes.
    void takeBlock(const AirPart& part, Index v, Index i) {
        std::vector<double> darker;
        for (Index s = 0; s < m_side.views(); ++s)
            darker.push_back(m_side.at(s, v, i) - part.levels[s]);
        const double usual = medianOf(darker);
        double change = 0;
        for (const double value : darker)
            change = std::max(change, std::abs(value - usual));
        m_usual[v * m_side.across() + i] = usual;
        m_changes[v * m_side.across() + i] = change;
    }

    // Noise is that of the part's blocks: that of the flat fields, which stays, and of the views.
    void takeNoise(const AirPart& part) {
        std::vector<double> usuals;
        std::vector<double> changes;
        for (Index v = part.rows.begin; v < part.rows.end; ++v)
            for (Index i = 0; i < part.width; ++i) {
                usuals.push_back(usual(v, i));
                for (Index s = 0; s < m_side.views(); ++s)
                    changes.push_back(m_side.at(s, v, i) - part.levels[s] - usual(v, i));
            }
        m_level = medianOf(usuals);
        m_usualNoise = spreadOf(std::move(usuals), m_level);
        m_changeNoise = spreadOf(std::move(changes), 0);
    }

    Index widthAt(const AirPart& part, Index v) {
        Index width = 0;
        for (; width < m_side.across() / 2; ++width) {
            takeBlock(part, v, width);
            if (!isAir(v, width)) break;
        }
        return width;
    }

    [[nodiscard]] bool isAir(Index v, Index i) const {
        // The largest difference of many blocks, and the largest change of all views, are well
        // above three times the noise.
        return std::abs(usual(v, i) - m_level) <= std::max(m_tolerance, 6 * m_usualNoise) &&
               m_changes[v * m_side.across() + i] <= std::max(m_tolerance, 6 * m_changeNoise);
    }

    const Side& m_side;
    double m_tolerance;
    double m_contrast;
    std::vector<double> m_usual;
    std::vector<double> m_changes;
    std::vector<Index> m_widths;
    double m_level = 0;
    double m_usualNoise = 0;
    double m_changeNoise = 0;
};

// The largest rectangle of air that touches the side, if there is one.
std::optional<AirPart> largestAir(const BlockViews& sample, const Side& side, const AirMask& mask) {
    Index most = kMinPixels - 1;
    std::optional<AirPart> best;
    for (Index begin = 0; begin < side.rows(); ++begin) {
        Index width = side.across();
        for (Index v = begin; v < side.rows(); ++v) {
            width = std::min(width, mask.airAt(v));
            if (width < kMinBlocks) break;
            const IndexRange rows = {begin, v + 1};
            const Index pixels = sample.pixelsOf(side.columns(width), rows).pixels();
            if (pixels <= most || !mask.isLevel(rows, width)) continue;
            most = pixels;
            best = AirPart{rows, width, {}};
        }
    }
    if (best) best = partAt(side, best->rows, best->width);
    return best;
}

// Found once by a strip at the edge, and again by the larger part that the strip led to.
std::optional<PixelRegion> airOf(const BlockViews& sample, const Side& side, const AirPart& strip) {
    const double contrast = contrastTo(strip, sample.blocks());
    // The beam may be a bit weaker on one side.
    if (strip.excess > std::max(0.01, 0.01 * contrast) + 7 * strip.noise) return std::nullopt;
    std::optional<AirPart> part = strip;
    for (int pass = 0; pass < 2 && part; ++pass)
        part = largestAir(sample, side, AirMask(side, *part, contrast));
    if (!part) return std::nullopt;
    // The rim of the object may pass through less than half of the innermost block.
    const PixelRegion inside = sample.pixelsOf(side.columns(part->width - 1), part->rows);
    if (part->width > kMinBlocks + 1 && inside.pixels() >= kMinPixels) return inside;
    return sample.pixelsOf(side.columns(part->width), part->rows);
}

}  // namespace

BlockViews::BlockViews(Index views, Index rows, Index columns)
    : m_rows(rows),
      m_columns(columns),
      m_n{views, blocksOf(rows), blocksOf(columns)},
      m_blocks(views * m_n[1] * m_n[2]) {}

PixelRegion BlockViews::pixelsOf(IndexRange blockColumns, IndexRange blockRows) const {
    return {{blockColumns.begin * m_columns / m_n[2], blockColumns.end * m_columns / m_n[2]},
            {blockRows.begin * m_rows / m_n[1], blockRows.end * m_rows / m_n[1]}};
}

void BlockViews::add(Index s, Span3<const float> view) {
    constexpr Index kMaxAlong = 3;  // pixels of a block that are looked at, along either side
    std::vector<float> pixels;
    for (Index v = 0; v < m_n[1]; ++v)
        for (Index u = 0; u < m_n[2]; ++u) {
            const PixelRegion block = pixelsOf({u, u + 1}, {v, v + 1});
            const Index down = 1 + (block.rows.size() - 1) / kMaxAlong;
            const Index along = 1 + (block.columns.size() - 1) / kMaxAlong;
            pixels.clear();
            for (Index y = block.rows.begin; y < block.rows.end; y += down)
                for (Index x = block.columns.begin; x < block.columns.end; x += along)
                    pixels.push_back(view(0, y, x));
            const auto middle = pixels.begin() + std::ssize(pixels) / 2;
            std::nth_element(pixels.begin(), middle, pixels.end());
            m_blocks[(s * m_n[1] + v) * m_n[2] + u] = *middle;
        }
}

void BlockViews::level() {
    const Side sides[2] = {{blocks(), false}, {blocks(), true}};
    std::vector<std::vector<StripLevel>> ofViews(static_cast<std::size_t>(m_n[0]));
    for (const Side& side : sides)
        for (const AirPart& strip : stripsOf(side))
            for (std::size_t s = 0; s < ofViews.size(); ++s)
                ofViews[s].push_back(
                    {middleOf(side.columns(strip.width)), middleOf(strip.rows), strip.levels[s]});
    for (Index s = 0; s < m_n[0]; ++s) {
        const Eigen::Vector3d plane = planeThrough(ofViews[static_cast<std::size_t>(s)]);
        for (Index v = 0; v < m_n[1]; ++v)
            for (Index u = 0; u < m_n[2]; ++u)
                m_blocks[(s * m_n[1] + v) * m_n[2] + u] -=
                    static_cast<float>(plane[0] + plane[1] * static_cast<double>(u) +
                                       plane[2] * static_cast<double>(v));
    }
}

std::vector<PixelRegion> findAir(const BlockViews& sample) {
    const Span3<const float> blocks = sample.blocks();
    std::vector<PixelRegion> regions;
    if (blocks.size(2) < 2 * kStripBlocks) return regions;  // some 36 pixels
    const Side sides[2] = {{blocks, false}, {blocks, true}};
    const std::vector<AirPart> strips = brightestStrips(sides[0], sides[1]);
    for (std::size_t i = 0; i < 2; ++i)
        if (const auto region = airOf(sample, sides[i], strips[i])) regions.push_back(*region);
    return regions;
}

}  // namespace gantry
