#include "ui/panels/shared/volume_caption.h"

#include <QCoreApplication>
#include <QDir>
#include <cmath>

#include "ui/models/text.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

struct Caption {
    Q_DECLARE_TR_FUNCTIONS(VolumeCaption)
};

bool isOf(const VolumeOrigin& origin, const ScanFile& scan) {
    return origin.folder.lexically_normal() == scan.folder.lexically_normal() &&
           origin.file.filename() == scan.path.filename();
}

}  // namespace

VolumeCaption volumeCaption(Workspace& workspace) {
    const auto volume = workspace.volume().volume();
    if (!volume) return {};
    const VolumeOrigin& origin = volume->origin;
    // A preview is called "preview, 1/4, of walnut" in place of its file's name.
    QString name = origin.previewedPitchMm > 0
                       ? Caption::tr("preview, 1/%1,")
                             .arg(std::lround(volume->stored.pitchMm[0] / origin.previewedPitchMm))
                       : QDir(volume->path).dirName();
    if (origin.measured) name = Caption::tr("%1, estimated outside the dashed lines,").arg(name);
    if (origin.scan.isEmpty()) return {name, false};
    const ScanDocument& scan = workspace.scan();
    const ScanFile& open = scan.request().job.scan;
    if (!scan.hasScan() || isOf(origin, open))
        return {Caption::tr("%1 of %2").arg(name, origin.scan), false};
    // Copies of a scan have one name, and are distinguished by their folders.
    const bool isNamesake = origin.scan == scan.title();
    return {Caption::tr("%1 of %2; the scan open is %3")
                .arg(name, isNamesake ? toText(origin.folder) : origin.scan,
                     isNamesake ? toText(open.folder) : scan.title()),
            true};
}

}  // namespace gantry
