#include "ui/panels/slices/slice_saving.h"

#include <QFileInfo>
#include <QKeySequence>
#include <QMenu>
#include <QShortcut>
#include <QToolButton>
#include <tuple>
#include <utility>

#include "ui/widgets/fields/save_dialog.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

SliceSaving::SliceSaving(QToolButton& button, QWidget& panel, std::function<Offer()> current)
    : QObject(&panel), m_panel(panel), m_current(std::move(current)) {
    auto* menu = new QMenu(&button);
    for (const auto& [text, name, kind] :
         {std::tuple(tr("&Picture (PNG)…"), "saveSlicePicture", Kind::picture),
          {tr("Picture with &caption (PNG)…"), "saveSliceCaptioned", Kind::captioned},
          {tr("&Values (32-bit TIFF)…"), "saveSliceValues", Kind::values}}) {
        QAction* action = menu->addAction(text, this, [this, kind = kind] { ask(kind); });
        action->setObjectName(name);
    }
    button.setMenu(menu);
    button.setPopupMode(QToolButton::InstantPopup);
    auto* shortcut = new QShortcut(QKeySequence(Qt::Key_E), &panel);
    shortcut->setContext(Qt::WidgetWithChildrenShortcut);
    connect(shortcut, &QShortcut::activated, menu,
            [menu, &button] { menu->popup(button.mapToGlobal(QPoint(0, button.height()))); });
}

void SliceSaving::ask(Kind kind) {
    Offer offer = m_current();
    if (offer.picture.image.isEmpty()) return;
    if (kind != Kind::captioned) offer.picture.caption.clear();
    SaveDialog::Format format{tr("Pictures"), {QStringLiteral("png")}};
    if (kind == Kind::values)
        format = {tr("TIFF files"), {QStringLiteral("tif"), QStringLiteral("tiff")}};
    auto* dialog = new SaveDialog(m_panel.window(), tr("Save the slice"),
                                  offer.start + '.' + format.endings.front(), {format});
    dialog->setObjectName("sliceSaveDialog");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(
        dialog, &QFileDialog::fileSelected, this,
        [this, picture = offer.picture, kind](const QString& path) { save(picture, kind, path); });
    dialog->open();
}

void SliceSaving::save(const SlicePicture& picture, Kind kind, const QString& path) {
    m_writing.start(
        [picture, kind, path](const std::stop_token&) {
            if (kind == Kind::values)
                saveTiff(picture, path);
            else
                savePng(picture, path);
            return path;
        },
        [this](const QString& written) {
            emit said({Message::Kind::info,
                       tr("The slice is saved as %1.").arg(QFileInfo(written).fileName())});
        },
        [this](const QString& sentence) {
            emit said({Message::Kind::error, sentence});
        });
}

}  // namespace gantry
