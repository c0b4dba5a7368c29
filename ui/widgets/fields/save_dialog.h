#pragma once

#include <QFileDialog>
#include <QStringList>
#include <vector>

namespace gantry {

/// Asks where to save. A name without an extension of one of the formats gets that of the chosen
/// format, before an existing file is asked about: "tooth 0.5mm" becomes "tooth 0.5mm.xml". Files
/// that the window has open are refused, see SparedFiles.
/// Tests: tests/ui/widgets/save_dialog_test.cpp
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

}  // namespace gantry
