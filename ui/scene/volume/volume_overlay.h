#pragma once

#include <QRectF>
#include <QSizeF>
#include <QString>
#include <QStringList>

#include "core/geometry/volume_grid.h"
#include "ui/scene/orbit_camera.h"
#include "ui/scene/volume/ray_cast_request.h"
#include "ui/widgets/style/theme.h"

class QPainter;

namespace gantry {

/// Bright matter is shown on a dark background, like slices, whatever the window's theme.
[[nodiscard]] Theme groundTheme();

/// A camera that shows the whole volume, from the front and above.
[[nodiscard]] OrbitCamera wholeVolume(const VolumeGrid& grid);

/// A volume's box as a camera sees it in a view.
struct BoxView {
    const VolumeGrid& grid;
    const OrbitCamera& camera;
    QSizeF view;
    Theme theme;
};

/// Paints its edges in front of the content, or those behind it.
void paintBox(QPainter& painter, const BoxView& box, bool isFront);

/// Paints lines through a point of the volume along its axes, and a ring where they meet.
void paintCrossHair(QPainter& painter, const BoxView& box, const Vec3& placeMm);

/// Paints words in the area's top left corner.
void paintCaption(QPainter& painter, const QRectF& area, const QString& text, const QColor& colour,
                  QColor ground);

/// Lines about the fineness of a picture's voxels, and the memory that they take of the allowed.
/// Tests: tests/ui/scene/volume_detail_test.cpp
[[nodiscard]] QStringList voxelsText(const ShownVoxels& shown);

/// The lengths of the volume's edges.
[[nodiscard]] QString extentText(const VolumeGrid& grid);

/// The area at the right, above the axes.
[[nodiscard]] QRectF colourBarArea(QSizeF view, const QRectF& axes);
/// Paints what a picture's colours mean: a bar with numbers and unit. Left out if `area` is too
/// low.
/// Tests: tests/ui/scene/volume_rendering_test.cpp
void paintColourBar(QPainter& painter, const QRectF& area, const RayCastRequest& request,
                    const Theme& theme);

}  // namespace gantry
