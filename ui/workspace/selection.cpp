#include "ui/workspace/selection.h"

namespace gantry {

void Selection::setView(Index view) {
    if (view == m_view) return;
    m_view = view;
    emit viewChanged(view);
}

void Selection::setRow(Index row) {
    if (row == m_row) return;
    m_row = row;
    emit rowChanged(row);
}

void Selection::setJobFolder(const QString& folder) {
    if (folder == m_jobFolder) return;
    m_jobFolder = folder;
    emit jobFolderChanged(folder);
}

void Selection::setCrossHairMm(const Vec3& placeMm) {
    if (placeMm == m_crossHairMm) return;
    m_crossHairMm = placeMm;
    emit crossHairChanged(placeMm);
}

void Selection::setReadout(const QString& text) {
    if (text == m_readout) return;
    m_readout = text;
    emit readoutChanged(text);
}

}  // namespace gantry
