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
#include "ui/widgets/elided_label.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/volume/volume_loading.h"

namespace gantry {

namespace {

QString realPieceTitle(const QString& piece) {
    return piece == "cylinder" ? RealPieceQuestion::tr("an upright cylinder")
                               : RealPieceQuestion::tr("spheres");
}

}  // namespace

RealPieceQuestion::RealPieceQuestion(QWidget* parent)
    : QWidget(parent),
      m_kind(new QComboBox(this)),
      m_volumeName(new ElidedLabel(Qt::ElideMiddle, this)),
      m_centresName(new ElidedLabel(Qt::ElideMiddle, this)),
      m_isOfScan(new QCheckBox(tr("made from the open scan"), this)) {
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
    auto* choose = new QPushButton(tr("Volume…"), this);
    choose->setObjectName("verifyVolume");
    auto* menu = new QMenu(choose);
    menu->addAction(tr("A file…"), this, [this] { askForVolume(false); });
    menu->addAction(tr("A folder (OME-Zarr, or TIFF slices)…"), this,
                    [this] { askForVolume(true); });
    choose->setMenu(menu);
    m_volumeName->setObjectName("verifyVolumeName");
    m_kind->setObjectName("verifyKind");
    m_kind->setAccessibleName(tr("It shows"));
    for (const char* const kind : {"cylinder", "spheres"})
        m_kind->addItem(realPieceTitle(kind), QString(kind));
    auto* line = new QWidget(this);
    auto* layout = new QHBoxLayout(line);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpacing);
    layout->addWidget(choose);
    layout->addWidget(m_volumeName, 1);
    layout->addWidget(new QLabel(tr("It shows"), line));
    layout->addWidget(m_kind);
    return line;
}

QWidget* RealPieceQuestion::makeSpheresLine() {
    auto* line = new QWidget(this);
    auto* choose = new QPushButton(tr("True centres…"), line);
    choose->setObjectName("verifyCentres");
    choose->setToolTip(
        tr("A list of shapes with the calibrated centres and radii of the spheres. However the "
           "piece stands in the volume, it is found."));
    m_centresName->setObjectName("verifyCentresName");
    m_isOfScan->setObjectName("verifyIsOfScan");
    m_isOfScan->setToolTip(
        tr("The volume was reconstructed from the open scan with the geometry that is set now: "
           "then the likely cause of errors is told, too."));
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
    choosePath(
        *this,
        {QStringLiteral("verifyVolumeDialog"), tr("Volume…"),
         isFolder ? QString() : tr("Volumes (*.mha *.mhd *.raw *.tif *.tiff);;All files (*)"),
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
    choosePath(*this,
               {QStringLiteral("verifyCentresDialog"), tr("True centres…"),
                tr("Lists of shapes (*.json)")},
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
    show(*m_volumeName, m_volume, tr("Choose the volume that shows it."));
    show(*m_centresName, m_centres, tr("Choose the list of its spheres."));
}

}  // namespace gantry
