#include "ui/widgets/fields/spared_files.h"

#include "core/base/error.h"
#include "ui/models/text.h"

namespace gantry {

SparedFiles::SparedFiles(QWidget& window, Check check)
    : QObject(&window), m_check(std::move(check)) {}

QString SparedFiles::problemWith(const QWidget& widget, const QString& path) {
    for (const QWidget* at = &widget; at; at = at->parentWidget()) {
        const auto* const spared =
            at->findChild<SparedFiles*>(QString(), Qt::FindDirectChildrenOnly);
        if (!spared) continue;
        try {
            spared->m_check(toPath(path));
        } catch (const InputError& error) {
            return QString::fromStdString(messageOf(error));
        }
    }
    return {};
}

}  // namespace gantry
