#include "ui/panels/geometry/geometry_panel.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "ui/models/file_endings.h"
#include "ui/models/scan/derived_values.h"
#include "ui/models/text.h"
#include "ui/panels/geometry/alignment_window.h"
#include "ui/panels/geometry/calibration_window.h"
#include "ui/panels/geometry/convention_window.h"
#include "ui/panels/geometry/geometry_presets.h"
#include "ui/panels/geometry/pose_view.h"
#include "ui/panels/shared/edit_gesture.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/panels/shared/scan_form.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/scene/schematic/schematic_view.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/fields/pending_edit.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

// What a geometry means (magnification, voxel, field of view, ...) in two lines of cells.
// Tests: tests/ui/panels/geometry_panel_test.cpp
class GeometryDerived : public QWidget {
  public:
    explicit GeometryDerived(QWidget* parent = nullptr);
    void showGeometry(const ScanGeometry& geometry);

  private:
    struct Cell {
        QLabel* label;
        QLabel* text;
    };
    std::vector<Cell> m_cells;
    QLabel* m_beam = nullptr;
};

GeometryDerived::GeometryDerived(QWidget* parent) : QWidget(parent) {
    constexpr int kColumns = 3;
    auto* grid = spaced(new QGridLayout(this), QSize(kSpacing, 0));
    const auto values = static_cast<int>(derivedValues({}).size());
    for (int i = 0; i < values; ++i) {
        const Cell cell{new QLabel(this), new QLabel(this)};
        cell.label->setProperty("muted", true);
        cell.text->setFont(tabular(font()));
        cell.text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        const int line = 2 * (i / kColumns);
        grid->addWidget(cell.label, line, i % kColumns);
        grid->addWidget(cell.text, line + 1, i % kColumns);
        grid->setColumnStretch(i % kColumns, 1);
        m_cells.push_back(cell);
    }
    m_beam = named(remark({}, this), "beamNote", beamHelp());
    grid->addWidget(m_beam, grid->rowCount(), 0, 1, -1);
}

void GeometryDerived::showGeometry(const ScanGeometry& geometry) {
    const std::vector<DerivedValue> values = derivedValues(geometry);
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        m_cells[i].label->setText(values[i].label);
        m_cells[i].text->setText(values[i].text);
        m_cells[i].text->setObjectName(values[i].name);
        m_cells[i].label->setToolTip(values[i].toolTip);
        m_cells[i].text->setToolTip(values[i].toolTip);
    }
    showSentence(*m_beam, beamNote(geometry), SentenceKind::muted);
}

}  // namespace

struct GeometryPanel::Parts {
    Workspace& workspace;
    QStackedLayout* pages = nullptr;
    QWidget* placeholder = nullptr;
    QWidget* content = nullptr;
    QToolButton* presets = nullptr;
    QToolButton* exchange = nullptr;
    QToolButton* findCentre = nullptr;
    QToolButton* checkConventions = nullptr;
    QToolButton* reset = nullptr;
    ScanForm* form = nullptr;
    QScrollArea* scroll = nullptr;
    GeometryDerived* derived = nullptr;
    SchematicView* schematic = nullptr;
    QSplitter* splitter = nullptr;
    QToolButton* cameras = nullptr;
    bool isSharedByHand = false;  // whether the user divided the height between form and drawing
    EditGesture gesture{};        // each drag is one step to undo
    QPointer<AlignmentWindow> alignment = {};
    QPointer<CalibrationWindow> calibration = {};
    QPointer<ConventionWindow> conventions = {};
};

GeometryPanel::GeometryPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(Parts{workspace})) {
    m_parts->content = new QWidget(this);
    auto* column = spaced(new QVBoxLayout(m_parts->content), kSpacing, kSpacing);
    column->addWidget(makeTools());
    m_parts->derived = new GeometryDerived(this);
    column->addWidget(m_parts->derived);
    m_parts->form = new ScanForm(workspace.scan(), scanFields());
    m_parts->scroll = new QScrollArea;
    m_parts->scroll->setWidgetResizable(true);
    m_parts->scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* padded = new QWidget;
    auto* padding = new QVBoxLayout(padded);
    padding->setContentsMargins(0, 0, kSpacing, 0);
    padding->addWidget(m_parts->form);
    padding->addWidget(new PoseView(workspace.scan()));
    padding->addStretch();
    m_parts->scroll->setWidget(padded);
    auto* splitter = m_parts->splitter = new QSplitter(Qt::Vertical, this);
    splitter->setObjectName("geometrySplitter");
    splitter->addWidget(m_parts->scroll);
    splitter->addWidget(makeSchematic());
    splitter->setChildrenCollapsible(true);
    connect(splitter, &QSplitter::splitterMoved, this, [this] { m_parts->isSharedByHand = true; });
    column->addWidget(splitter, 1);
    m_parts->placeholder = new Placeholder(tr("Open a scan to see and set its geometry."));
    m_parts->pages = new QStackedLayout(this);
    m_parts->pages->addWidget(m_parts->placeholder);
    m_parts->pages->addWidget(m_parts->content);
    connect(&workspace.scan(), &ScanDocument::stateChanged, this, &GeometryPanel::refresh);
    connect(&workspace.scan(), &ScanDocument::stateChanged, this,
            [this] { QTimer::singleShot(0, this, &GeometryPanel::shareHeight); });
    connect(&workspace.scan(), &ScanDocument::scanChanged, this, &GeometryPanel::showScan);
    connect(&workspace.scan(), &ScanDocument::volumeChanged, this, &GeometryPanel::drawScan);
    connect(&workspace.scan(), &ScanDocument::openScanChanged, this,
            &GeometryPanel::enableSearches);
    connect(&workspace.selection(), &Selection::viewChanged, m_parts->schematic,
            &SchematicView::setView);
    refresh();
}

GeometryPanel::~GeometryPanel() = default;

// Gives the fields the height that they need, as long as the drawing keeps its min height.
void GeometryPanel::shareHeight() {
    if (m_parts->isSharedByHand) return;
    constexpr int kMinDrawing = 16 * kSpacing;
    const int whole = m_parts->splitter->height() - m_parts->splitter->handleWidth();
    const int form = std::clamp(m_parts->form->sizeHint().height() + kSpacing, 0,
                                std::max(0, whole - kMinDrawing));
    m_parts->splitter->setSizes({form, whole - form});
}

void GeometryPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    // Once the parts have their places.
    QTimer::singleShot(0, this, &GeometryPanel::shareHeight);
}

bool GeometryPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_parts->schematic && event->type() == QEvent::Resize) {
        m_parts->cameras->adjustSize();
        m_parts->cameras->move(
            m_parts->schematic->width() - m_parts->cameras->width() - kSpacing / 2, kSpacing / 2);
    }
    return QWidget::eventFilter(watched, event);
}

QWidget* GeometryPanel::makeTools() {
    auto* tools = new QWidget(this);
    auto* rows = spaced(new QVBoxLayout(tools), kSpacing / 2);
    QHBoxLayout* row = nullptr;
    const auto beginRow = [&] {
        row = spaced(new QHBoxLayout, kSpacing / 2);
        rows->addLayout(row);
    };
    const auto button = [&](const char* name, const QString& text, const QString& toolTip) {
        auto* made = named(new QToolButton(tools), name, toolTip);
        made->setText(text);
        made->setFocusPolicy(Qt::StrongFocus);
        row->addWidget(made);
        return made;
    };
    beginRow();
    m_parts->presets = button("presets", tr("Presets"),
                              tr("Fills the form for a kind of scanner, as a starting point."));
    m_parts->exchange = button("exchange", tr("Import/export"),
                               tr("Reads the geometry from a file of RTK, ASTRA, LEAP or TIGRE, or "
                                  "writes one of RTK or ASTRA."));
    row->addStretch();
    // A picture, as a narrow dock has no room for the words.
    m_parts->reset =
        button("resetToFile", tr("Reset to file"),
               tr("Reset to file: takes back all edits of the scan since it was opened or saved; "
                  "can be undone. Settings of the reconstruction stay."));
    m_parts->reset->setIcon(icon("reset"));
    m_parts->reset->setToolButtonStyle(Qt::ToolButtonIconOnly);
    m_parts->reset->setAccessibleName(tr("Reset to file"));
    connect(m_parts->reset, &QToolButton::clicked, this, [this] {
        if (takePendingEdits(*this)) m_parts->workspace.scan().resetToFile();
    });
    // What is found from the views.
    beginRow();
    m_parts->findCentre = button(
        "findCentre", tr("Align…"),
        tr("Finds the centre of rotation, and the detector's roll and tilt, from the views of the "
           "scan. Takes some seconds; nothing changes before you use what was found."));
    connect(m_parts->findCentre, &QToolButton::clicked, this, &GeometryPanel::findCentre);
    m_parts->checkConventions = button(
        "checkConventions", tr("Check conventions…"),
        tr("Tries the rotation reversed, images flipped, other signs and units, and shows slices "
           "of each side by side. Takes some seconds; nothing changes before you use one."));
    connect(m_parts->checkConventions, &QToolButton::clicked, this,
            &GeometryPanel::checkConventions);
    row->addStretch();
    addPresets();
    addExchange();
    return tools;
}

void GeometryPanel::addPresets() {
    auto* menu = named(new QMenu(m_parts->presets), "presetsMenu");
    menu->setToolTipsVisible(true);
    QAction* title = menu->addAction(tr("Starting points: check every distance"));
    title->setEnabled(false);
    for (const GeometryPreset& preset : geometryPresets()) {
        QAction* action = menu->addAction(preset.name);
        action->setToolTip(preset.sentence);
        connect(action, &QAction::triggered, this, [this, preset] {
            if (!takePendingEdits(*this)) return;
            ScanDocument& scan = m_parts->workspace.scan();
            Request request = scan.request();
            applyPreset(preset, request.job.scan);
            scan.editAndTell(std::move(request), tr("Preset: %1").arg(preset.name),
                             tr("Preset %1 set: check every distance.").arg(preset.name));
        });
    }
    m_parts->presets->setMenu(menu);
    m_parts->presets->setPopupMode(QToolButton::InstantPopup);
}

void GeometryPanel::addExchange() {
    auto* menu = named(new QMenu(m_parts->exchange), "exchangeMenu");
    menu->addAction(tr("Import geometry…"), this, &GeometryPanel::askForImport)
        ->setObjectName("importGeometry");
    menu->addAction(tr("Export geometry…"), this, &GeometryPanel::askForExport)
        ->setObjectName("exportGeometry");
    m_parts->exchange->setMenu(menu);
    m_parts->exchange->setPopupMode(QToolButton::InstantPopup);
}

QWidget* GeometryPanel::makeSchematic() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, kSpacing / 2, 0, 0);
    auto* schematic = m_parts->schematic = new SchematicView(box);
    schematic->setObjectName("schematic");
    schematic->setToolTip(tr(
        "Drag the blue point to change the detector offset, or the green points to change the "
        "region of interest; hold Ctrl for fine steps. Drag anywhere else to rotate the picture."));
    // In the drawing's corner, so that it is maximised with the drawing.
    auto* cameras =
        named(new QToolButton(schematic), "cameras", tr("Choose where the scanner is seen from"));
    cameras->setIcon(icon("eye"));
    cameras->setAccessibleName(cameras->toolTip());
    cameras->setPopupMode(QToolButton::InstantPopup);
    auto* menu = named(new QMenu(cameras), "camerasMenu");
    menu->setToolTipsVisible(true);
    cameras->setMenu(menu);
    m_parts->cameras = cameras;
    schematic->installEventFilter(this);
    const auto camera = [&](const QString& text, const QString& toolTip,
                            SchematicView::Camera place) {
        QAction* action = menu->addAction(text);
        action->setToolTip(toolTip);
        connect(action, &QAction::triggered, schematic,
                [schematic, place] { schematic->setCamera(place); });
    };
    camera(tr("Overview"), tr("Shows the whole scanner."), SchematicView::Camera::overview);
    camera(tr("Along the axis"), tr("Looks down along the rotation axis."),
           SchematicView::Camera::alongAxis);
    camera(tr("From the source"), tr("Looks from the source towards the detector."),
           SchematicView::Camera::fromSource);
    column->addWidget(schematic, 1);
    connect(schematic, &SchematicView::detectorOffsetDragged, this, &GeometryPanel::moveDetector);
    connect(schematic, &SchematicView::gridDragged, this,
            [this](const VolumeGrid& grid, bool isFinal) {
                Request request = m_parts->workspace.scan().request();
                request.job.volume = grid;
                request.volumeIsFitted = false;
                m_parts->workspace.scan().edit(std::move(request), tr("Change region of interest"),
                                               m_parts->gesture.key("volume", isFinal));
            });
    return box;
}

void GeometryPanel::moveDetector(double uMm, double vMm, bool isFinal) {
    m_parts->workspace.scan().editJob(
        [=](JobSpec& job) {
            job.scan.geometry.detector.offsetMm = {uMm, vMm};
        },
        tr("Move detector"), m_parts->gesture.key("detector", isFinal));
}

void GeometryPanel::refresh() {
    m_parts->pages->setCurrentWidget(m_parts->workspace.scan().hasScan() ? m_parts->content
                                                                         : m_parts->placeholder);
    showScan();
    drawScan();
}

void GeometryPanel::showScan() {
    const ScanDocument& scan = m_parts->workspace.scan();
    enableSearches();
    if (!scan.hasScan()) return;
    m_parts->derived->showGeometry(scan.geometry());
    m_parts->reset->setEnabled(!scan.isSaved());
    m_parts->schematic->setName(scan.title());
}

void GeometryPanel::drawScan() {
    const ScanDocument& scan = m_parts->workspace.scan();
    if (!scan.hasScan()) return m_parts->schematic->clear();
    m_parts->schematic->setScan(scan.geometry(), scan.request().job.volume,
                                !hasError(problemsOf(scan.request())));
    m_parts->schematic->setView(m_parts->workspace.selection().view());
}

void GeometryPanel::enableSearches() {
    const ScanDocument& scan = m_parts->workspace.scan();
    m_parts->findCentre->setEnabled(scan.openScan() != nullptr);
    // A geometry that cannot be used may be one of other conventions.
    m_parts->checkConventions->setEnabled(scan.openScan() != nullptr ||
                                          (scan.inspection() && scan.hasErrors()));
}

template <class Window>
void GeometryPanel::openOnce(QPointer<Window>& opened) {
    if (!takePendingEdits(*this)) return;
    if (!opened) opened = new Window(m_parts->workspace.scan(), window());
    opened->show();
    opened->raise();
    opened->activateWindow();
}

void GeometryPanel::findCentre() {
    openOnce(m_parts->alignment);
}

void GeometryPanel::calibrate() {
    openOnce(m_parts->calibration);
}

void GeometryPanel::checkConventions() {
    openOnce(m_parts->conventions);
}

void GeometryPanel::focusField(const QString& name) {
    QWidget* editor = m_parts->form->editorOf(name);
    if (!editor) return;
    gantry::focusField(*editor);
}

void GeometryPanel::askForImport() {
    if (!takePendingEdits(*this)) return;
    ScanDocument& scan = m_parts->workspace.scan();
    choosePath(*this,
               {"importDialog", tr("Import geometry"), geometryFilter(), QFileDialog::ExistingFile,
                toText(scan.request().job.scan.folder)},
               [&scan](const QString& path) { scan.importGeometry(path); });
}

void GeometryPanel::askForExport() {
    if (!takePendingEdits(*this)) return;
    ScanDocument& scan = m_parts->workspace.scan();
    chooseSavePath(*this, "exportDialog", tr("Export geometry"),
                   toText(scan.request().job.scan.folder) + "/geometry",
                   {{tr("RTK geometry"), {"xml"}},
                    {tr("ASTRA vectors"), {"txt", "vec"}},
                    {tr("Table of poses"), {"csv"}}},
                   [&scan](const QString& path) { scan.exportGeometry(path); });
}

}  // namespace gantry
