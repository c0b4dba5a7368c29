#include "ui/panels/live/live_film.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPixmap>
#include <QSignalBlocker>
#include <QStringList>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <vector>

#include "core/job/varied_field.h"
#include "core/live/montage.h"
#include "ui/panels/live/parameter_line.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

constexpr int kPictureSize = 96;
constexpr int kUsualStep = 2;  // of those to choose from

}  // namespace

Filmstrip::Filmstrip(QWidget* parent) : QWidget(parent) {
    auto* name = new QLabel(tr("Step"), this);
    m_steps = named(new QComboBox(this), "filmstripStep");
    name->setBuddy(m_steps);
    m_pictures = named(new QListWidget(this), "filmstrip");
    m_pictures->setAccessibleName(tr("Filmstrip"));
    m_pictures->setViewMode(QListView::IconMode);
    m_pictures->setFlow(QListView::LeftToRight);
    m_pictures->setWrapping(false);
    m_pictures->setMovement(QListView::Static);
    m_pictures->setIconSize({kPictureSize, kPictureSize});
    m_pictures->setSpacing(kSpacing / 4);
    m_pictures->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_pictures->setFixedHeight(kPictureSize + 5 * kSpacing);

    auto* step = new QVBoxLayout;
    step->setSpacing(kSpacing / 2);
    step->addWidget(name);
    step->addWidget(m_steps);
    step->addStretch(1);
    auto* line = spaced(new QHBoxLayout(this), kSpacing);
    line->addLayout(step);
    line->addWidget(m_pictures, 1);

    connect(m_steps, &QComboBox::activated, this, &Filmstrip::stepChosen);
    const auto pick = [this](const QListWidgetItem* item) {
        emit picked(value(m_pictures->row(item)));
    };
    connect(m_pictures, &QListWidget::itemClicked, this, pick);
    connect(m_pictures, &QListWidget::itemActivated, this, pick);
}

void Filmstrip::setSteps(const QStringList& texts) {
    const QSignalBlocker quiet(m_steps);
    const int chosen = m_steps->currentIndex();
    m_steps->clear();
    m_steps->addItems(texts);
    m_steps->setCurrentIndex(chosen >= 0 ? chosen : kUsualStep);
}

int Filmstrip::step() const {
    return std::max(0, m_steps->currentIndex());
}

void Filmstrip::begin(const std::vector<double>& values, const QStringList& texts) {
    m_values = values;
    m_isThere.assign(values.size(), false);
    m_sharpness.assign(values.size(), std::nullopt);
    const QSignalBlocker quiet(m_pictures);
    m_pictures->clear();
    QPixmap empty(kPictureSize, kPictureSize);
    empty.fill(Qt::black);
    for (const QString& text : texts)
        m_pictures->addItem(new QListWidgetItem(QIcon(empty), text));
    m_pictures->setCurrentRow(static_cast<int>(values.size() / 2));
}

void Filmstrip::setPicture(int number, const GreyImage& image, const GreyWindow& window,
                           std::optional<double> sharpness) {
    const double ratio = devicePixelRatioF();
    const QSize size = QSize(kPictureSize, kPictureSize) * ratio;
    QImage picture = gantry::render(image, window, ImagePlacement::fitted(image, QSizeF(size)),
                                    size, 1, Qt::black, Qt::black);
    picture.setDevicePixelRatio(ratio);
    const QPixmap pixmap = QPixmap::fromImage(picture);
    QIcon icon(pixmap);
    icon.addPixmap(pixmap, QIcon::Selected);
    m_pictures->item(number)->setIcon(icon);
    m_isThere[number] = true;
    m_sharpness[number] = sharpness;
    if (missing() < 0) markSharpest();
}

void Filmstrip::markSharpest() {
    const MontageScores scores = scoresOf(m_sharpness);
    for (std::size_t i = 0; i < scores.shares.size(); ++i) {
        if (!scores.shares[i]) continue;
        QListWidgetItem* item = m_pictures->item(static_cast<int>(i));
        const bool isBest = scores.best == i;
        QFont font = m_pictures->font();
        font.setBold(isBest);
        item->setFont(font);
        item->setToolTip(isBest ? tr("The sharpest of these pictures")
                                : tr("%1 % as sharp as the sharpest of these pictures")
                                      .arg(100 * *scores.shares[i], 0, 'f', 1));
        item->setData(Qt::AccessibleDescriptionRole, item->toolTip());
    }
}

int Filmstrip::missing() const {
    const auto found = std::find(m_isThere.begin(), m_isThere.end(), false);
    return found == m_isThere.end() ? -1 : static_cast<int>(found - m_isThere.begin());
}

namespace {

constexpr std::array<int, 6> kFilmSteps = {1, 2, 5, 10, 20, 50};  // of the slider

}  // namespace

void LiveFilm::begin(const Plane& part) {
    const LiveParameter& parameter = m_parameter.parameter();
    QStringList steps;
    for (const int times : kFilmSteps)
        steps.append(parameter.field.text(times * parameter.step));
    m_strip.setSteps(steps);
    pause();
    if (m_strip.isHidden() || !m_preview.isOpen() || m_scan.hasErrors()) return;
    m_job = m_scan.request().job;
    m_part = part;
    const double step = kFilmSteps[m_strip.step()] * parameter.step;
    std::vector<double> values;
    QStringList captions;
    for (int i = -Filmstrip::kReach; i <= Filmstrip::kReach; ++i) {
        values.push_back(m_parameter.value() + i * step);
        captions.append(m_parameter.text(values.back()));
    }
    m_strip.begin(values, captions);
}

void LiveFilm::follow(const Plane& part) {
    if (m_strip.isHidden()) return;
    // Another value of the same parameter leaves all pictures right.
    const ScanField& field = m_parameter.parameter().field;
    const double value = field.number(m_job.scan);
    const JobSpec& now = m_scan.request().job;
    ScanFile was = m_job.scan;
    ScanFile is = now.scan;
    field.assign(was, value);
    field.assign(is, value);
    // A box that follows the geometry does not matter: the pictures stay where they are.
    const bool isSame = is.geometry == was.geometry && now.filter == m_job.filter &&
                        now.corrections == m_job.corrections &&
                        m_part.originMm.z == part.originMm.z;
    if (!isSame) begin(part);
}

bool LiveFilm::shows(const Plane& part) const {
    const double roundingMm = 1e-6 * length(part.alongRowMm);
    const auto isNear = [&](Vec3 a, Vec3 b) { return length(a - b) <= roundingMm; };
    return part.columns == m_part.columns && part.rows == m_part.rows &&
           isNear(part.originMm, m_part.originMm) && isNear(part.alongRowMm, m_part.alongRowMm) &&
           isNear(part.alongColumnMm, m_part.alongColumnMm);
}

void LiveFilm::resume() {
    if (m_strip.isHidden() || m_part.columns == 0) return;
    m_number = m_strip.missing();
    if (m_number == kNone) return;
    m_asked = m_preview.ask(jobOf(m_number), {m_part});
}

JobSpec LiveFilm::jobOf(int number) const {
    JobSpec job = m_job;
    m_parameter.parameter().field.assign(job.scan, m_strip.value(number));
    return job;
}

std::optional<double> LiveFilm::sharpnessOf(const GreyImage& image) const {
    const bool isScored = m_parameter.parameter().field.row->option.group == kScoredGroup;
    if (!isScored) return {};
    return sliceSharpness(jobOf(m_number).scan.geometry,
                          {image.pixels.data(), 1, image.rows, image.columns});
}

void LiveFilm::take(const LiveShown& shown, const GreyWindow& window) {
    if (m_number == kNone || shown.number != m_asked || !shown.isFinal) return;
    m_strip.setPicture(m_number, shown.images[0], window, sharpnessOf(shown.images[0]));
    resume();
}

void LiveFilm::takeRefusal() {
    if (m_number == kNone) return;
    m_strip.setPicture(m_number, {}, {}, {});
    resume();
}

}  // namespace gantry
