#pragma once

#include <QImage>
#include <QSet>
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "core/phantom/phantom.h"
#include "core/phantom/voxelise.h"
#include "ui/models/image/grey_image.h"
#include "ui/scene/volume/ray_cast_request.h"

namespace gantry::test {

/// A cone-beam scan as of a small laboratory scanner: SOD 600 mm, SDD 1200 mm, 256 × 192 pixels.
inline ScanGeometry benchScan() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().views = 360;
    geometry.detector.columns = 256;
    geometry.detector.rows = 192;
    geometry.detector.pitchMm = {1.6, 1.6};
    return geometry;
}

/// The Shepp-Logan head in count³ voxels of a cube of 100 mm.
struct Head {
    explicit Head(Index count)
        : grid{{count, count, count},
               {100.0 / static_cast<double>(count), 100.0 / static_cast<double>(count),
                100.0 / static_cast<double>(count)},
               {0, 0, 0}},
          voxels(static_cast<std::size_t>(grid.count())) {
        const Phantom phantom = makePhantom("shepp-logan-toft", {50, {}, 0.02});
        voxelisePhantom(phantom, grid, {0, count}, 2, 2, {voxels.data(), count, count, count});
        window = autoWindow(voxels);
    }
    VolumeGrid grid;
    std::vector<float> voxels;
    GreyWindow window;
};

/// The head as it is seen from its left front.
inline RayCastRequest requestFor(const Head& head, QSize size = {120, 90}) {
    RayCastRequest request;
    request.camera.radiusMm = 60;
    request.camera.azimuthDeg = -35;
    request.camera.elevationDeg = 20;
    request.size = size;
    request.window = head.window;
    request.transfer = windowTransfer(head.window);
    return request;
}

inline int colourCount(const QImage& image) {
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            colours.insert(image.pixel(x, y));
    return static_cast<int>(colours.size());
}

/// The share of pixels that two pictures of one size do not have in common; 1 for other sizes.
inline double difference(const QImage& a, const QImage& b) {
    if (a.size() != b.size()) return 1;
    int count = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x)
            count += a.pixel(x, y) != b.pixel(x, y) ? 1 : 0;
    return static_cast<double>(count) / std::max(1, a.width() * a.height());
}

/// The mean difference of the channels, of 255.
inline double meanDifference(const QImage& a, const QImage& b) {
    double sum = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y);
            const QRgb q = b.pixel(x, y);
            sum += std::abs(qRed(p) - qRed(q)) + std::abs(qGreen(p) - qGreen(q)) +
                   std::abs(qBlue(p) - qBlue(q)) + std::abs(qAlpha(p) - qAlpha(q));
        }
    return sum / 4 / (a.width() * a.height());
}

}  // namespace gantry::test
