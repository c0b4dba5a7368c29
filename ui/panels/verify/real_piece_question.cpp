#include "ui/panels/verify/real_piece_question.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/models/text.h"
#include "ui/panels/verify/verify_texts.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/volume_loading.h"

namespace gantry {

RealPieceQuestion::RealPieceQuestion(QWidget* parent)
    : QWidget(parent),
      m_kind(new QComboBox(this)),
      m_volumeName(new ElidedLabel(Qt::ElideMiddle, this)),
      m_centresName(new ElidedLabel(Qt::ElideMiddle, this)),
      m_isOfScan(new QCheckBox(texts::isOfOpenScan(), this)) {
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(kSpacing);
    lines->addWidget(makeVolumeLine());
    m_spheresLine = makeSpheresLine();
    lines->addWidget(m_spheresLine);
    connect(m_kind, &QComboBox::currentIndexChanged, this, [this] {
        showChoice();
        emit changed();
    });
    connect(m_isOfScan, &QCheckBox::toggled, this, &RealPieceQuestion::changed);
    showChoice();
}

QWidget* RealPieceQuestion::makeVolumeLine() {
    auto* choose = new QPushButton(texts::chooseVolume(), this);
    choose->setObjectName("verifyVolume");
    auto* menu = new QMenu(choose);
    menu->addAction(texts::volumeFile(), this, [this] { askForVolume(false); });
    menu->addAction(texts::volumeFolder(), this, [this] { askForVolume(true); });
    choose->setMenu(menu);
    m_volumeName->setObjectName("verifyVolumeName");
    m_kind->setObjectName("verifyKind");
    m_kind->setAccessibleName(texts::itShows());
    for (const char* const kind : {"cylinder", "spheres"})
        m_kind->addItem(texts::realPieceTitle(kind), QString(kind));
    auto* line = new QWidget(this);
    auto* layout = new QHBoxLayout(line);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpacing);
    layout->addWidget(choose);
    layout->addWidget(m_volumeName, 1);
    layout->addWidget(new QLabel(texts::itShows(), line));
    layout->addWidget(m_kind);
    return line;
}

QWidget* RealPieceQuestion::makeSpheresLine() {
    auto* line = new QWidget(this);
    auto* choose = new QPushButton(texts::chooseCentres(), line);
    choose->setObjectName("verifyCentres");
    choose->setToolTip(texts::chooseCentresHelp());
    m_centresName->setObjectName("verifyCentresName");
    m_isOfScan->setObjectName("verifyIsOfScan");
    m_isOfScan->setToolTip(texts::isOfOpenScanHelp());
    auto* layout = new QHBoxLayout(line);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpacing);
    layout->addWidget(choose);
    layout->addWidget(m_centresName, 1);
    layout->addWidget(m_isOfScan);
    connect(choose, &QPushButton::clicked, this, &RealPieceQuestion::askForCentres);
    return line;
}

bool RealPieceQuestion::isOfSpheres() const {
    return m_kind->currentData() == QStringLiteral("spheres");
}

std::optional<RealPiece> RealPieceQuestion::piece() const {
    if (m_volume.isEmpty() || (isOfSpheres() && m_centres.isEmpty())) return std::nullopt;
    if (!isOfSpheres()) return RealPiece{m_volume, {}, false};
    return RealPiece{m_volume, m_centres, m_isOfScan->isEnabled() && m_isOfScan->isChecked()};
}

void RealPieceQuestion::setScan(const std::filesystem::path& file) {
    m_scan = file;
    m_isOfScan->setEnabled(!file.empty());
}

void RealPieceQuestion::askForVolume(bool isFolder) {
    choosePath(*this,
               {QStringLiteral("verifyVolumeDialog"), texts::chooseVolume(),
                isFolder ? QString() : texts::volumesFilter(),
                isFolder ? QFileDialog::Directory : QFileDialog::ExistingFile},
               [this](const QString& path) { takeVolume(path); });
}

void RealPieceQuestion::takeVolume(const QString& path) {
    m_volume = path;
    // Where the volume tells which scan it was made of, that need not be asked.
    m_isOfScan->setChecked(!m_scan.empty() && originOf(toPath(path)).file == m_scan);
    showChoice();
    emit changed();
}

void RealPieceQuestion::askForCentres() {
    choosePath(
        *this,
        {QStringLiteral("verifyCentresDialog"), texts::chooseCentres(), texts::shapesFilter()},
        [this](const QString& path) {
            m_centres = path;
            showChoice();
            emit changed();
        });
}

void RealPieceQuestion::showChoice() {
    m_spheresLine->setVisible(isOfSpheres());
    const auto show = [](ElidedLabel& label, const QString& path, const QString& otherwise) {
        label.setWholeText(path.isEmpty() ? otherwise : QFileInfo(path).fileName());
        label.setToolTip(path.isEmpty() ? otherwise : path);
    };
    show(*m_volumeName, m_volume, texts::noVolumeChosen());
    show(*m_centresName, m_centres, texts::noCentresChosen());
}

}  // namespace gantry
