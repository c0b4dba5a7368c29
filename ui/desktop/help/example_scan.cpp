#include "ui/desktop/help/example_scan.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QPointer>
#include <QStandardPaths>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/simulate/simulate_scan.h"
#include "ui/models/image/matter_window.h"
#include "ui/models/text.h"
#include "ui/panels/volume/volume_panel.h"
#include "ui/workspace/volume/volume_document.h"

namespace gantry {

namespace {

SimulationSpec exampleSpec() {
    SimulationSpec spec;
    spec.name = "Shepp-Logan head";
    spec.geometry.cone().sourceToIsocenterMm = 600;
    spec.geometry.cone().sourceToDetectorMm = 1200;
    spec.geometry.cone().views = 180;
    spec.geometry.detector.columns = 256;
    spec.geometry.detector.rows = 256;
    spec.geometry.detector.pitchMm = {1.6, 1.6};
    spec.layout = SimulationSpec::Layout::files;
    return spec;
}

QDir dataFolder() {
    return {QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)};
}

QString exampleFolder() {
    return dataFolder().filePath("examples/shepp-logan");
}

}  // namespace

bool ExampleScan::isOfExample(const QString& path) {
    return QDir::cleanPath(path).startsWith(QDir::cleanPath(exampleFolder()) + '/');
}

ExampleScan::ExampleScan(QObject* parent) : QObject(parent) {}

void ExampleScan::make() {
    if (m_making.isBusy()) return;
    const QDir data = dataFolder();
    const QString folder = exampleFolder();
    const QString scanFile = QDir(folder).filePath("scan.json");
    if (QFile::exists(scanFile)) {
        emit made(scanFile);
        return;
    }
    if (!QDir().mkpath(data.filePath("examples"))) {
        emit messageRaised(
            {Message::Kind::error,
             tr("Cannot make the folder %1 for the example. Free some disk space, or make "
                "the folder writable, and try again.")
                 .arg(data.filePath("examples")),
             {},
             {}});
        return;
    }
    emit progressed(0);
    const QPointer<ExampleScan> self(this);
    m_making.start(
        [self, folder, turn = m_turn](const std::stop_token& stop) {
            // A run that was just cancelled may still be removing its folder.
            const std::scoped_lock lock(*turn);
            if (stop.stop_requested()) throw Cancelled();
            SimulationContext context;
            context.threads = availableThreads();
            context.stop = stop;
            context.onProgress = [self](double fraction) {
                QMetaObject::invokeMethod(
                    QCoreApplication::instance(),
                    [self, fraction] {
                        if (self && self->m_making.isBusy()) emit self->progressed(fraction);
                    },
                    Qt::QueuedConnection);
            };
            return simulateScan(exampleSpec(), toPath(folder), true, context).scanFile;
        },
        [this](const std::filesystem::path& path) {
            emit progressed(-1);
            emit made(toText(path));
        },
        [this](const QString& sentence) {
            emit progressed(-1);
            emit messageRaised({Message::Kind::error, sentence, {}, {}});
        });
}

void ExampleScan::cancel() {
    m_making.cancel();
    emit progressed(-1);
}

ExampleLook::ExampleLook(VolumeDocument& document, VolumePanel& panel, QObject* parent)
    : QObject(parent), m_document(document), m_panel(panel) {
    connect(&document, &VolumeDocument::volumeChanged, this, &ExampleLook::take);
}

void ExampleLook::take() {
    const auto volume = m_document.volume();
    const bool isExample = volume && ExampleScan::isOfExample(volume->path);
    if (isExample != m_isExample) m_panel.setCutOpen(isExample);
    m_isExample = isExample;
    if (isExample) m_document.setWindow(matterWindow(volume->voxels.span()));
}

}  // namespace gantry
