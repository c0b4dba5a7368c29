#pragma once

#include <QImage>
#include <QSet>
#include <algorithm>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "core/phantom/phantom.h"
#include "core/phantom/voxelise.h"
#include "ui/models/image/grey_image.h"

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

}  // namespace gantry::test
