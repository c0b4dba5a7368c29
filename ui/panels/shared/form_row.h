#pragma once

#include <QFormLayout>
#include <QWidget>

namespace gantry {

/// Shows or hides a field of a form with its label. No row of a form that hides some may have a
/// height that goes by its width: QFormLayout of Qt 6.4 then writes past its memory.
inline void showRow(const QFormLayout& form, QWidget& field, bool isVisible) {
    if (QWidget* label = form.labelForField(&field)) label->setVisible(isVisible);
    field.setVisible(isVisible);
}

}  // namespace gantry
