#include "core/scan/inspect/picture_facts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/median.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

// A line integral of 3 %, which air beside an object may have.
constexpr double kDarkAir = 0.03;

// The pixel, or 0 if it is no finite number. Written so that loops of it become vector code.
double orNothing(float value) {
    return value - value == 0 ? static_cast<double>(value) : 0;
}

// A view seen from one of its edges: (along the edge, inwards).
class FromEdge {
  public:
    FromEdge(Span3<const float> view, bool isAcross, bool isFar)
        : m_view(view), m_isAcross(isAcross), m_isFar(isFar) {}

    [[nodiscard]] Index along() const { return m_view.size(m_isAcross ? 1 : 2); }
    [[nodiscard]] Index inwards() const { return m_view.size(m_isAcross ? 2 : 1); }
    [[nodiscard]] double at(Index along, Index inwards) const {
        const Index from = m_isFar ? this->inwards() - 1 - inwards : inwards;
        return orNothing(m_isAcross ? m_view(0, along, from) : m_view(0, from, along));
    }

  private:
    Span3<const float> m_view;
    bool m_isAcross;
    bool m_isFar;
};

// A strip's thirds, in pixels, where there are so many inwards.
Index thirdOf(Index inwards) {
    return std::max<Index>(1, inwards / 100);
}

EdgeStrip stripOf(const FromEdge& edge) {
    constexpr Index kParts = 16;
    // A detector of one or two rows, as of slices of a parallel beam, has no strip beside its
    // middle.
    if (edge.inwards() < 3) return {};
    const Index third = thirdOf(edge.inwards());
    std::vector<double> parts(kParts);
    double inner = 0;
    double outer = 0;
    for (Index part = 0; part < kParts; ++part) {
        const Index begin = part * edge.along() / kParts;
        const Index end = std::max(begin + 1, (part + 1) * edge.along() / kParts);
        double sum = 0;
        for (Index a = begin; a < std::min(end, edge.along()); ++a)
            for (Index i = 0; i < 3 * third; ++i) {
                const double value = edge.at(a, i);
                sum += value;
                if (i < third) outer += value;
                if (i >= 2 * third) inner += value;
            }
        parts[part] = sum / static_cast<double>(std::max<Index>(1, (end - begin) * 3 * third));
    }
    const auto count = static_cast<double>(edge.along() * third);
    EdgeStrip strip;
    for (const double part : parts)
        strip.level += part / kParts;
    for (const double part : parts)
        strip.spread += (part - strip.level) * (part - strip.level) / kParts;
    strip.spread = std::sqrt(strip.spread);
    strip.slope = (inner - outer) / count;
    return strip;
}

double meanOf(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Sets EdgeStrip::rise and bow. inwards: from the edge on, [u]
void takeRise(std::span<const double> inwards, EdgeStrip& strip) {
    const std::size_t third = inwards.size() / 15;
    if (third < 1) return;
    const double outer = meanOf(inwards.first(third));
    const double inner = meanOf(inwards.subspan(2 * third, third));
    // The median leaves out a small object in the middle, and what is small in a large one.
    const auto rest = inwards.first(inwards.size() / 2).subspan(3 * third);
    const double farther = medianOf(std::vector<double>(rest.begin(), rest.end()));
    const auto columns = static_cast<double>(2 * third);
    const double beyond = (static_cast<double>(third) + static_cast<double>(rest.size())) / 2;
    strip.rise = (inner - outer) * static_cast<double>(2 * thirdOf(std::ssize(inwards))) / columns;
    strip.bow = inner - outer - (farther - inner) * columns / beyond;
}

IndexRange quarter(Index count, Index i) {
    return {i * count / 4, (i + 1) * count / 4};
}

void divide(std::vector<double>& sums, Index count) {
    for (double& sum : sums)
        sum /= static_cast<double>(std::max<Index>(1, count));
}

// Means over these rows, [u].
std::vector<double> meanRow(Span3<const float> view, IndexRange rows) {
    std::vector<double> means(view.size(2));
    for (Index v = rows.begin; v < rows.end; ++v)
        for (Index u = 0; u < view.size(2); ++u)
            means[u] += orNothing(view(0, v, u));
    divide(means, rows.size());
    return means;
}

// Fills the means over rows and over columns, and those over a quarter of them, in one pass.
void takeMeans(Span3<const float> view, PictureFacts& fact) {
    const Index rows = view.size(1);
    const Index columns = view.size(2);
    fact.alongU.assign(columns, 0);
    fact.alongV.assign(rows, 0);
    for (std::size_t band = 0; band < 4; ++band) {
        fact.bandsU[band].assign(columns, 0);
        fact.bandsV[band].assign(rows, 0);
    }
    for (std::size_t band = 0; band < 4; ++band) {
        const IndexRange ofBand = quarter(rows, static_cast<Index>(band));
        std::vector<double>& overRows = fact.bandsU[band];
        for (Index v = ofBand.begin; v < ofBand.end; ++v)
            for (std::size_t across = 0; across < 4; ++across) {
                const IndexRange part = quarter(columns, static_cast<Index>(across));
                double sum = 0;
                for (Index u = part.begin; u < part.end; ++u) {
                    const double value = orNothing(view(0, v, u));
                    sum += value;
                    overRows[u] += value;
                }
                fact.bandsV[across][v] = sum;
                fact.alongV[v] += sum;
            }
        for (std::size_t u = 0; u < overRows.size(); ++u)
            fact.alongU[u] += overRows[u];
        divide(overRows, ofBand.size());
    }
    divide(fact.alongU, rows);
    divide(fact.alongV, columns);
    for (std::size_t across = 0; across < 4; ++across)
        divide(fact.bandsV[across], quarter(columns, static_cast<Index>(across)).size());
}

void takeExtremes(Span3<const float> view, PictureFacts& fact) {
    const Index step = std::max<Index>(1, view.count() / 20000);
    std::vector<float> sample;
    for (Index i = 0; i < view.count(); i += step)
        if (std::isfinite(view.data()[i])) sample.push_back(view.data()[i]);
    if (sample.empty()) return;
    const auto hundredth = std::ssize(sample) / 100;
    const auto dark = sample.begin() + std::ssize(sample) * 99 / 100;
    std::nth_element(sample.begin(), dark, sample.end());
    fact.darkest = static_cast<double>(*dark);
    std::nth_element(sample.begin(), sample.begin() + hundredth, dark);
    fact.lightest = static_cast<double>(sample[hundredth]);
    const auto opaque = std::ranges::count_if(
        sample, [](float value) { return value > static_cast<float>(kOpaque); });
    fact.opaqueShare = static_cast<double>(opaque) / static_cast<double>(sample.size());
}

void takeEdges(Span3<const float> view, PictureFacts& fact) {
    constexpr Index kRows = 32;
    const Index rows = std::min(kRows, view.size(1));
    std::vector<double> profile(view.size(2));
    for (Index i = 0; i < rows; ++i) {
        const float* first = view.row(0, (2 * i + 1) * view.size(1) / (2 * rows));
        const std::span<const float> row = {first, static_cast<std::size_t>(view.size(2))};
        fact.leftRows.push_back(edgeOf(row, false));
        fact.rightRows.push_back(edgeOf(row, true));
        for (std::size_t u = 0; u < profile.size(); ++u)
            profile[u] += orNothing(row[u]);
    }
    divide(profile, rows);
    takeRise(profile, fact.left);
    std::ranges::reverse(profile);
    takeRise(profile, fact.right);
}

bool isDark(const EdgeStrip& strip, double contrast) {
    return strip.level > std::max(kDarkAir, 0.02 * contrast);
}

bool isUniform(const EdgeStrip& strip, double contrast) {
    const double uneven = std::max(strip.spread, std::abs(strip.slope));
    return uneven <= std::max(0.004, 0.004 * contrast);
}

// Whether an even strip may be part of the object by its level.
bool mayBeWithin(const EdgeStrip& strip, double contrast) {
    constexpr double kShare = 0.5;
    return isDark(strip, contrast) && isUniform(strip, contrast) && strip.level > kShare * contrast;
}

// The mean of some strips' numbers, and its standard error.
class StripMean {
  public:
    void add(double value) {
        m_sum += value;
        m_squares += value * value;
        ++m_count;
    }
    [[nodiscard]] double count() const { return m_count; }
    [[nodiscard]] double mean() const { return m_sum / m_count; }
    [[nodiscard]] double error() const {
        return std::sqrt(std::max(0.0, m_squares / m_count - mean() * mean()) / (m_count - 1));
    }

  private:
    double m_sum = 0;
    double m_squares = 0;
    double m_count = 0;
};

// Marks the strips of this edge that are within an object, as all of them tell: from the edge to
// the middle, the line integrals of any object rise less and less, taken over its views. Those of
// air beside an object do not rise at the edge, and then the more.
void markWithinObject(std::vector<PictureFacts>& facts, EdgeStrip PictureFacts::*edge,
                      double contrast) {
    constexpr double kMinBow =
        0.0016;                  // parts of the contrast; six times the field of view: 0.0024
    constexpr double kSure = 3;  // standard errors
    StripMean slope;
    StripMean rise;
    StripMean bow;
    for (const PictureFacts& fact : facts) {
        const EdgeStrip& strip = fact.*edge;
        if (!mayBeWithin(strip, contrast)) continue;
        slope.add(strip.slope);
        rise.add(strip.rise);
        bow.add(strip.bow);
    }
    if (bow.count() < 2 || bow.mean() < std::max(kMinBow * contrast, kSure * bow.error()) ||
        rise.mean() > slope.mean() + kSure * slope.error())
        return;
    for (PictureFacts& fact : facts)
        (fact.*edge).isWithinObject = mayBeWithin(fact.*edge, contrast);
}

// The same of all edges. What goes far beyond the left or right edge goes on above and below where
// it is as dark there.
void markWithinObject(std::vector<PictureFacts>& facts) {
    const double contrast = contrastOf(facts);
    markWithinObject(facts, &PictureFacts::left, contrast);
    markWithinObject(facts, &PictureFacts::right, contrast);
    for (PictureFacts& fact : facts) {
        if (!fact.left.isWithinObject && !fact.right.isWithinObject) continue;
        fact.bottom.isWithinObject = mayBeWithin(fact.bottom, contrast);
        fact.top.isWithinObject = mayBeWithin(fact.top, contrast);
    }
}

// A pixel's second difference along both axes, which nothing that is smooth along either has, in
// units in which its noise is that of a pixel.
void takeGrain(Span3<const float> view, PictureFacts& fact) {
    constexpr Index kPixels = 16384;
    constexpr float kNorm = 6;  // 1² + 2² + 1², along two axes
    const Index columns = view.size(2);
    const Index inner = view.size(1) - 2;
    if (inner < 1 || columns < 3) return;
    const Index rows = std::min(inner, std::clamp<Index>(kPixels / columns, 2, 32));
    for (Index i = 0; i < rows; ++i) {
        const Index v = 1 + (2 * i + 1) * inner / (2 * rows);
        const float* below = view.row(0, v - 1);
        const float* here = view.row(0, v);
        const float* above = view.row(0, v + 1);
        const auto bent = [&](Index u) { return below[u] - 2 * here[u] + above[u]; };
        const auto sum = [&](Index u) { return below[u] + here[u] + above[u]; };
        for (Index u = 1; u + 1 < columns; ++u) {
            fact.grain.push_back((bent(u - 1) - 2 * bent(u) + bent(u + 1)) / kNorm);
            fact.grainLevels.push_back((sum(u - 1) + sum(u) + sum(u + 1)) / 9);
        }
    }
}

}  // namespace

std::vector<Index> viewsToLookAt(Index views) {
    constexpr Index kViews = 48;
    std::vector<Index> chosen;
    const Index count = std::min(views, kViews);
    for (Index i = 0; i < count; ++i)
        chosen.push_back(i * (views - 1) / std::max<Index>(1, count - 1));
    if (views > 2) chosen.push_back(1);
    std::ranges::sort(chosen);
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

double contrastOf(const std::vector<PictureFacts>& facts) {
    std::vector<double> darkest;
    darkest.reserve(facts.size());
    for (const PictureFacts& fact : facts)
        darkest.push_back(fact.darkest);
    return medianOf(std::move(darkest));
}

bool isObject(const EdgeStrip& strip, double contrast) {
    return isDark(strip, contrast) && (strip.isWithinObject || !isUniform(strip, contrast));
}

CutViews cutViews(const RedundancyPlan& plan, const std::vector<PictureFacts>& facts) {
    const double contrast = contrastOf(facts);
    CutViews cut;
    for (const PictureFacts& fact : facts) {
        const bool left = !plan.isCompletedBefore() && isObject(fact.left, contrast);
        const bool right = !plan.isCompletedAfter() && isObject(fact.right, contrast);
        cut.left += left ? 1 : 0;
        cut.right += right ? 1 : 0;
        cut.either += left || right ? 1 : 0;
        cut.both += left && right ? 1 : 0;
    }
    return cut;
}

// FNV-1a, over pixels instead of bytes.
std::uint64_t hashOf(Span3<const float> view) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (Index i = 0; i < view.count(); ++i)
        hash = (hash ^ std::bit_cast<std::uint32_t>(view.data()[i])) * 1099511628211ULL;
    return hash;
}

std::vector<PictureFacts> pictureFacts(const OpenScan& scan, const std::vector<Index>& chosen,
                                       FactsOf what, int threads, const std::stop_token& stop) {
    const ScanGeometry& geometry = scan.description.geometry;
    const Index rows = scan.source->info().rows;
    const auto middle =
        std::clamp<Index>(static_cast<Index>(std::lround(geometry.midplaneRow())), 0, rows - 1);
    const IndexRange nearMiddle = {std::max<Index>(0, middle - rows / 50),
                                   std::min(rows, middle + rows / 50 + 1)};
    std::vector<PictureFacts> facts(chosen.size());
    visitViews(
        scan, chosen, {0, rows}, threads,
        [&](std::size_t i, Span3<const float> view) {
            PictureFacts& fact = facts[i];
            fact.view = scan.views.empty() ? chosen[i] : scan.views[chosen[i]];
            fact.angleDeg = geometry.angleDeg(fact.view);
            fact.left = stripOf({view, true, false});
            fact.right = stripOf({view, true, true});
            takeExtremes(view, fact);
            takeEdges(view, fact);
            if (what == FactsOf::edges) return;
            fact.bottom = stripOf({view, false, false});
            fact.top = stripOf({view, false, true});
            fact.middleRows = meanRow(view, nearMiddle);
            takeMeans(view, fact);
            if (scan.kind == ProjectionKind::attenuation) takeGrain(view, fact);
        },
        [](double) {}, stop);
    markWithinObject(facts);
    return facts;
}

}  // namespace gantry
