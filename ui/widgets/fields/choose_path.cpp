#include "ui/widgets/fields/choose_path.h"

#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QMessageBox>
#include <algorithm>

#include "ui/models/path_text.h"
#include "ui/models/text.h"
#include "ui/widgets/fields/spared_files.h"
#include "ui/widgets/new_widget.h"

namespace gantry {

QFileDialog& choosePath(QWidget& owner, const PathQuestion& question,
                        const std::function<void(const QString& path)>& take) {
    auto* dialog =
        named(new QFileDialog(owner.window(), question.title, question.start, question.filters),
              question.name);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(question.mode);
    dialog->setOption(QFileDialog::ShowDirsOnly, question.mode == QFileDialog::Directory);
    // With the file's own name, where the dialog cannot show it.
    QObject::connect(dialog, &QFileDialog::fileSelected, &owner,
                     [take](const QString& path) { take(toText(toPath(path))); });
    dialog->open();
    return *dialog;
}

SaveDialog::SaveDialog(QWidget* parent, const QString& title, const QString& start,
                       std::vector<Format> formats)
    : QFileDialog(parent, title, start), m_formats(std::move(formats)) {
    // The name can be completed only in Qt's own dialog.
    setOption(QFileDialog::DontUseNativeDialog);
    setAcceptMode(QFileDialog::AcceptSave);
    setFileMode(QFileDialog::AnyFile);
    for (const Format& format : m_formats)
        m_filters << QString("%1 (*.%2)").arg(format.name, format.endings.join(" *."));
    setNameFilters(m_filters);
}

bool SaveDialog::hasKnownEnding(const QString& name) const {
    return std::ranges::any_of(m_formats, [&](const Format& format) {
        return std::ranges::any_of(format.endings, [&](const QString& ending) {
            return name.endsWith('.' + ending, Qt::CaseInsensitive);
        });
    });
}

void chooseSavePath(QWidget& owner, const QString& name, const QString& title, const QString& start,
                    std::vector<SaveDialog::Format> formats,
                    const std::function<void(const QString& path)>& take) {
    auto* dialog = named(new SaveDialog(owner.window(), title, start, std::move(formats)), name);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QFileDialog::fileSelected, &owner, take);
    dialog->open();
}

void SaveDialog::accept() {
    auto* edit = findChild<QLineEdit*>("fileNameEdit");
    const QString name = edit ? edit->text().trimmed() : QString();
    const auto format = std::max(0, static_cast<int>(m_filters.indexOf(selectedNameFilter())));
    if (!name.isEmpty() && !hasKnownEnding(name) && !QDir(directory().filePath(name)).exists())
        edit->setText(name + '.' + m_formats[format].endings.first());
    if (edit && !isFree(directory().absoluteFilePath(edit->text().trimmed()))) return;
    QFileDialog::accept();
}

bool SaveDialog::isFree(const QString& path) {
    if (!m_own.isEmpty() && QFileInfo(path) == QFileInfo(m_own)) return true;
    const QString unclear = reasonAgainstPath(path);
    const QString problem = unclear.isEmpty() ? SparedFiles::problemWith(*this, path) : unclear;
    if (problem.isEmpty()) return true;
    auto* box =
        named(new QMessageBox(QMessageBox::Warning, windowTitle(), problem, QMessageBox::Ok, this),
              "sparedFileBox");
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
    return false;
}

}  // namespace gantry
