#include "ui/panels/verify/verify_question.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "core/verify/perturbation.h"
#include "core/verify/test_piece.h"
#include "ui/panels/verify/real_piece_question.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

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
      m_piece(new QComboBox(this)),
      m_wrongLine(new QWidget(this)),
      m_wrong(new QComboBox(m_wrongLine)),
      m_real(new RealPieceQuestion(this)) {
    m_piece->setObjectName("verifyPhantom");
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
    auto* line = new QHBoxLayout;
    line->setSpacing(kSpacing);
    line->addWidget(new QLabel(tr("Test piece"), this));
    line->addWidget(m_piece, 1);
    line->addWidget(m_wrongLine, 1);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(kSpacing);
    lines->addLayout(line);
    lines->addWidget(m_real);
    connect(m_piece, &QComboBox::activated, this, &VerifyQuestion::choosePiece);
    connect(m_piece, &QComboBox::currentIndexChanged, this, &VerifyQuestion::showChoice);
    connect(m_wrong, &QComboBox::currentIndexChanged, this, &VerifyQuestion::chooseWrong);
    connect(m_real, &RealPieceQuestion::changed, this, &VerifyQuestion::changed);
    showChoice();
}

void VerifyQuestion::fillWrongLine() {
    m_wrong->setObjectName("verifyWrong");
    m_wrong->setAccessibleName(tr("Wrong on purpose"));
    m_wrong->setToolTip(
        tr("The pieces are simulated in this scan's geometry and reconstructed with one that is "
           "wrong by so much: what such an error would do to a part, and whether it is found."));
    m_wrong->addItem(tr("nothing"));
    letShrink(*m_wrong);
    auto* line = new QHBoxLayout(m_wrongLine);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(kSpacing);
    line->addWidget(new QLabel(tr("Wrong on purpose"), m_wrongLine));
    line->addWidget(m_wrong);
    for (const Perturbation& known : perturbations()) {
        m_wrong->addItem(textOf(known.title), textOf(known.name));
        auto* amount = new NumberField({.unit = textOf(known.unit),
                                        .step = known.usual / 10,
                                        .range = NumberField::Range{-known.max, known.max}},
                                       m_wrongLine);
        amount->setObjectName("verifyAmount_" + textOf(known.name));
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
        asked.perturbation =
            QStringLiteral("%1=%2")
                .arg(m_wrong->currentData().toString())
                .arg(m_amounts[static_cast<std::size_t>(wrong)]->value(), 0, 'g', 12);
    return asked;
}

bool VerifyQuestion::isOfRealPiece() const {
    return m_piece->currentData().toString() == kRealPiece;
}

bool VerifyQuestion::isComplete() const {
    return !isOfRealPiece() || m_real->piece();
}

void VerifyQuestion::chooseRealPiece() {
    m_piece->setCurrentIndex(m_piece->findData(QString(kRealPiece)));
    choosePiece();
}

void VerifyQuestion::setScan(const std::filesystem::path& file) {
    m_real->setScan(file);
}

QString VerifyQuestion::wrongText() const {
    if (m_wrong->currentIndex() < 1 || isOfRealPiece()) return {};
    return tr("Wrong on purpose: the %1, by %2.").arg(m_wrong->currentText(), amountText());
}

QString VerifyQuestion::amountText() const {
    const auto wrong = static_cast<std::size_t>(m_wrong->currentIndex() - 1);
    const QString unit = textOf(perturbations()[wrong].unit);
    const QString space = unit == QStringLiteral("°") ? QString() : QStringLiteral(" ");
    return QString::number(m_amounts[wrong]->value(), 'g', 6) + space + unit;
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
