#include "ui/panels/geometry/calibration_window.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <utility>

#include "core/base/file.h"
#include "core/calibrate/balls/ball_file.h"
#include "core/calibrate/calibration_text.h"
#include "ui/models/text.h"
#include "ui/panels/geometry/calibration_view.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/panels/shared/text_table.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

CalibrationQuestion::CalibrationQuestion(QWidget* parent) : QWidget(parent) {
    m_known = named(new QComboBox(this), "knownOfBalls");
    m_known->setAccessibleName(tr("Known of the phantom"));
    for (const QString& text :
         {tr("where the balls are"), tr("the distance of two balls"),
          tr("the distance of the outer rings"), tr("the balls' diameter"), tr("nothing")})
        m_known->addItem(text);
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(makePlaces());
    m_pages->addWidget(makeDistance());
    m_pages->addWidget(makeLength(m_rings, "ringDistance", 100));
    m_pages->addWidget(makeLength(m_diameter, "ballDiameter", 2));
    m_pages->addWidget(
        remark(tr("The source–object distance stays as it is: views alone tell no scale."), this));
    m_pages->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_poses = named(
        new QCheckBox(tr("A pose for each view"), this), "posePerView",
        tr("For a gantry that sags or wobbles: source and detector are fitted in each view. Needs "
           "at least five balls in a view."));
    auto* column = spaced(new QVBoxLayout(this), kSpacing);
    auto* label = new QLabel(tr("Known of the phantom"), this);
    label->setBuddy(m_known);
    column->addWidget(label);
    column->addWidget(m_known);
    column->addWidget(m_pages);
    column->addWidget(m_poses);
    connect(m_known, &QComboBox::currentIndexChanged, m_pages, &QStackedWidget::setCurrentIndex);
    connect(m_known, &QComboBox::currentIndexChanged, this, &CalibrationQuestion::changed);
    connect(m_poses, &QCheckBox::toggled, this, &CalibrationQuestion::changed);
}

QWidget* CalibrationQuestion::makePlaces() {
    auto* page = new QWidget(this);
    auto* line = spaced(new QHBoxLayout(page), kSpacing);
    auto* choose = named(
        new QPushButton(tr("Choose a file…"), page), "chooseBalls",
        tr("A text with the columns xMm,yMm,zMm and a line for each ball, or a .json of spheres."));
    m_placesName = named(new ElidedLabel(Qt::ElideMiddle, page), "ballsName");
    m_placesName->setWholeText(tr("none chosen yet"));
    line->addWidget(choose);
    line->addWidget(m_placesName, 1);
    connect(choose, &QPushButton::clicked, this, &CalibrationQuestion::askForPlaces);
    return page;
}

NumberField* CalibrationQuestion::makeBall(const char* name, double ball) {
    auto* field = named(
        new NumberField({.whole = true, .range = NumberField::Range{1, 1000}}, this), name,
        tr("Balls are counted from 1, upwards, and at one height round the axis. After a search "
           "each has its number in the picture."));
    field->setValue(ball);
    connect(field, &NumberField::valueEdited, this, &CalibrationQuestion::changed);
    return field;
}

QWidget* CalibrationQuestion::makeDistance() {
    auto* page = new QWidget(this);
    auto* line = spaced(new QHBoxLayout(page), kSpacing);
    m_first = makeBall("firstBall", 1);
    m_second = makeBall("secondBall", 2);
    line->addWidget(new QLabel(tr("from ball"), page));
    line->addWidget(m_first, 1);
    line->addWidget(new QLabel(tr("to ball"), page));
    line->addWidget(m_second, 1);
    line->addWidget(makeLength(m_distance, "ballDistance", 50), 2);
    return page;
}

QWidget* CalibrationQuestion::makeLength(NumberField*& field, const char* name, double mm) {
    auto* page = new QWidget(this);
    auto* line = spaced(new QHBoxLayout(page), kSpacing);
    auto* label = new QLabel(tr("Length"), page);
    field =
        named(new NumberField({.unit = "mm", .range = NumberField::Range{1e-3, 1e5}}, page), name);
    field->attachLabel(label);
    field->setValue(mm);
    line->addWidget(label);
    line->addWidget(field, 1);
    connect(field, &NumberField::valueEdited, this, &CalibrationQuestion::changed);
    return page;
}

CalibrationQuestion::Known CalibrationQuestion::known() const {
    return static_cast<Known>(m_known->currentIndex());
}

std::optional<BallQuestion> CalibrationQuestion::question() const {
    BallQuestion question;
    question.posePerView = m_poses->isChecked();
    const auto ball = [](const NumberField& field) { return static_cast<Index>(field.value()); };
    switch (known()) {
        case Known::places:
            if (m_places.isEmpty()) return std::nullopt;
            question.balls = toPath(m_places);
            break;
        case Known::distance:
            question.length = {KnownLength::Kind::betweenBalls,
                               m_distance->value(),
                               {ball(*m_first), ball(*m_second)}};
            break;
        case Known::rings:
            question.length = {KnownLength::Kind::betweenRings, m_rings->value(), {0, 0}};
            break;
        case Known::diameter:
            question.length = {KnownLength::Kind::diameter, m_diameter->value(), {0, 0}};
            break;
        case Known::nothing:
            break;
    }
    return question;
}

void CalibrationQuestion::askForPlaces() {
    choosePath(*this,
               {QStringLiteral("ballsDialog"), tr("Choose a file…"),
                tr("Places of balls (*.csv *.txt *.json)")},
               [this](const QString& path) {
                   m_places = path;
                   m_placesName->setWholeText(QFileInfo(path).fileName());
                   m_placesName->setToolTip(path);
                   emit changed();
               });
}

CalibrationWindow::CalibrationWindow(ScanDocument& scan, QWidget* parent)
    : ScanSearchWindow(
          scan, {"calibrationState", "calibrationProgress", "useCalibration", "closeCalibration"},
          parent) {
    setObjectName("calibrationWindow");
    setWindowTitle(tr("Calibrate with balls"));
    build();
    connect(&scan, &ScanDocument::openScanChanged, this, &CalibrationWindow::showScan);
    showScan();
    showFound();
    waitForAnswer();
}

void CalibrationWindow::build() {
    constexpr QSize kSize(1240, 700);
    resize(kSize);
    auto* halves = spaced(new QHBoxLayout, 2 * kSpacing);
    // The table has no name cut off.
    halves->addWidget(makeLeft(), 5);
    halves->addWidget(makeRight(), 4);
    auto* column = spaced(new QVBoxLayout(this), kSpacing, 2 * kSpacing);
    column->addLayout(halves, 1);
    addSaveButton(addButtons(*column, tr("Use these"),
                             tr("Makes what was found the scan's geometry; can be undone.")));
}

QWidget* CalibrationWindow::makeLeft() {
    auto* left = new QWidget(this);
    auto* column = spaced(new QVBoxLayout(left), kSpacing);
    m_question = new CalibrationQuestion(left);
    connect(m_question, &CalibrationQuestion::changed, this, &CalibrationWindow::showState);
    column->addWidget(m_question);
    addSearchButton(*column, tr("Find balls"), "findBalls");
    constexpr int kLines = 4;
    addSearchRow(*column, kLines);
    m_numbers = newTextTable(left, "calibratedNumbers");
    m_numbers->setAccessibleName(tr("The geometry's numbers as found, with their uncertainties"));
    keepRoomWhenHidden(*m_numbers);
    column->addWidget(m_numbers, 1);
    m_notes = named(remark({}, left), "calibrationNotes");
    column->addWidget(m_notes);
    return left;
}

QWidget* CalibrationWindow::makeRight() {
    auto* right = new QWidget(this);
    m_view = new CalibrationView(right);
    m_plot = named(new ProfilePlot(right), "viewResiduals");
    m_plot->setAccessibleName(tr("Residual of every view"));
    m_plot->setEmptyText(tr("How far each view's balls lie from where the result has them."));
    auto* column = spaced(new QVBoxLayout(right), kSpacing);
    column->addWidget(m_view, 3);
    column->addWidget(m_plot, 1);
    return right;
}

void CalibrationWindow::addSaveButton(QDialogButtonBox& buttons) {
    m_save =
        named(buttons.addButton(tr("Save places…"), QDialogButtonBox::ActionRole), "saveBalls");
    m_save->setAutoDefault(false);
    connect(m_save, &QPushButton::clicked, this, &CalibrationWindow::savePlaces);
}

bool CalibrationWindow::isAnswered() const {
    return m_question->question().has_value();
}

void CalibrationWindow::showQuestion() {
    showSentence(state(),
                 isAnswered()
                     ? tr("Say what is known of the phantom, then find its balls in the views.")
                     : tr("Choose the file that says where the balls are."),
                 SentenceKind::muted);
}

// While the images were being opened, the answer may have been taken back.
void CalibrationWindow::startSearch(std::shared_ptr<const OpenScan> open) {
    const std::optional<BallQuestion> question = m_question->question();
    if (!question) return waitForAnswer();
    run([open = std::move(open), question = *question](
            const SearchControl& control) { return searchBalls(*open, question, control); },
        [this](BallCalibration found) {
            m_found = std::make_shared<const BallCalibration>(std::move(found));
            showFound();
            endWithResult();
        });
}

void CalibrationWindow::clearResult() {
    m_found.reset();
    showFound();
}

void CalibrationWindow::takeChosen() {
    Request request = scan().request();
    request.job.scan.geometry = m_found->geometry;
    const QString residual = QString::fromStdString(residualText(*m_found));
    scan().editAndTell(std::move(request), tr("Calibrate with balls"),
                       tr("The geometry is as the balls have it: %1.").arg(residual));
}

void CalibrationWindow::showScan() {
    if (!scan().openScan() || scan().openScan() == m_shown) return;
    m_shown = scan().openScan();
    m_view->setScan(m_shown);
}

void CalibrationWindow::savePlaces() {
    const auto save = [this](const QString& path) {
        if (!m_found) return;
        std::vector<Vec3> centers;
        centers.reserve(m_found->balls.size());
        for (const CalibratedBall& ball : m_found->balls)
            centers.push_back(ball.centerMm);
        try {
            writeFileAtomically(toPath(path), toBallCsv(centers));
        } catch (const Error& error) {
            showSentence(state(), QString::fromStdString(messageOf(error)), SentenceKind::error);
        }
    };
    chooseSavePath(*this, "saveBallsDialog", tr("Save the balls' places"),
                   toText(searched().folder) + "/balls", {{tr("Places of balls"), {"csv"}}}, save);
}

void CalibrationWindow::showResult() {
    showSentence(state(),
                 tr("Balls: %1. Residual: %2.")
                     .arg(QString::fromStdString(ballsText(*m_found)),
                          QString::fromStdString(residualText(*m_found))),
                 SentenceKind::good);
}

void CalibrationWindow::showFound() {
    std::vector<ProfilePlot::Curve> curves;
    QStringList notes;
    m_view->setFound(m_found);
    if (m_found) {
        fillTextTable(*m_numbers, calibrationTable(*m_found));
        for (const std::string& note : calibrationNotes(*m_found))
            notes << QString::fromStdString(note);
        curves.push_back({tr("residual of a view's balls"), tr("px"), themeOf(*this).accent,
                          m_found->viewRmsPx});
    }
    m_numbers->setVisible(m_found != nullptr);
    m_notes->setText(notes.join('\n'));
    m_notes->setVisible(!notes.isEmpty());
    m_save->setEnabled(m_found && m_found->hasScale);
    m_save->setToolTip(
        m_found && !m_found->hasScale
            ? tr("Places in mm need a scale: one known length, or known places.")
            : tr("Writes where the balls are, as what is known of them the next time."));
    m_plot->setCurves(std::move(curves), tr("View").toLower());
}

void CalibrationWindow::changeEvent(QEvent* event) {
    // The curve's colour is the theme's.
    if (event->type() == QEvent::PaletteChange && m_plot) showFound();
    QDialog::changeEvent(event);
}

}  // namespace gantry
