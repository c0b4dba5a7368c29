#include "ui/panels/projections/residual_volume.h"

#include <QDir>
#include <QSignalBlocker>

#include "ui/widgets/new_widget.h"
#include "ui/workspace/workspace.h"

namespace gantry {

ResidualVolume::ResidualVolume(Workspace& workspace, QWidget* parent)
    : QComboBox(parent), m_workspace(workspace) {
    named(
        this, "residualVolume",
        tr("The volume whose line integrals are taken off the measured ones: the open one, or one "
           "that was made of this scan"));
    setAccessibleName(tr("Volume of the residual"));
    constexpr int kLetters = 24;
    setSizeAdjustPolicy(AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(kLetters);
    connect(this, &QComboBox::activated, this, [this] {
        m_chosen = path();
        emit changed();
    });
    connect(&workspace.volume(), &VolumeDocument::volumeChanged, this, [this] {
        list();
        emit changed();
    });
    connect(&workspace.jobs(), &JobStore::reset, this, &ResidualVolume::list);
    connect(&workspace.jobs(), &JobStore::finished, this, [this] {
        list();
        emit changed();  // it may have replaced one that is shown
    });
    connect(&workspace.scan(), &ScanDocument::stateChanged, this, &ResidualVolume::list);
    list();
}

QString ResidualVolume::path() const {
    return currentData().toString();
}

void ResidualVolume::list() {
    const QSignalBlocker quiet(this);
    clear();
    const auto open = m_workspace.volume().volume();
    // A preview has too few voxels to explain views.
    if (open && !open->path.isEmpty() && open->origin.previewedPitchMm == 0)
        add(open->path, tr("open"));
    const QString scan = m_workspace.scan().title();
    for (const JobEntry& job : m_workspace.jobs().jobs())
        if (job.hasVolume() && job.usualName == scan) add(job.output, job.filter);
    if (const int chosen = findData(m_chosen); chosen >= 0) setCurrentIndex(chosen);
}

void ResidualVolume::add(const QString& path, const QString& remark) {
    if (findData(path) >= 0) return;
    addItem(tr("%1 (%2)").arg(QDir(path).dirName(), remark), path);
    setItemData(count() - 1, path, Qt::ToolTipRole);
}

}  // namespace gantry
