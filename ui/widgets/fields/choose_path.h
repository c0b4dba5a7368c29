#pragma once

#include <QFileDialog>
#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

namespace gantry {

/// The file or folder that the user is asked for.
struct PathQuestion {
    QString name;   ///< of the dialog, for tests
    QString title;  ///< for the user
    QString filters = {};
    QFileDialog::FileMode mode = QFileDialog::ExistingFile;
    QString start = {};  ///< a folder; empty: the last one
};

/// Asks for a path to open, over the owner's window, without blocking anything else.
/// take: gets the chosen path, unless the owner has been destroyed
/// Tests: tests/ui/panels/verify_real_piece_test.cpp, tests/ui/desktop/main_window_test.cpp
QFileDialog& choosePath(QWidget& owner, const PathQuestion& question,
                        const std::function<void(const QString& path)>& take);

/// Asks where to save. A name without an extension of one of the formats gets that of the chosen
/// format, before an existing file is asked about: "tooth 0.5mm" becomes "tooth 0.5mm.xml". Files
/// that the window has open are refused, see SparedFiles.
/// Tests: tests/ui/widgets/choose_path_test.cpp
class SaveDialog : public QFileDialog {
    Q_OBJECT

  public:
    struct Format {
        QString name;
        QStringList endings;  ///< without a point; the first is the one that is added
    };
    /// start: a folder and a name in it
    SaveDialog(QWidget* parent, const QString& title, const QString& start,
               std::vector<Format> formats);

    /// The file that is being saved, and so may be replaced though it is open.
    void setOwn(const QString& path) { m_own = path; }

  protected:
    void accept() override;

  private:
    [[nodiscard]] bool hasKnownEnding(const QString& name) const;
    [[nodiscard]] bool isFree(const QString& path);

    std::vector<Format> m_formats;
    QStringList m_filters;  // of m_formats, as shown in the dialog
    QString m_own;
};

/// Asks for a file to save to, as choosePath() asks for one to open.
/// name: of the dialog, for tests; start: a folder and a name in it
void chooseSavePath(QWidget& owner, const QString& name, const QString& title, const QString& start,
                    std::vector<SaveDialog::Format> formats,
                    const std::function<void(const QString& path)>& take);

}  // namespace gantry
