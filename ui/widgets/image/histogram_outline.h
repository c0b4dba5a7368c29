#pragma once

#include <QPainterPath>
#include <QRectF>
#include <functional>

#include "ui/models/image/grey_image.h"

namespace gantry {

/// A histogram as an area to be filled: the square root of the counts, at the x positions given by
/// `xOf`; empty without counts. The highest bins, usually air, are cut off.
/// Tests: tests/ui/widgets/histogram_view_test.cpp
[[nodiscard]] QPainterPath histogramOutline(const Histogram& histogram, const QRectF& area,
                                            const std::function<double(double value)>& xOf);

}  // namespace gantry
