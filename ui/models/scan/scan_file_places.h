#pragma once

#include <QString>
#include <QStringList>
#include <string_view>

#include "ui/models/scan/geometry_form.h"

namespace gantry {

// Access to a form's fields by their names in scan.json; "[1]" is the second number of a pair.
// @throws InternalError if there is no such field

[[nodiscard]] ScanField::Number numberOf(std::string_view path, double step);
[[nodiscard]] ScanField::OptionalNumber optionalOf(std::string_view path, double step,
                                                   const QString& absent, double start);
[[nodiscard]] ScanField::Files filesOf(std::string_view path, const QString& absent);
[[nodiscard]] ScanField::Choice choiceOf(std::string_view path);

}  // namespace gantry
