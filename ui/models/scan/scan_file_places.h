#pragma once

#include <QString>
#include <QStringList>
#include <string_view>

#include "ui/models/scan/geometry_form.h"

namespace gantry {

// What a form's field reads and sets, by the name that scan.json has for it; "[1]" is the second
// number of a pair. @throws InternalError where there is no such field

[[nodiscard]] ScanField::Number numberOf(std::string_view path, const QString& unit, double step);
[[nodiscard]] ScanField::OptionalNumber optionalOf(std::string_view path, const QString& unit,
                                                   double step, const QString& absent,
                                                   double start);
[[nodiscard]] ScanField::Files filesOf(std::string_view path, const QString& absent);
/// options: what a form says for the words of scan.json, in their order
[[nodiscard]] ScanField::Choice choiceOf(std::string_view path, const QStringList& options);

}  // namespace gantry
