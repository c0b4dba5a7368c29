#pragma once

#include <QColor>

#include "core/pipeline/timeline.h"

namespace gantry {

/// The colour of a stage, which is the same in all views. Colour-blind readers can distinguish the
/// colours, too.
[[nodiscard]] QColor stageColour(Stage stage);

}  // namespace gantry
