// The files that the open scan and its geometry are written to, and that a geometry is taken from.
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "ui/models/text.h"
#include "ui/workspace/geometry_file.h"
#include "ui/workspace/scan_document.h"

namespace gantry {

void ScanDocument::importGeometry(const QString& path) {
    if (!hasScan()) {
        complain(tr("%1 is a geometry, which belongs to projections: open those first, then the "
                    "geometry again.")
                     .arg(path));
        return;
    }
    m_importing.start([path = toPath(path), detector = geometry().detector](
                          const std::stop_token&) { return readGeometryFile(path, detector); },
                      [this, path](ScanGeometry geometry) { take(std::move(geometry), path); },
                      [this](const QString& sentence) { complain(sentence); });
}

void ScanDocument::take(ScanGeometry geometry, const QString& path) {
    QString text = tr("Import geometry");
    switch (geometryFormatOf(toPath(path))) {
        case GeometryFormat::rtk:
            text = tr("Import RTK geometry");
            break;
        case GeometryFormat::astra:
            text = tr("Import ASTRA vectors");
            break;
        case GeometryFormat::scan:
            break;
    }
    Request request = m_request;
    request.job.scan.geometry = std::move(geometry);
    editAndTell(std::move(request), text, tr("Geometry imported from %1.").arg(path));
}

void ScanDocument::exportGeometry(const QString& path) {
    m_exporting.start(
        [path = toPath(path), geometry = geometry()](const std::stop_token&) {
            writeGeometryFile(path, geometry);
            return true;
        },
        [this, path](bool) {
            emit said({Message::Kind::info, tr("Geometry exported to %1.").arg(path)});
        },
        [this](const QString& sentence) { complain(sentence); });
}

void ScanDocument::saveScan(const QString& path) {
    if (!hasScan()) throw InputError("There is no scan to be saved; open one first.");
    Request saved = m_request;
    ScanFile& scan = saved.job.scan;
    moveScan(scan, std::filesystem::absolute(toPath(path)).lexically_normal());
    scan.volume.reset();
    if (!saved.volumeIsFitted) scan.volume = saved.job.volume;
    throwOnError(validate(scan.geometry), "The scan cannot be saved yet");
    writeFileAtomically(scan.path, toJson(scan));
    m_request = m_inFile = std::move(saved);
    moveScan(m_inspected, m_request.job.scan.path);
    m_settings.follow(m_request);
    m_undoStack.setClean();
    acceptGuesses();
    emit requestChanged();
}

}  // namespace gantry
