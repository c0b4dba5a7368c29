#pragma once

#include <QString>
#include <filesystem>

namespace gantry {

/// Paths between Qt (UTF-16) and the file system (bytes as they are).
[[nodiscard]] std::filesystem::path toPath(const QString& text);
[[nodiscard]] QString toText(const std::filesystem::path& path);

/// A number with as many digits as say something: "600", "56421", "0.0213", "1.24e-07".
[[nodiscard]] QString numberText(double value, int digits = 4);

}  // namespace gantry
