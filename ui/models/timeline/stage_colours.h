#pragma once

#include <QColor>

#include "core/pipeline/timeline.h"

namespace gantry {

/// The one colour of a stage, the same everywhere; distinguished by colour-blind readers too.
[[nodiscard]] QColor stageColour(Stage stage);

}  // namespace gantry
