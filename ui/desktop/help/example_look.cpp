#include "ui/desktop/help/example_look.h"

#include "ui/desktop/help/example_scan.h"
#include "ui/models/image/matter_window.h"
#include "ui/panels/volume/volume_panel.h"
#include "ui/workspace/volume/volume_document.h"

namespace gantry {

ExampleLook::ExampleLook(VolumeDocument& document, VolumePanel& panel, QObject* parent)
    : QObject(parent), m_document(document), m_panel(panel) {
    connect(&document, &VolumeDocument::volumeChanged, this, &ExampleLook::take);
}

void ExampleLook::take() {
    const auto volume = m_document.volume();
    const bool isExample = volume && ExampleScan::isOfExample(volume->path);
    if (isExample != m_isExample) m_panel.setCutOpen(isExample);
    m_isExample = isExample;
    if (isExample) m_document.setWindow(matterWindow(volume->voxels.span()));
}

}  // namespace gantry
