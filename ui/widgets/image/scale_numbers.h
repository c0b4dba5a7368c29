#pragma once

#include <QRectF>
#include <QString>

#include "ui/models/image/grey_image.h"

class QPainter;

namespace gantry {

/// Round numbers below an axis that goes from `range.black` at the line's left end to `range.white`
/// at its right one, and the unit, if any, at the right. In the painter's font and colour.
/// Tests: tests/ui/widgets/histogram_view_test.cpp
void paintScaleNumbers(QPainter& painter, const QRectF& line, const GreyWindow& range,
                       const QString& unit);

}  // namespace gantry
