#include "core/scan/stuck_pixels.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/scan/open_scan.h"
#include "core/scan/unusable_pixels.h"

namespace gantry {

namespace {

constexpr Index kStuckViews = 8;
constexpr Index kMinStuckViews = 5;

// In how many of the views each pixel has exactly the value of the flat field.
struct LikeFlat {
    std::vector<unsigned char> views;    // [v][u]
    std::vector<unsigned char> changes;  // [v][u]; views in which it is not as in the one before
    int read = 0;
    bool hasAll = true;  // a pixel is like that in all views

    [[nodiscard]] bool isAlways(Index pixel) const { return views[pixel] == read; }
    // A column of another gain differs from the flat field as well, but stays as it is in air.
    [[nodiscard]] bool isNoisy(Index pixel) const {
        return 2 * views[pixel] < read && 2 * changes[pixel] > read - 1;
    }
};

bool isUsable(const DetectorCalibration& calibration, Index pixel) {
    const float value = calibration.flat[pixel];
    return (calibration.bad.count() == 0 || calibration.bad[pixel] == 0) &&
           std::ranges::all_of(calibration.laterFlats, [&](const LaterField& later) {
               return later.image[pixel] == value;
           });
}

// Ends with the first view after which no pixel is left.
LikeFlat compareWithFlat(const ProjectionSource& source, const DetectorCalibration& calibration) {
    const SourceInfo& info = source.info();
    HostBuffer<float> pixels(info.rows * info.columns);
    HostBuffer<float> before(pixels.count());
    LikeFlat found = {.views = std::vector<unsigned char>(pixels.count()),
                      .changes = std::vector<unsigned char>(pixels.count())};
    for (Index i = 0; i < kStuckViews && found.hasAll; ++i) {
        try {
            readView(source, i * (info.views - 1) / (kStuckViews - 1), pixels.span());
        } catch (const InputError&) {
            continue;  // it is told where the view is read
        }
        ++found.read;
        found.hasAll = false;
        for (Index p = 0; p < pixels.count(); ++p) {
            if (found.read > 1 && pixels[p] != before[p]) ++found.changes[p];
            if (pixels[p] != calibration.flat[p] || !isUsable(calibration, p)) continue;
            ++found.views[p];
            found.hasAll = found.hasAll || found.isAlways(p);
        }
        std::swap(pixels, before);
    }
    return found;
}

// Neighbouring pixels that are always like the flat field, which is about the same in all.
class StuckGroup {
  public:
    StuckGroup(const LikeFlat& likeFlat, const DetectorCalibration& calibration)
        : m_likeFlat(&likeFlat), m_calibration(&calibration) {}

    // Takes the group of this pixel. isTaken: [v][u]
    void take(Index first, std::vector<bool>& isTaken) {
        m_pixels = {first};
        isTaken[first] = true;
        for (std::size_t i = 0; i < m_pixels.size(); ++i) {
            const Index u = m_pixels[i] % m_calibration->columns;
            const Index v = m_pixels[i] / m_calibration->columns;
            m_atLeft = m_atLeft || u == 0;
            m_atRight = m_atRight || u + 1 == m_calibration->columns;
            m_atBottom = m_atBottom || v == 0;
            m_atTop = m_atTop || v + 1 == m_calibration->rows;
            if (u > 0) look(m_pixels[i], -1, isTaken);
            if (u + 1 < m_calibration->columns) look(m_pixels[i], 1, isTaken);
            if (v > 0) look(m_pixels[i], -m_calibration->columns, isTaken);
            if (v + 1 < m_calibration->rows) look(m_pixels[i], m_calibration->columns, isTaken);
        }
    }
    [[nodiscard]] bool isDead() const {
        // By chance some pixels with noise are like the flat field in half of the views.
        const bool isAmidNoise = 10 * m_noisy > 9 * m_beside;
        return m_beside > 0 && (2 * m_jumps > m_beside || (isAmidNoise && isBetweenOthers()));
    }
    [[nodiscard]] const std::vector<Index>& pixels() const { return m_pixels; }

  private:
    [[nodiscard]] bool isBetweenOthers() const {
        if (m_atLeft != m_atRight || m_atBottom != m_atTop) return false;
        return !m_atLeft || !m_atBottom;
    }
    void look(Index pixel, Index step, std::vector<bool>& isTaken) {
        constexpr float kJump = 0.1F;
        const Index other = pixel + step;
        const float a = m_calibration->flat[pixel];
        const float b = m_calibration->flat[other];
        const bool isJump = std::abs(a - b) > kJump * std::max(a, b);
        if (!isUsable(*m_calibration, other)) return;
        if (!m_likeFlat->isAlways(other)) {
            ++m_beside;
            if (isJump) ++m_jumps;
            if (m_likeFlat->isNoisy(other)) ++m_noisy;
        } else if (!isJump && !isTaken[other]) {
            isTaken[other] = true;
            m_pixels.push_back(other);
        }
    }

    const LikeFlat* m_likeFlat;
    const DetectorCalibration* m_calibration;
    std::vector<Index> m_pixels;
    bool m_atLeft = false, m_atRight = false, m_atBottom = false, m_atTop = false;
    // Pixels beside the group, once for each side: all, those whose flat field is another, and
    // those that change from view to view.
    Index m_beside = 0, m_jumps = 0, m_noisy = 0;
};

}  // namespace

std::string markStuckPixels(const ProjectionSource& views, DetectorCalibration& calibration) {
    const SourceInfo& info = views.info();
    if (info.views < kMinStuckViews) return {};
    const LikeFlat likeFlat = compareWithFlat(views, calibration);
    if (!likeFlat.hasAll || likeFlat.read < kMinStuckViews) return {};
    const auto pixels = std::ssize(likeFlat.views);
    UnusablePixels stuck(info.rows, info.columns);
    std::vector<bool> isTaken(pixels);
    for (Index first = 0; first < pixels; ++first) {
        if (isTaken[first] || !likeFlat.isAlways(first)) continue;
        StuckGroup group(likeFlat, calibration);
        group.take(first, isTaken);
        if (!group.isDead()) continue;
        for (const Index pixel : group.pixels())
            stuck.add(pixel);
    }
    if (stuck.count() == 0 || 2 * stuck.count() > pixels) return {};
    const std::string so = "one value in the flat field and in all views that were looked at";
    return stuck.takeForDead(calibration, "has " + so, "have " + so);
}

}  // namespace gantry
