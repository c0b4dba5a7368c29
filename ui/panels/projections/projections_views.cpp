#include "ui/panels/projections/projections_views.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <cmath>

#include "ui/widgets/image/image_view.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

std::size_t numberOf(ProjectionStep step) {
    return static_cast<std::size_t>(step);
}

}  // namespace

ProjectionsViews::ProjectionsViews(QWidget* parent) : QWidget(parent) {
    const std::array<QString, kViews> titles = {tr("Raw"), tr("Corrected"), tr("Filtered"),
                                                tr("Residual"), tr("Sinogram")};
    const std::array<QString, kViews> names = {"rawView", "correctedView", "filteredView",
                                               "residualView", "sinogramView"};
    auto* layout = spaced(new QHBoxLayout(this), kSpacing / 2);
    for (std::size_t i = 0; i < kViews; ++i) {
        m_shown[i].view = new ImageView(this);
        m_shown[i].view->setObjectName(names[i]);
        m_shown[i].view->setAccessibleName(titles[i]);
        m_shown[i].view->setTitle(titles[i]);
        m_shown[i].view->installEventFilter(this);
        m_shown[i].step = static_cast<ProjectionStep>(i < kSinogram ? i : 1);
        layout->addWidget(m_shown[i].view, 1);
        connectView(i);
    }
    arrange();
}

void ProjectionsViews::connectView(std::size_t number) {
    ImageView* view = m_shown[number].view;
    connect(view, &ImageView::windowEdited, this, [this, number](const GreyWindow& window) {
        focusOn(number);
        setWindow(m_shown[number].step, window, false);
    });
    connect(view, &ImageView::rowLineMoved, this, [this, number](double row) {
        const auto line = static_cast<Index>(std::lround(row));
        if (number == kSinogram)
            emit viewMoved(line);
        else
            emit rowMoved(line);
    });
    connect(view, &ImageView::scrolled, this, &ProjectionsViews::scrolled);
    connect(view, &ImageView::maximiseRequested, this, [this, number] {
        const auto single = static_cast<Mode>(number + 1);
        setMode(m_mode == Mode::all ? single : Mode::all);
    });
    connect(view, &ImageView::hovered, this, [this, number](QPointF pixel, double) {
        m_hovered = number;
        m_hoveredPixel = pixel;
        updateReadout();
    });
    connect(view, &ImageView::left, this, [this] {
        m_hovered.reset();
        updateReadout();
    });
}

std::vector<ProjectionsViews::ModeChoice> ProjectionsViews::choices() {
    return {
        {tr("All"), "modeAll", tr("Raw, corrected and filtered side by side")},
        {tr("Raw"), "modeRaw", tr("Pixel values as stored in the files")},
        {tr("Corrected"), "modeCorrected",
         tr("Line integrals: after dark and flat field, bad pixels and the logarithm, without "
            "zingers and with the phase retrieved if so chosen. Rings are taken out in the "
            "sinogram.")},
        {tr("Filtered"), "modeFiltered",
         tr("What is back-projected: weighted, and filtered by the ramp with the window chosen "
            "below")},
        {tr("Residual"), "modeResidual",
         tr("What a volume does not explain of the view: the measured line integrals minus its "
            "own. Red: more is measured; blue: less. Where no structure is left, it is noise.")},
        {tr("Sinogram"), "modeSinogram",
         tr("The selected detector row in every view, without rings where they are removed")},
    };
}

void ProjectionsViews::setMode(Mode mode) {
    if (mode == m_mode) return;
    m_mode = mode;
    arrange();
    if (mode != Mode::all)
        focusOn(static_cast<std::size_t>(mode) - 1);
    else if (m_focused >= kResidual)
        focusOn(0);
    emit modeChanged(mode);
}

void ProjectionsViews::arrange() {
    for (std::size_t i = 0; i < kViews; ++i) {
        const bool isAlone = static_cast<std::size_t>(m_mode) == i + 1;
        m_shown[i].view->setVisible(isAlone || (m_mode == Mode::all && i < kResidual));
    }
}

void ProjectionsViews::showStep(ProjectionStep step, const ProjectionPicture& picture,
                                const QString& corner) {
    show(numberOf(step), picture, corner);
}

void ProjectionsViews::showSinogram(const ProjectionPicture& picture, ProjectionStep step,
                                    const QString& corner) {
    m_shown[kSinogram].step = step;
    show(kSinogram, picture, corner);
}

void ProjectionsViews::show(std::size_t number, const ProjectionPicture& picture,
                            const QString& corner) {
    Shown& shown = m_shown[number];
    shown.picture = picture;
    shown.view->setImage(picture.image);
    shown.view->setCorner(corner);
    StepWindow& window = windowOf(shown.step);
    if (!window.window || (window.isAutomatic && window.isOutdated))
        setWindow(shown.step, picture.automatic, true);
    else
        shown.view->setWindow(*window.window);
    if (m_hovered == number) updateReadout();
    if (m_focused == number) emit focusedChanged();
}

void ProjectionsViews::showWhyNot(ProjectionStep step, const QString& sentence) {
    showWhyNot(numberOf(step), sentence);
}

void ProjectionsViews::showWhyNoSinogram(const QString& sentence) {
    showWhyNot(kSinogram, sentence);
}

void ProjectionsViews::showWhyNot(std::size_t number, const QString& sentence) {
    Shown& shown = m_shown[number];
    shown.picture = {};
    shown.view->setPlaceholder(sentence);
    shown.view->setImage({});
    shown.view->setCorner({});
    if (m_hovered == number) updateReadout();
    if (m_focused == number) emit focusedChanged();
}

void ProjectionsViews::setScanName(const QString& name) {
    for (const Shown& shown : m_shown)
        shown.view->setCaption(name);
}

void ProjectionsViews::setBusy(bool isBusy) {
    for (std::size_t i = 0; i < kResidual; ++i)
        m_shown[i].view->setBusy(isBusy);
}

void ProjectionsViews::setResidualBusy(bool isBusy) {
    m_shown[kResidual].view->setBusy(isBusy);
}

void ProjectionsViews::setSinogramBusy(bool isBusy) {
    m_shown[kSinogram].view->setBusy(isBusy);
}

void ProjectionsViews::setRow(Index row) {
    for (std::size_t i = 0; i < kSinogram; ++i)
        m_shown[i].view->setRowLine(static_cast<double>(row));
}

void ProjectionsViews::setView(Index view) {
    m_shown[kSinogram].view->setRowLine(static_cast<double>(view));
}

void ProjectionsViews::reset() {
    m_windows = {};
    for (std::size_t i = 0; i < kViews; ++i)
        showWhyNot(i, {});
}

void ProjectionsViews::renewAutomaticWindows() {
    for (StepWindow& window : m_windows)
        window.isOutdated = true;
}

const ProjectionPicture& ProjectionsViews::focusedPicture() const {
    return m_shown[m_focused].picture;
}

const GreyImage& ProjectionsViews::image(ProjectionStep step) const {
    return m_shown[numberOf(step)].picture.image;
}

QString ProjectionsViews::focusedName() const {
    return m_shown[m_focused].view->accessibleName();
}

GreyWindow ProjectionsViews::focusedWindow() const {
    return m_windows[numberOf(m_shown[m_focused].step)].window.value_or(GreyWindow());
}

void ProjectionsViews::setFocusedWindow(const GreyWindow& window) {
    setWindow(m_shown[m_focused].step, window, false);
}

void ProjectionsViews::setFocusedWindowAutomatic() {
    const Shown& shown = m_shown[m_focused];
    if (!shown.picture.image.isEmpty()) setWindow(shown.step, shown.picture.automatic, true);
}

void ProjectionsViews::setWindow(ProjectionStep step, GreyWindow window, bool isAutomatic) {
    if (step == ProjectionStep::residual) window = {-window.width() / 2, window.width() / 2};
    windowOf(step) = {window, isAutomatic, false};
    for (const Shown& shown : m_shown) {
        if (shown.step == step) shown.view->setWindow(window);
    }
    if (m_shown[m_focused].step == step) emit focusedChanged();
}

ProjectionsViews::StepWindow& ProjectionsViews::windowOf(ProjectionStep step) {
    return m_windows[numberOf(step)];
}

void ProjectionsViews::focusOn(std::size_t number) {
    if (number == m_focused) return;
    m_focused = number;
    emit focusedChanged();
}

void ProjectionsViews::updateReadout() {
    if (!m_hovered) {
        emit readoutChanged({});
        return;
    }
    // Looked up here, for the picture may change below a pointer that rests.
    const GreyImage& image = m_shown[*m_hovered].picture.image;
    const double value = valueAt(image, m_hoveredPixel);
    emit readoutChanged(*m_hovered == kSinogram
                            ? sinogramPointText(m_hoveredPixel, value, image.unit)
                            : pointText(m_hoveredPixel, value, image.unit));
}

bool ProjectionsViews::eventFilter(QObject* watched, QEvent* event) {
    for (std::size_t i = 0; i < kViews; ++i) {
        if (watched != m_shown[i].view) continue;
        if (event->type() == QEvent::FocusIn || event->type() == QEvent::MouseButtonPress)
            focusOn(i);
        if (event->type() == QEvent::KeyPress &&
            static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
            emit playToggled();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace gantry
