#include "core/scan/inspect/text_order_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/scan/inspect/ray_assumption.h"

namespace gantry {

namespace {

// The numbers from `first` on, as they sort as texts.
std::vector<Index> sortedAsText(Index first, Index count) {
    std::vector<std::string> texts;
    for (Index i = 0; i < count; ++i)
        texts.push_back(fmt::format("{}", first + i));
    std::ranges::sort(texts);
    std::vector<Index> numbers;
    numbers.reserve(texts.size());
    for (const std::string& text : texts)
        numbers.push_back(std::stoll(text));
    return numbers;
}

// Views by their numbers in the trajectory, which may go through its angles backwards.
class NumberedViews {
  public:
    NumberedViews(const ScanGeometry& geometry, const Sinogram& sinogram)
        : m_sinogram(&sinogram),
          m_isReversed(geometry.angleDeg(sinogram.views() - 1) < geometry.angleDeg(0)) {}

    // How much changes between two views, but for their levels.
    [[nodiscard]] double change(Index a, Index b) const {
        const std::span<const float> one = valuesOf(a);
        const std::span<const float> other = valuesOf(b);
        double sum = 0;
        double squares = 0;
        for (std::size_t u = 0; u < one.size(); ++u) {
            const double apart = static_cast<double>(one[u]) - static_cast<double>(other[u]);
            sum += apart;
            squares += apart * apart;
        }
        return squares - sum * sum / static_cast<double>(one.size());
    }
    [[nodiscard]] double changeAlong(const std::vector<Index>& order) const {
        double sum = 0;
        for (std::size_t i = 1; i < order.size(); ++i)
            sum += change(order[i - 1], order[i]);
        return sum;
    }

  private:
    [[nodiscard]] std::span<const float> valuesOf(Index view) const {
        return m_sinogram->values(m_isReversed ? m_sinogram->views() - 1 - view : view);
    }

    const Sinogram* m_sinogram;
    bool m_isReversed;
};

}  // namespace

std::optional<Problem> checkTextOrder(const ScanGeometry& geometry, const Sinogram& sinogram) {
    constexpr Index kMinViews = 12;  // up to ten numbers sort alike
    constexpr double kMuchLess = 0.6;
    const Index count = geometry.views();
    if (!geometry.hasAngles() || !isInOrder(geometry.angles().anglesDeg) || count < kMinViews ||
        sinogram.views() != count)
        return std::nullopt;
    const NumberedViews views(geometry, sinogram);
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    const double asStated = views.changeAlong(order);
    Index first = 0;
    double asNumbers = std::numeric_limits<double>::infinity();
    for (const Index candidate : {Index{0}, Index{1}}) {
        const std::vector<Index> numbers = sortedAsText(candidate, count);
        for (Index view = 0; view < count; ++view)
            order[numbers[view] - candidate] = view;
        const double change = views.changeAlong(order);
        if (!(change < asNumbers)) continue;
        first = candidate;
        asNumbers = change;
    }
    if (!(asNumbers < kMuchLess * asStated)) return std::nullopt;
    const std::vector<Index> numbers = sortedAsText(first, count);
    Index moved = 0;
    while (numbers[moved] == first + moved)
        ++moved;
    return Problem{
        Problem::Severity::warning, "projections.files",
        fmt::format("the views are in the order in which their numbers sort as text ({}, {}, {}, "
                    "{} …): view {} shows number {}, and in the order of the numbers the picture "
                    "changes {:.1f} times less from view to view. Give all numbers as many digits "
                    "before the files are put together, or list the angles in the order of the "
                    "views in trajectory.anglesDeg",
                    numbers[0], numbers[1], numbers[2], numbers[3], moved, numbers[moved],
                    asStated / std::max(asNumbers, 1e-3 * asStated))};
}

}  // namespace gantry
