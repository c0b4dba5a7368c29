#pragma once

#include <QColor>
#include <QString>

#include "ui/widgets/style/theme.h"

namespace gantry {

/// The style sheet of the program, for what the palette cannot set.
[[nodiscard]] QString styleSheetOf(const Theme& theme);

/// The colour of disabled text and icons: clearly weaker than the text, but readable.
[[nodiscard]] QColor disabledColour(const Theme& theme);

}  // namespace gantry
