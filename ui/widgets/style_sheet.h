#pragma once

#include <QColor>
#include <QString>

#include "ui/widgets/theme.h"

namespace gantry {

/// The style sheet of the program: what the palette does not reach.
[[nodiscard]] QString styleSheetOf(const Theme& theme);

/// Text and icons of what cannot be used now: clearly weaker than the text, yet readable.
[[nodiscard]] QColor disabledColour(const Theme& theme);

}  // namespace gantry
