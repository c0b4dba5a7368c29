#include "ui/models/text.h"

#include <QFile>

namespace gantry {

std::filesystem::path toPath(const QString& text) {
    return {QFile::encodeName(text).toStdString()};
}

QString toText(const std::filesystem::path& path) {
    return QFile::decodeName(QByteArray::fromStdString(path.string()));
}

QString numberText(double value, int digits) {
    return QString::number(value, 'g', digits);
}

}  // namespace gantry
