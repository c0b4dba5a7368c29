// Reading and writing the files of the open scan and its geometry.
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/scan/geometry_file.h"
#include "ui/models/text.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

bool ScanDocument::lacksImagesOnly() const {
    if (m_state != State::open || !m_imageProblem) return false;
    return std::ranges::none_of(m_problems, [this](const Problem& problem) {
        return problem.severity == Problem::Severity::error &&
               problem.message != m_imageProblem->message;
    });
}

void ScanDocument::imagesAreThere() {
    const QString sentence = tr("The images lie on %1: a job that runs on it reconstructs them "
                                "there. They cannot be shown here.")
                                 .arg(QString::fromStdString(m_there->host));
    m_toInspect.clear();
    setOpenScan(nullptr);
    if (m_imageProblem) return;
    m_imageProblem = Problem{Problem::Severity::error, "projections.files", sentence.toStdString()};
    check();
    announce({}, true);
}

void ScanDocument::importGeometry(const QString& path) {
    if (!hasScan()) {
        complain(tr("%1 is a geometry, which belongs to projections: open those first, then the "
                    "geometry again.")
                     .arg(path));
        return;
    }
    m_importing.start(
        [path = toPath(path), scan = m_request.job.scan](const std::stop_token&) {
            const GeometryFormat format = geometryFormatAt(path).geometry;
            return std::pair(format, readGeometryFile(path, format, scan.geometry.detector,
                                                      statedByProjections(scan)));
        },
        [this, path](std::pair<GeometryFormat, ExchangedGeometry> read) {
            take(read.first, std::move(read.second), path);
        },
        [this](const QString& sentence) { complain(sentence); });
}

namespace {

// Takes over which row of the images is the upper one.
// @returns a message about that after a blank, if any.
QString takeRowOrder(const ExchangedGeometry& read, ScanFile& scan) {
    bool& isTop = scan.projections.firstRowIsTop;
    const bool wasTop = isTop;
    isTop = read.firstRowIsTop.value_or(wasTop);
    if (!read.firstRowIsTop && isTop)
        return ScanDocument::tr(
            " It does not say which row of the images is the upper one: that stays the first. "
            "(RTK itself takes the first row for the lowest.)");
    if (isTop == wasTop) return {};
    return isTop ? ScanDocument::tr(" The first row of the images is the upper one now, as there.")
                 : ScanDocument::tr(" The first row of the images is the lowest now, as there.");
}

// Does the same for images that are mirrored left to right.
QString takeMirror(const ExchangedGeometry& read, ScanFile& scan) {
    bool& isMirrored = scan.projections.isMirrored;
    const bool was = isMirrored;
    isMirrored = read.isMirrored.value_or(was);
    if (isMirrored == was) return {};
    return isMirrored
               ? ScanDocument::tr(" The images are read mirrored left to right now, as there.")
               : ScanDocument::tr(" The images are not read mirrored any more, as there.");
}

}  // namespace

void ScanDocument::take(GeometryFormat format, ExchangedGeometry read, const QString& path) {
    QString text = tr("Import geometry");
    switch (format) {
        case GeometryFormat::rtk:
            text = tr("Import RTK geometry");
            break;
        case GeometryFormat::astra:
            text = tr("Import ASTRA vectors");
            break;
        case GeometryFormat::leap:
            text = tr("Import LEAP parameters");
            break;
        case GeometryFormat::tigre:
            text = tr("Import TIGRE geometry");
            break;
        case GeometryFormat::poses:
            text = tr("Import calibrated poses");
            break;
        case GeometryFormat::scan:
            break;
    }
    Request request = m_request;
    ScanFile& scan = request.job.scan;
    scan.geometry = std::move(read.geometry);
    const QString said = tr("Geometry imported from %1.").arg(path) + takeRowOrder(read, scan) +
                         takeMirror(read, scan);
    editAndTell(std::move(request), text, said);
}

void ScanDocument::exportGeometry(const QString& path) {
    m_exporting.start(
        [path = toPath(path),
         exchanged =
             ExchangedGeometry{geometry(), m_request.job.scan.projections.firstRowIsTop,
                               m_request.job.scan.projections.isMirrored}](const std::stop_token&) {
            const GeometryFormat format = geometryFormatOf(path);
            writeGeometryFile(path, format, exchanged);
            return imagesNote(format, exchanged);
        },
        [this, path](const std::string& note) {
            QString text = tr("Geometry exported to %1.").arg(path);
            if (!note.empty()) text += QLatin1Char(' ') + QString::fromStdString(note);
            emit messageRaised({Message::Kind::info, text});
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
    announce(kAllChanges, true);
}

}  // namespace gantry
