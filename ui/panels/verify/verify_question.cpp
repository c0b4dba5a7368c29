#include "ui/panels/verify/verify_question.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/verify/perturbation.h"
#include "core/verify/test_piece.h"
#include "ui/models/file_endings.h"
#include "ui/models/text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/new_widget.h"
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
      m_kind(named(new QComboBox(this), "verifyKind")),
      m_volumeName(named(new ElidedLabel(Qt::ElideMiddle, this), "verifyVolumeName")),
      m_centresName(named(new ElidedLabel(Qt::ElideMiddle, this), "verifyCentresName")),
      m_isOfScan(named(
          new QCheckBox(tr("made from the open scan"), this), "verifyIsOfScan",
          tr("The volume was reconstructed from the open scan with the geometry that is set now: "
             "then the likely cause of errors is told, too."))) {
    auto* lines = spaced(new QVBoxLayout(this), kSpacing);
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
    auto* choose = named(new QPushButton(tr("Volume…"), this), "verifyVolume");
    auto* menu = new QMenu(choose);
    menu->addAction(tr("A file…"), this, [this] { askForVolume(false); });
    menu->addAction(tr("A folder (OME-Zarr, or TIFF slices)…"), this,
                    [this] { askForVolume(true); });
    choose->setMenu(menu);
    m_kind->setAccessibleName(tr("It shows"));
    for (const char* const kind : {"cylinder", "spheres"})
        m_kind->addItem(realPieceTitle(kind), QString(kind));
    auto* line = new QWidget(this);
    auto* layout = spaced(new QHBoxLayout(line), kSpacing);
    layout->addWidget(choose);
    layout->addWidget(m_volumeName, 1);
    layout->addWidget(new QLabel(tr("It shows"), line));
    layout->addWidget(m_kind);
    return line;
}

QWidget* RealPieceQuestion::makeSpheresLine() {
    auto* line = new QWidget(this);
    auto* choose = named(
        new QPushButton(tr("True centres…"), line), "verifyCentres",
        tr("A list of shapes with the calibrated centres and radii of the spheres. However the "
           "piece stands in the volume, it is found."));
    auto* layout = spaced(new QHBoxLayout(line), kSpacing);
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
               {QStringLiteral("verifyVolumeDialog"), tr("Volume…"),
                isFolder ? QString() : tr("Volumes (%1);;All files (*)").arg(endingsOfVolumes()),
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

namespace {

constexpr const char* kRealPiece = "real";  // no phantom's name

QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

// Gives way in a narrow window.
void letShrink(QComboBox& box) {
    constexpr int kLetters = 10;
    box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box.setMinimumContentsLength(kLetters);
    box.setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

}  // namespace

VerifyQuestion::VerifyQuestion(QWidget* parent)
    : QWidget(parent),
      m_piece(named(new QComboBox(this), "verifyPhantom")),
      m_wrongLine(new QWidget(this)),
      m_wrong(named(new QComboBox(m_wrongLine), "verifyWrong")),
      m_real(new RealPieceQuestion(this)) {
    m_piece->setAccessibleName(tr("Test piece"));
    m_piece->addItem(tr("All three"), QStringLiteral("all"));
    for (const std::string& name : testPieceNames()) {
        const QString piece = QString::fromStdString(name);
        m_piece->addItem(pieceTitle(piece), piece);
    }
    m_piece->addItem(tr("A volume of a real test piece"), QString(kRealPiece));
    m_piece->addItem(tr("Own shapes…"));
    letShrink(*m_piece);
    fillWrongLine();
    auto* line = spaced(new QHBoxLayout, kSpacing);
    line->addWidget(new QLabel(tr("Test piece"), this));
    line->addWidget(m_piece, 1);
    line->addWidget(m_wrongLine, 1);
    auto* lines = spaced(new QVBoxLayout(this), kSpacing);
    lines->addLayout(line);
    lines->addWidget(m_real);
    connect(m_piece, &QComboBox::activated, this, &VerifyQuestion::choosePiece);
    connect(m_piece, &QComboBox::currentIndexChanged, this, &VerifyQuestion::showChoice);
    connect(m_wrong, &QComboBox::currentIndexChanged, this, &VerifyQuestion::chooseWrong);
    connect(m_real, &RealPieceQuestion::changed, this, &VerifyQuestion::changed);
    showChoice();
}

void VerifyQuestion::fillWrongLine() {
    m_wrong->setAccessibleName(tr("Wrong on purpose"));
    m_wrong->setToolTip(
        tr("The pieces are simulated in this scan's geometry and reconstructed with one that is "
           "wrong by so much: what such an error would do to a part, and whether it is found."));
    m_wrong->addItem(tr("nothing"));
    letShrink(*m_wrong);
    auto* line = spaced(new QHBoxLayout(m_wrongLine), kSpacing);
    line->addWidget(new QLabel(tr("Wrong on purpose"), m_wrongLine));
    line->addWidget(m_wrong);
    for (const Perturbation& known : perturbations()) {
        m_wrong->addItem(textOf(known.title), textOf(known.name));
        auto* amount = named(new NumberField({.unit = textOf(known.unit),
                                              .step = known.usual / 10,
                                              .range = NumberField::Range{-known.max, known.max}},
                                             m_wrongLine),
                             "verifyAmount_" + textOf(known.name));
        amount->setAccessibleName(tr("Wrong on purpose"));
        amount->setValue(known.usual);
        amount->hide();
        connect(amount, &NumberField::valueEdited, this, &VerifyQuestion::changed);
        line->addWidget(amount);
        m_amounts.push_back(amount);
    }
}

QString VerifyQuestion::pieceTitle(const QString& piece) {
    if (piece == "shepp-logan") return tr("Shepp-Logan head");
    if (piece == "cylinder") return tr("Cylinder");
    if (piece == "spheres") return tr("Spheres");
    return tr("Own shapes");
}

VerificationQuestion VerifyQuestion::question() const {
    VerificationQuestion asked;
    asked.real = isOfRealPiece() ? m_real->piece() : std::nullopt;
    if (asked.real) return asked;
    const QVariant piece = m_piece->currentData();
    if (piece.isValid())
        asked.phantom = piece.toString();
    else
        asked.shapes = m_shapes;
    const int wrong = m_wrong->currentIndex() - 1;
    if (wrong >= 0)
        asked.perturbation = QStringLiteral("%1=%2")
                                 .arg(m_wrong->currentData().toString())
                                 .arg(m_amounts[wrong]->value(), 0, 'g', 12);
    return asked;
}

bool VerifyQuestion::isOfRealPiece() const {
    return m_piece->currentData().toString() == kRealPiece;
}

void VerifyQuestion::chooseRealPiece() {
    m_piece->setCurrentIndex(m_piece->findData(QString(kRealPiece)));
    choosePiece();
}

void VerifyQuestion::setScan(const std::filesystem::path& file) {
    m_real->setScan(file);
}

void VerifyQuestion::choosePiece() {
    if (m_piece->currentIndex() + 1 == m_piece->count()) return askForShapes();
    m_shownPiece = m_piece->currentIndex();
    emit changed();
}

void VerifyQuestion::askForShapes() {
    QFileDialog& dialog = choosePath(
        *this, {QStringLiteral("shapesDialog"), tr("Own shapes…"), tr("Lists of shapes (*.json)")},
        [this](const QString& file) { takeShapes(file); });
    connect(&dialog, &QFileDialog::rejected, this,
            [this] { m_piece->setCurrentIndex(m_shownPiece); });
}

void VerifyQuestion::takeShapes(const QString& file) {
    m_shapes = file;
    m_piece->setItemText(m_piece->count() - 1,
                         tr("Own shapes: %1").arg(QFileInfo(file).fileName()));
    m_piece->setToolTip(file);
    m_shownPiece = m_piece->currentIndex();
    emit changed();
}

void VerifyQuestion::showChoice() {
    m_real->setVisible(isOfRealPiece());
    m_wrongLine->setVisible(!isOfRealPiece());
}

void VerifyQuestion::chooseWrong() {
    for (std::size_t i = 0; i < m_amounts.size(); ++i)
        m_amounts[i]->setVisible(static_cast<int>(i) + 1 == m_wrong->currentIndex());
    emit changed();
}

}  // namespace gantry
