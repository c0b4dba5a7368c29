#pragma once

#include <QRectF>
#include <QSizeF>
#include <QString>
#include <QStringList>

#include "core/geometry/volume_grid.h"
#include "ui/scene/orbit_camera.h"
#include "ui/scene/volume/ray_cast_request.h"
#include "ui/scene/volume/shown_voxels.h"
#include "ui/widgets/theme.h"

class QPainter;

namespace gantry {

/// Bright matter is judged on a dark background, as slices are, whatever the window's theme.
[[nodiscard]] Theme groundTheme();

/// All of a volume, from before and above.
[[nodiscard]] OrbitCamera wholeVolume(const VolumeGrid& grid);

/// A volume's box as a camera sees it in a view.
struct BoxView {
    const VolumeGrid& grid;
    const OrbitCamera& camera;
    QSizeF view;
    Theme theme;
};

/// Its edges before what it holds, or those behind.
void paintBox(QPainter& painter, const BoxView& box, bool isFront);

/// Lines through a place of the volume along its axes, and a ring where they meet.
void paintCrossHair(QPainter& painter, const BoxView& box, const Vec3& placeMm);

/// A sentence in the area's top left corner.
void paintCaption(QPainter& painter, const QRectF& area, const QString& text, const QColor& colour,
                  QColor ground);

/// How fine the voxels of a picture are, and the memory that they take of what they may; lines.
/// Tests: tests/ui/scene/volume_detail_test.cpp
[[nodiscard]] QStringList voxelsText(const ShownVoxels& shown);

/// The lengths of its edges.
[[nodiscard]] QString extentText(const VolumeGrid& grid);

/// At the right, above the axes.
[[nodiscard]] QRectF colourBarArea(QSizeF view, const QRectF& axes);
/// What a picture's colours mean: a bar with numbers and unit. Left out where `area` is too low.
/// Tests: tests/ui/scene/volume_rendering_test.cpp
void paintColourBar(QPainter& painter, const QRectF& area, const RayCastRequest& request,
                    const Theme& theme);

}  // namespace gantry
