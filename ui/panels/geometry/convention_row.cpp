#include "ui/panels/geometry/convention_row.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QRadioButton>
#include <QVBoxLayout>
#include <cmath>

#include "core/doctor/interpretation_words.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

// Width and height of a slice, in logical pixels.
constexpr int kSliceSize = 128;
// Texts about an interpretation are aligned with its name, beside the button.
constexpr int kIndent = 3 * kSpacing;

QString percent(double share) {
    if (std::isnan(share)) return ConventionRow::tr("–");
    return ConventionRow::tr("%1 %").arg(QString::number(100 * share, 'g', 2));
}

QString scoresOf(const TrialScores& scores, double sharpest) {
    const double sharpness = sharpest > 0 ? scores.sharpness / sharpest : 0;
    QString text = ConventionRow::tr("Sharpness %1, negative values %2.")
                       .arg(QString::number(sharpness, 'f', 2), percent(scores.negative));
    if (std::isnan(scores.rays) && std::isnan(scores.planes)) return text;
    return text + ConventionRow::tr(" Views differ by %1 in rays and %2 in planes.")
                      .arg(percent(scores.rays), percent(scores.planes));
}

// A button's words do not wrap by themselves; a reading's name has a comma between its changes.
QString inLines(QString name) {
    constexpr int kMaxLetters = 90;
    for (int begin = 0; name.size() - begin > kMaxLetters;) {
        const auto comma = static_cast<int>(name.lastIndexOf(", ", begin + kMaxLetters));
        if (comma <= begin) break;
        name[comma + 1] = '\n';
        begin = comma + 2;
    }
    return name;
}

GreyImage imageOf(const TrialPicture& slice) {
    GreyImage image;
    image.pixels = slice.pixels;
    image.columns = slice.columns;
    image.rows = slice.rows;
    return image;
}

}  // namespace

ConventionRow::ConventionRow(const InterpretationGroup& group, const Look& look,
                             QButtonGroup& choices, QWidget* parent)
    : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpacing / 2);
    addChoice(*column, choices, group.interpretation, 0);
    QLabel* scores = makeMutedSentence(scoresOf(group.trial.all, look.sharpest), this);
    scores->setContentsMargins(kIndent, 0, 0, 0);
    column->addWidget(scores);
    column->addWidget(makeSlices(group, look.window));
    if (look.listsSameViews && !group.others.empty()) addSameViews(*column, choices, group);
}

void ConventionRow::addChoice(QVBoxLayout& column, QButtonGroup& choices,
                              const Interpretation& interpretation, int indent) {
    const QString name = QString::fromStdString(nameOf(interpretation));
    auto* button = new QRadioButton(inLines(name.front().toUpper() + name.mid(1)), this);
    button->setObjectName("reading");
    choices.addButton(button);
    m_choices.push_back({button, interpretation});
    auto* row = new QHBoxLayout;
    row->setContentsMargins(indent, 0, 0, 0);
    row->addWidget(button);
    column.addLayout(row);
}

void ConventionRow::addSameViews(QVBoxLayout& column, QButtonGroup& choices,
                                 const InterpretationGroup& group) {
    QLabel* heading =
        makeMutedSentence(tr("No view can tell these from it. Look at the volume:"), this);
    heading->setContentsMargins(kIndent, kSpacing / 2, 0, 0);
    column.addWidget(heading);
    for (const SameViews& same : group.others) {
        addChoice(column, choices, same.interpretation, kIndent);
        auto* question =
            makeMutedSentence(tr("The volume is then %1. %2")
                                  .arg(QString::fromStdString(nameOf(same.relation)),
                                       QString::fromStdString(landmarkOf(same.relation))),
                              this);
        question->setContentsMargins(2 * kIndent, 0, 0, 0);
        column.addWidget(question);
        m_choices.back().button->setAccessibleDescription(question->text());
    }
}

QWidget* ConventionRow::makeSlices(const InterpretationGroup& group, const GreyWindow& window) {
    auto* slices = new QWidget(this);
    slices->setToolTip(
        tr("Three slices across the axis, from the lower to the upper one, and one along it."));
    slices->setAccessibleName(tr("Slices with this reading: %1")
                                  .arg(QString::fromStdString(nameOf(group.interpretation))));
    auto* row = new QHBoxLayout(slices);
    row->setContentsMargins(kIndent, 0, 0, 0);
    row->setSpacing(kSpacing / 2);
    const QSize size(kSliceSize, kSliceSize);
    for (const TrialPicture& slice : group.trial.slices) {
        const GreyImage image = imageOf(slice);
        auto* label = new QLabel(slices);
        label->setObjectName("slice");
        label->setFixedSize(size);
        label->setPixmap(QPixmap::fromImage(gantry::render(
            image, window, ImagePlacement::fitted(image, size), size * devicePixelRatioF(),
            devicePixelRatioF(), Qt::black, themeOf(*this).warning)));
        row->addWidget(label);
    }
    row->addStretch();
    return slices;
}

const Interpretation* ConventionRow::chosen() const {
    for (const Choice& choice : m_choices)
        if (choice.button->isChecked()) return &choice.interpretation;
    return nullptr;
}

}  // namespace gantry
