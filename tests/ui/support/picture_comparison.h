#pragma once

#include <QImage>
#include <QRect>
#include <QString>
#include <vector>

namespace gantry::test {

/// A picture as the tree keeps it: at half its size and with at most 256 colours, of which those
/// that cover much of it are exact.
[[nodiscard]] QImage baselineOf(const QImage& picture);

/// Where a picture is not as its baseline.
struct PictureDifference {
    QString sentence;            ///< empty: it is as its baseline
    std::vector<QRect> squares;  ///< in pixels of the picture
};

/// Compares a picture with its baseline: the size exactly, and the mean colour of every square of
/// 16 pixels, at steps of 8. Letters that another version of FreeType draws a little bolder, or a
/// pixel further, change these means by less than is tolerated; a control that vanishes, moves by
/// 8 pixels or loses its text changes them by more. The more contrast a square has, the more is
/// tolerated: a surface with another of the palette's colours is noticed.
/// Tests: tests/ui/widgets/picture_comparison_test.cpp
[[nodiscard]] PictureDifference compare(const QImage& picture, const QImage& baseline);

/// The baseline, the picture and the picture with the squares that differ, beside each other.
[[nodiscard]] QImage comparisonSheet(const QImage& picture, const QImage& baseline,
                                     const PictureDifference& difference);

}  // namespace gantry::test
