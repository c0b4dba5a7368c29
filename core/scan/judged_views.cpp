#include "core/scan/judged_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "core/base/host_buffer.h"
#include "core/scan/open_scan.h"

namespace gantry {

namespace {

// A line integral of nearly 6: what is darker everywhere, beside the object, too, was taken without
// a beam, and is the noise of the dark field.
constexpr double kMinBeam = 0.003;

// What the usable pixels of some rows have in common.
struct Content {
    std::optional<float> value;  ///< of the first usable pixel; none: no pixel is usable
    bool differs = false;        ///< another one does
    bool hasBeam = false;        ///< a stretch of them got a share of the open beam

    void add(float pixel) {
        if (!value) value = pixel;
        if (pixel != *value) differs = true;
    }
    [[nodiscard]] bool isImage() const { return differs && hasBeam; }
};

// Adds pixels [first, first + values.size()) of the detector.
void add(const OpenScan& scan, Index first, std::span<const float> values, Content& content) {
    const DetectorCalibration& calibration = *scan.calibration;
    const bool areCounts = scan.kind == ProjectionKind::counts;
    const bool isMasked = calibration.bad.count() > 0;
    double signal = 0;
    double open = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Index at = first + static_cast<Index>(i);
        const float value = values[i];
        if ((isMasked && calibration.bad[at] != 0) || !std::isfinite(value)) continue;
        if (!areCounts) {
            content.add(value);
            continue;
        }
        signal += static_cast<double>(value - calibration.dark[at]);
        open += static_cast<double>(calibration.flat[at] - calibration.dark[at]);
        if (value > calibration.dark[at]) content.add(value);
    }
    if (!areCounts || signal > kMinBeam * open) content.hasBeam = true;
}

// Row by row from the middle on, where the object is, until two pixels differ.
Content contentOf(const OpenScan& scan, IndexRange rows, std::span<const std::byte> pixels) {
    constexpr Index kStretch = 256;
    std::array<float, kStretch> values{};
    const Index columns = scan.stored.columns;
    const Index pixelBytes = sizeBytes(scan.stored.pixelType);
    Content content;
    for (Index i = 0; i < rows.size(); ++i) {
        const Index row = (rows.size() / 2 + i) % rows.size();
        for (Index u = 0; u < columns && !content.isImage(); u += kStretch) {
            const Index count = std::min(kStretch, columns - u);
            const std::span<float> stretch = {values.data(), static_cast<std::size_t>(count)};
            toFloat(scan.stored.pixelType,
                    pixels.subspan((row * columns + u) * pixelBytes, count * pixelBytes), stretch);
            add(scan, (rows.begin + row) * columns + u, stretch, content);
        }
        if (content.isImage()) break;
    }
    return content;
}

}  // namespace

void judgeView(const OpenScan& scan, Index view, IndexRange rows,
               std::span<const std::byte> pixels) {
    if (!scan.judged || scan.judged->isGood(view)) return;
    Content content = contentOf(scan, rows, pixels);
    if (!content.isImage()) {
        const IndexRange all = {0, scan.stored.rows};
        HostBuffer<std::byte> whole(all.size() * scan.storedRowBytes());
        scan.source->readRows(view, all, whole.span());
        content = contentOf(scan, all, whole.span());
    }
    if (content.isImage()) {
        scan.judged->setGood(view);
        return;
    }
    const std::string name = std::filesystem::path(scan.source->viewName(view)).filename().string();
    const auto why = [&]() -> std::string {
        if (content.differs)
            return fmt::format("nowhere in it more than {:g} % of the flat field's beam arrived.",
                               100 * kMinBeam);
        if (content.value)
            return fmt::format("all its usable pixels are {}.",
                               static_cast<double>(*content.value));
        return scan.kind == ProjectionKind::counts
                   ? "not one of its pixels is a number above the dark field."
                   : "not one of its pixels is a number.";
    };
    throw ViewError(scan.numberOf(view), name + " holds no image: " + why());
}

}  // namespace gantry
