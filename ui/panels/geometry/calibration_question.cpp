#include "ui/panels/geometry/calibration_question.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/models/text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QHBoxLayout* newLine(QWidget& owner) {
    auto* line = new QHBoxLayout(&owner);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(kSpacing);
    return line;
}

}  // namespace

CalibrationQuestion::CalibrationQuestion(QWidget* parent) : QWidget(parent) {
    m_known = new QComboBox(this);
    m_known->setObjectName("knownOfBalls");
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
    auto* nothing = new QLabel(
        tr("The source–object distance stays as it is: views alone tell no scale."), this);
    nothing->setWordWrap(true);
    nothing->setProperty("muted", true);
    m_pages->addWidget(nothing);
    m_pages->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_poses = new QCheckBox(tr("A pose for each view"), this);
    m_poses->setObjectName("posePerView");
    m_poses->setToolTip(
        tr("For a gantry that sags or wobbles: source and detector are fitted in each view. Needs "
           "at least five balls in a view."));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpacing);
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
    auto* line = newLine(*page);
    auto* choose = new QPushButton(tr("Choose a file…"), page);
    choose->setObjectName("chooseBalls");
    choose->setToolTip(
        tr("A text with the columns xMm,yMm,zMm and a line for each ball, or a .json of spheres."));
    m_placesName = new ElidedLabel(Qt::ElideMiddle, page);
    m_placesName->setObjectName("ballsName");
    m_placesName->setWholeText(tr("none chosen yet"));
    line->addWidget(choose);
    line->addWidget(m_placesName, 1);
    connect(choose, &QPushButton::clicked, this, &CalibrationQuestion::askForPlaces);
    return page;
}

NumberField* CalibrationQuestion::makeBall(const char* name, double ball) {
    auto* field = new NumberField({.whole = true, .range = NumberField::Range{1, 1000}}, this);
    field->setObjectName(name);
    field->setToolTip(
        tr("Balls are counted from 1, upwards, and at one height round the axis. After a search "
           "each has its number in the picture."));
    field->setValue(ball);
    connect(field, &NumberField::valueEdited, this, &CalibrationQuestion::changed);
    return field;
}

QWidget* CalibrationQuestion::makeDistance() {
    auto* page = new QWidget(this);
    auto* line = newLine(*page);
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
    auto* line = newLine(*page);
    auto* label = new QLabel(tr("Length"), page);
    field = new NumberField({.unit = "mm", .range = NumberField::Range{1e-3, 1e5}}, page);
    field->setObjectName(name);
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

}  // namespace gantry
