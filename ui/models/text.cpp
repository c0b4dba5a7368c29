#include "ui/models/text.h"

#include <QFile>
#include <cmath>

namespace gantry {

std::filesystem::path toPath(const QString& text) {
    return {QFile::encodeName(text).toStdString()};
}

QString toText(const std::filesystem::path& path) {
    return QFile::decodeName(QByteArray::fromStdString(path.string()));
}

QString numberText(double value, int digits) {
    // No exponent where a whole number is as short: counts, sizes.
    const double size = std::abs(value);
    if (size >= std::pow(10, digits) && size < 1e9) return QString::number(value, 'f', 0);
    return QString::number(value, 'g', digits);
}

}  // namespace gantry
