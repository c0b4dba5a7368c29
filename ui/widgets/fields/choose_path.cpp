#include "ui/widgets/fields/choose_path.h"

namespace gantry {

QFileDialog& choosePath(QWidget& owner, const PathQuestion& question,
                        const std::function<void(const QString& path)>& take) {
    auto* dialog =
        new QFileDialog(owner.window(), question.title, question.start, question.filters);
    dialog->setObjectName(question.name);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(question.mode);
    dialog->setOption(QFileDialog::ShowDirsOnly, question.mode == QFileDialog::Directory);
    QObject::connect(dialog, &QFileDialog::fileSelected, &owner, take);
    dialog->open();
    return *dialog;
}

}  // namespace gantry
