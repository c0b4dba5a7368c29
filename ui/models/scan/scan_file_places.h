#pragma once

#include <QString>
#include <QStringList>
#include <string_view>

#include "ui/models/scan/geometry_form.h"

namespace gantry {

// Access to a form's fields by their names in scan.json; "[1]" is the second number of a pair.
// @throws InternalError if there is no such field

[[nodiscard]] ScanField::Number numberOf(std::string_view path, const QString& unit, double step);
[[nodiscard]] ScanField::OptionalNumber optionalOf(std::string_view path, const QString& unit,
                                                   double step, const QString& absent,
                                                   double start);
[[nodiscard]] ScanField::Files filesOf(std::string_view path, const QString& absent);
/// options: the form's texts for the words of scan.json, in order
[[nodiscard]] ScanField::Choice choiceOf(std::string_view path, const QStringList& options);

}  // namespace gantry
