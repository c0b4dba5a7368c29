#pragma once

#include <QFontMetrics>
#include <QHelpEvent>
#include <QRect>
#include <QString>
#include <QWidget>

namespace gantry {

/// The max width of a caption in a picture's corner, so that the picture stays visible: about a
/// third of the picture's.
[[nodiscard]] int captionWidth(int pictureWidth);

/// A caption's words as they fit into lines of that width: long ones, which are names, are
/// shortened in their middle, and words in the middle are left out where there are too many lines.
/// Tests: tests/ui/widgets/caption_test.cpp
[[nodiscard]] QString fittedCaption(const QString& text, const QFontMetrics& metrics, int width);

/// Shows a whole caption as a tool tip where the pointer is on the shortened one.
/// place: where that one is painted in the font of `metrics`, from the top left corner on
/// @returns whether it was shown
bool tellWholeCaption(const QHelpEvent& event, QWidget& widget, const QFontMetrics& metrics,
                      const QRect& place, const QString& text);

}  // namespace gantry
