#pragma once

#include <QCoreApplication>
#include <QString>
#include <filesystem>
#include <vector>

namespace gantry {

/// Converts paths between Qt (UTF-16) and the file system (raw bytes).
[[nodiscard]] std::filesystem::path toPath(const QString& text);
[[nodiscard]] QString toText(const std::filesystem::path& path);

/// A number with its significant digits: "600", "56421", "0.0213", "1.24e-07".
[[nodiscard]] QString numberText(double value, int digits = 4);

/// A length in its usual unit: "600 mm", "25.3 km", "48.5 µm".
/// Tests: tests/ui/models/text_test.cpp
[[nodiscard]] QString lengthText(double mm, int digits = 4);
/// Several lengths in the unit of the largest: "200 × 200 × 153.6 mm".
[[nodiscard]] QString lengthsText(const std::vector<double>& mm, int digits = 4);

/// Translates a text of the models, which are not QObjects, into the user's language.
[[nodiscard]] inline QString tr(const char* text) {
    return QCoreApplication::translate("gantry", text);
}

}  // namespace gantry
