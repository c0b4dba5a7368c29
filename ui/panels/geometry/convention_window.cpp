#include "ui/panels/geometry/convention_window.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QRadioButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/percent.h"
#include "core/doctor/diagnosis.h"
#include "core/doctor/interpretation_words.h"
#include "ui/models/image/grey_image.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

/// Readings that fit a scan equally: a button to choose each, how well they fit, and slices.
/// Tests: tests/ui/panels/convention_window_test.cpp
class ConventionRow : public QWidget {
  public:
    struct Look {
        double sharpest = 1;  ///< of all groups, which a group's sharpness is shown over
        GreyWindow window;    ///< of the slices
        bool listsSameViews = false;
    };
    /// choices: where the buttons go, in order; of all rows together one is chosen
    ConventionRow(const InterpretationGroup& group, const Look& look, QButtonGroup& choices,
                  QWidget* parent = nullptr);

    /// The reading whose button is chosen here; null: none.
    [[nodiscard]] const Interpretation* chosen() const;
    /// The button of the group's own reading.
    [[nodiscard]] QRadioButton& first() { return *m_choices.front().button; }

  private:
    struct Choice {
        QRadioButton* button;
        Interpretation interpretation;
    };
    void addChoice(QVBoxLayout& column, QButtonGroup& choices, const Interpretation& interpretation,
                   int indent);
    void addSameViews(QVBoxLayout& column, QButtonGroup& choices, const InterpretationGroup& group);
    [[nodiscard]] QWidget* makeSlices(const InterpretationGroup& group, const GreyWindow& window);

    std::vector<Choice> m_choices;
};

namespace {

// Width and height of a slice, in logical pixels.
constexpr int kSliceSize = 128;
// Texts about an interpretation are aligned with its name, beside the button.
constexpr int kIndent = 3 * kSpacing;

QString percent(double share) {
    return QString::fromStdString(formatPercent(share));
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
    auto* column = spaced(new QVBoxLayout(this), kSpacing / 2);
    addChoice(*column, choices, group.interpretation, 0);
    QLabel* scores = remark(scoresOf(group.trial.all, look.sharpest), this);
    scores->setContentsMargins(kIndent, 0, 0, 0);
    column->addWidget(scores);
    column->addWidget(makeSlices(group, look.window));
    if (look.listsSameViews && !group.others.empty()) addSameViews(*column, choices, group);
}

void ConventionRow::addChoice(QVBoxLayout& column, QButtonGroup& choices,
                              const Interpretation& interpretation, int indent) {
    const QString name = QString::fromStdString(nameOf(interpretation));
    auto* button =
        named(new QRadioButton(inLines(name.front().toUpper() + name.mid(1)), this), "reading");
    choices.addButton(button);
    m_choices.push_back({button, interpretation});
    auto* row = new QHBoxLayout;
    row->setContentsMargins(indent, 0, 0, 0);
    row->addWidget(button);
    column.addLayout(row);
}

void ConventionRow::addSameViews(QVBoxLayout& column, QButtonGroup& choices,
                                 const InterpretationGroup& group) {
    QLabel* heading = remark(tr("No view can tell these from it. Look at the volume:"), this);
    heading->setContentsMargins(kIndent, kSpacing / 2, 0, 0);
    column.addWidget(heading);
    for (const SameViews& same : group.others) {
        addChoice(column, choices, same.interpretation, kIndent);
        auto* question = remark(tr("The volume is then %1. %2")
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
    auto* row = spaced(new QHBoxLayout(slices), kSpacing / 2, {kIndent, 0, 0, 0});
    const QSize size(kSliceSize, kSliceSize);
    for (const TrialPicture& slice : group.trial.slices) {
        const GreyImage image = imageOf(slice);
        auto* label = named(new QLabel(slices), "slice");
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

namespace {

QString more(int count) {
    return count == 1 ? ConventionWindow::tr("One more reading was tried.")
                      : ConventionWindow::tr("%1 more readings were tried.").arg(count);
}

constexpr std::size_t kMaxRows = 8;

GreyWindow windowOf(const Trial& trial) {
    std::vector<float> pixels;
    for (const TrialPicture& slice : trial.slices)
        pixels.insert(pixels.end(), slice.pixels.begin(), slice.pixels.end());
    return {0, autoWindow(pixels).white};
}

}  // namespace

ConventionWindow::ConventionWindow(ScanDocument& scan, QWidget* parent)
    : ScanSearchWindow(scan,
                       {"conventionState", "conventionProgress", "useReading", "closeConventions"},
                       parent) {
    constexpr QSize kSize(920, 640);
    setObjectName("conventionWindow");
    setWindowTitle(tr("Check the scan's conventions"));
    resize(kSize);
    auto* column = spaced(new QVBoxLayout(this), kSpacing, 2 * kSpacing);
    constexpr int kLines = 3;  // what was found, and what is known of the centre
    addSearchRow(*column, kLines);
    m_scroll = named(new QScrollArea(this), "readings");
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);  // its buttons have the keyboard
    column->addWidget(m_scroll, 1);
    addButtons(*column, tr("Use"),
               tr("Changes the scan's description to the reading that is chosen; can be undone."));
    search();
}

void ConventionWindow::startSearch(std::shared_ptr<const OpenScan> open) {
    run([scan = searched(), open = std::move(open)](
            const SearchControl& control) { return searchConventions(scan, open.get(), control); },
        [this](Diagnosis found) {
            m_found = std::make_shared<const Diagnosis>(std::move(found));
            showRows();
            endWithResult();
        });
}

void ConventionWindow::clearResult() {
    m_found.reset();
    m_rows.clear();
    m_choices = nullptr;
    QLabel* nothing =
        remark(tr("Slices of the scan with each reading that is tried, the best first."), nullptr);
    nothing->setAlignment(Qt::AlignCenter);
    m_scroll->setWidget(nothing);
}

void ConventionWindow::showRows() {
    auto* rows = new QWidget;
    m_choices = new QButtonGroup(rows);
    auto* column = spaced(new QVBoxLayout(rows), 2 * kSpacing, {0, 0, kSpacing, 0});
    if (!m_found->whyUnusable.empty())
        column->addWidget(remark(tr("As it is declared the scan cannot be reconstructed: %1")
                                     .arg(QString::fromStdString(m_found->whyUnusable)),
                                 rows));
    const std::vector<InterpretationGroup>& groups = m_found->groups;
    ConventionRow::Look look;
    look.sharpest = groups.front().trial.all.sharpness;
    look.window = windowOf(groups.front().trial);
    for (std::size_t i = 0; i < std::min(kMaxRows, groups.size()); ++i) {
        look.listsSameViews = i < m_found->tied;
        m_rows.push_back(new ConventionRow(groups[i], look, *m_choices, rows));
        column->addWidget(m_rows.back());
    }
    if (groups.size() > kMaxRows)
        column->addWidget(remark(more(static_cast<int>(groups.size() - kMaxRows)), rows));
    column->addStretch();
    m_scroll->setWidget(rows);
    // What the views do not tell is the operator's to choose.
    if (m_found->certainty != Certainty::cannotTell) m_rows.front()->first().setChecked(true);
    connect(m_choices, &QButtonGroup::buttonToggled, this, &ConventionWindow::showState);
}

const Interpretation* ConventionWindow::chosen() const {
    for (const ConventionRow* row : m_rows)
        if (const Interpretation* interpretation = row->chosen()) return interpretation;
    return nullptr;
}

bool ConventionWindow::isAnyChosen() const {
    const Interpretation* const interpretation = chosen();
    return interpretation && !interpretation->changed.empty();
}

void ConventionWindow::showResult() {
    const bool isRight = m_found->isAsDeclared && m_found->certainty != Certainty::cannotTell &&
                         !m_found->isCentreOff();
    showSentence(state(), QString::fromStdString(summaryOf(*m_found) + ' ' + centreOf(*m_found)),
                 isRight ? SentenceKind::good : SentenceKind::warning);
}

void ConventionWindow::takeChosen() {
    const Interpretation interpretation = *chosen();
    Request request = scan().request();
    request.job.scan = withInterpretation(request.job.scan, interpretation);
    scan().editAndTell(
        std::move(request), tr("Change conventions"),
        tr("The scan is now read with: %1.").arg(QString::fromStdString(nameOf(interpretation))));
}

}  // namespace gantry
