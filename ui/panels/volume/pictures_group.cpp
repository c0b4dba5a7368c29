#include "ui/panels/volume/pictures_group.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <utility>

#include "ui/scene/volume/volume_rendering.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QString timesTheView(int scale) {
    return scale == 1 ? PicturesGroup::tr("As in the view")
                      : PicturesGroup::tr("%1 times the view").arg(scale);
}

QString picturesSaved(int count, const QString& place) {
    return count == 1 ? PicturesGroup::tr("One picture saved: %1").arg(place)
                      : PicturesGroup::tr("%1 pictures saved: %2").arg(count).arg(place);
}

constexpr int kMaxScale = 4;
constexpr double kMaxPictures = 720;

// "head 001.png" and so on in a folder; "head-2 001.png" where one of these is there.
std::vector<QString> turntablePaths(const QDir& folder, const QString& volume, int count) {
    for (int round = 1;; ++round) {
        const QString name = round == 1 ? volume : QStringLiteral("%1-%2").arg(volume).arg(round);
        std::vector<QString> paths;
        bool isFree = true;
        for (int i = 1; i <= count; ++i) {
            paths.push_back(
                folder.filePath(QStringLiteral("%1 %2.png").arg(name).arg(i, 3, 10, QChar('0'))));
            isFree = isFree && !QFileInfo::exists(paths.back());
        }
        if (isFree) return paths;
    }
}

}  // namespace

PicturesGroup::PicturesGroup(VolumeRendering& rendering, QWidget* parent)
    : QWidget(parent), m_rendering(rendering) {
    build();
    connectParts();
    showState(false);
}

void PicturesGroup::build() {
    m_scale = named(new QComboBox(this), "pictureScale",
                    tr("How many times as many pixels as the view has, along an edge."));
    for (int scale = 1; scale <= kMaxScale; ++scale)
        m_scale->addItem(timesTheView(scale));
    m_bar = named(new QCheckBox(tr("With colour bar"), this), "pictureBar");
    m_bar->setChecked(true);
    m_picture = named(new QPushButton(tr("Save picture…"), this), "savePicture",
                      tr("Saves what is seen as a PNG file."));
    m_count =
        named(new NumberField(
                  {.step = 1, .whole = true, .range = NumberField::Range{2, kMaxPictures}}, this),
              "turntableCount", tr("How many pictures go once round."));
    m_count->setValue(36);
    m_turntable = named(new QPushButton(tr("Save turntable…"), this), "saveTurntable",
                        tr("Saves as many PNG files to a folder, turned about the rotation axis."));
    m_progress = new QProgressBar(this);
    m_progress->setFormat("%v / %m");
    m_cancel = named(new QPushButton(tr("Cancel"), this), "cancelPictures");
    for (QWidget* each : std::initializer_list<QWidget*>{m_progress, m_cancel})
        keepRoomWhenHidden(*each);
    m_result = named(copyable(new QLabel(this)), "pictureResult");

    auto* grid = spaced(new QGridLayout(this), kSpacing);
    grid->addWidget(new QLabel(tr("Size"), this), 0, 0);
    grid->addWidget(m_scale, 0, 1);
    grid->addWidget(m_bar, 1, 0, 1, 2);
    grid->addWidget(m_picture, 2, 0, 1, 2);
    auto* label = new QLabel(tr("Turntable"), this);
    m_count->attachLabel(label);
    grid->addWidget(label, 3, 0);
    grid->addWidget(m_count, 3, 1);
    grid->addWidget(m_turntable, 4, 0, 1, 2);
    // In one cell: a column as wide as the bar would move what is above it.
    auto* saving = new QHBoxLayout;
    saving->addWidget(m_progress, 1);
    saving->addWidget(m_cancel);
    grid->addLayout(saving, 5, 0, 1, 2);
    grid->addWidget(m_result, 6, 0, 1, 2);
    grid->setColumnStretch(1, 1);
}

void PicturesGroup::connectParts() {
    connect(m_picture, &QPushButton::clicked, this, &PicturesGroup::askForPicture);
    connect(m_turntable, &QPushButton::clicked, this, &PicturesGroup::askForTurntable);
    connect(m_cancel, &QPushButton::clicked, &m_saver, &PictureSaver::cancel);
    connect(&m_saver, &PictureSaver::progressed, this, [this](int done, int count) {
        m_progress->setRange(0, count);
        m_progress->setValue(done);
    });
    connect(&m_saver, &PictureSaver::finished, this, [this](int done, const QString& sentence) {
        m_result->setText(sentence.isEmpty() ? picturesSaved(done, m_place) : sentence);
        showState(false);
    });
}

void PicturesGroup::showState(bool isBusy) {
    for (QWidget* widget : {static_cast<QWidget*>(m_picture), static_cast<QWidget*>(m_turntable)})
        widget->setEnabled(!isBusy);
    m_progress->setVisible(isBusy);
    m_cancel->setVisible(isBusy);
    m_result->setVisible(!isBusy && !m_result->text().isEmpty());
}

void PicturesGroup::save(std::vector<QString> paths) {
    std::optional<PictureSource> source = m_rendering.pictureSource();
    if (m_saver.isBusy() || !source) return;
    m_place = paths.size() == 1 ? paths.front() : QFileInfo(paths.front()).absolutePath();
    showState(true);
    m_saver.save(std::move(*source),
                 {std::move(paths), m_scale->currentIndex() + 1, m_bar->isChecked()});
}

void PicturesGroup::setVolume(const QString& path) {
    m_saver.cancel();
    m_volume = path;
}

void PicturesGroup::askForPicture() {
    const QFileInfo volume(m_volume);
    const QString start = volume.dir().filePath(volume.completeBaseName() + ".png");
    chooseSavePath(*this, "pictureSaveDialog", tr("Save picture…"), start,
                   {{tr("Pictures"), {"png"}}}, [this](const QString& path) { save({path}); });
}

void PicturesGroup::askForTurntable() {
    choosePath(*this,
               {"turntableFolderDialog",
                tr("Save turntable…"),
                {},
                QFileDialog::Directory,
                QFileInfo(m_volume).absolutePath()},
               [this](const QString& folder) {
                   save(turntablePaths(QDir(folder), QFileInfo(m_volume).completeBaseName(),
                                       static_cast<int>(std::lround(m_count->value()))));
               });
}

}  // namespace gantry
