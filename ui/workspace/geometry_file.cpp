#include "ui/workspace/geometry_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/geometry/exchange.h"
#include "core/geometry/validate.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

GeometryFormat geometryFormatOf(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (extension == ".xml") return GeometryFormat::rtk;
    return extension == ".json" ? GeometryFormat::scan : GeometryFormat::astra;
}

ScanGeometry readGeometryFile(const std::filesystem::path& path, const Detector& detector) {
    switch (geometryFormatOf(path)) {
        case GeometryFormat::rtk:
            return readRtkGeometry(path, detector);
        case GeometryFormat::scan:
            return readScanFile(path).geometry;
        case GeometryFormat::astra:
            break;
    }
    return readAstraVectors(path, detector.columns, detector.rows);
}

void writeGeometryFile(const std::filesystem::path& path, const ScanGeometry& geometry) {
    throwOnError(validate(geometry), "The geometry cannot be exported yet");
    const GeometryFormat format = geometryFormatOf(path);
    if (format == GeometryFormat::scan)
        throw InputError(fmt::format(
            "Cannot export {}: a geometry is exported as .xml (RTK) or .txt (ASTRA vectors). To "
            "write a scan.json, save the scan.",
            path.string()));
    writeFileAtomically(
        path, format == GeometryFormat::rtk ? toRtkXml(geometry) : toAstraVectors(geometry));
}

}  // namespace gantry
