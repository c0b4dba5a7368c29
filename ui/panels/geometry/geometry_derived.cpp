#include "ui/panels/geometry/geometry_derived.h"

#include <QGridLayout>
#include <QLabel>

#include "core/geometry/scan_geometry.h"
#include "ui/models/scan/derived_values.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

GeometryDerived::GeometryDerived(QWidget* parent) : QWidget(parent) {
    constexpr int kColumns = 3;
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(kSpacing);
    grid->setVerticalSpacing(0);
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

}  // namespace gantry
