#include "ui/panels/slices/slices_measuring.h"

#include <QKeyEvent>
#include <QKeySequence>
#include <QShortcut>
#include <utility>

#include "ui/panels/slices/measure_overlay.h"
#include "ui/panels/slices/measure_results.h"
#include "ui/panels/slices/oblique_view.h"
#include "ui/panels/slices/slices_tools.h"
#include "ui/panels/slices/slices_view.h"

namespace gantry {

SlicesMeasuring::SlicesMeasuring(const std::array<SlicesView*, 3>& views, SlicesTools& tools,
                                 QWidget* panel)
    : QObject(panel) {
    for (std::size_t i = 0; i < views.size(); ++i) {
        m_planes[i] = views[i]->plane();
        m_overlays[i] = new MeasureOverlay(m_measurements, m_planes[i], views[i]->imageView());
    }
    m_results = new MeasureResults(m_measurements, panel);
    connectTools(tools, panel);
}

void SlicesMeasuring::connectTools(SlicesTools& tools, QWidget* panel) {
    connect(&tools, &SlicesTools::measuringChosen, &m_measurements, &Measurements::setTool);
    connect(&m_measurements, &Measurements::toolChanged, &tools,
            [this, &tools] { tools.showMeasuring(m_measurements.tool()); });
    for (const auto& [key, kind] : {std::pair(Qt::Key_D, MeasureKind::distance),
                                    {Qt::Key_A, MeasureKind::angle},
                                    {Qt::Key_P, MeasureKind::profile},
                                    {Qt::Key_R, MeasureKind::region}}) {
        // Not in other tabs, nor where text is typed.
        auto* shortcut = new QShortcut(QKeySequence(key), panel);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, [this, kind = kind] {
            const bool isOn = m_measurements.tool() == kind;
            m_measurements.setTool(isOn ? std::nullopt : std::optional(kind));
        });
    }
}

void SlicesMeasuring::addOblique(ObliqueView& view) {
    auto* overlay = new MeasureOverlay(m_measurements, {}, view.imageView());
    connect(&view, &ObliqueView::rasterChanged, overlay,
            [&view, overlay] { overlay->setPlace(view.raster(), {}); });
}

void SlicesMeasuring::setVolume(const std::shared_ptr<const LoadedVolume>& volume,
                                const VoxelData& data, const VoxelIndex& voxel) {
    m_data = data;
    setVoxel(voxel);
    m_results->setVolume(volume);
}

void SlicesMeasuring::setVoxel(const VoxelIndex& voxel) {
    for (std::size_t i = 0; i < m_overlays.size(); ++i) {
        const SlicePlane& plane = m_planes[i];
        m_overlays[i]->setPlace(
            sliceRaster(plane, m_data.grid, m_data.finest(), voxel[plane.normal]), m_data.grid);
    }
}

bool SlicesMeasuring::takesUndo(const QKeyEvent& event) const {
    return (event.matches(QKeySequence::Undo) && m_measurements.canUndo()) ||
           (event.matches(QKeySequence::Redo) && m_measurements.canRedo());
}

bool SlicesMeasuring::takeKey(const QKeyEvent& event) {
    if (event.key() == Qt::Key_Escape && m_measurements.tool())
        m_measurements.setTool({});
    else if (event.key() == Qt::Key_Escape && m_measurements.chosen())
        m_measurements.choose({});
    else if (event.key() == Qt::Key_Delete && m_measurements.chosen())
        m_measurements.removeChosen();
    else if (event.matches(QKeySequence::Undo))
        m_measurements.undo();
    else if (event.matches(QKeySequence::Redo))
        m_measurements.redo();
    else
        return false;
    return true;
}

}  // namespace gantry
