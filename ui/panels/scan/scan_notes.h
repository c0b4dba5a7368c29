#pragma once

#include <QString>
#include <QWidget>
#include <utility>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace gantry {

/// A list of errors and warnings under a heading, each with an icon; some begin with a link. The
/// widget is hidden while the list is empty.
/// Tests: tests/ui/panels/scan_panel_test.cpp
class ScanNotes : public QWidget {
    Q_OBJECT

  public:
    struct Note {
        bool isError = false;  ///< otherwise a warning
        QString target;        ///< what chosen() reports for the link; empty: no link
        QString link;          ///< words of the link
        QString text;          ///< the words after it
        friend bool operator==(const Note&, const Note&) = default;
    };

    explicit ScanNotes(const QString& title, QWidget* parent = nullptr);
    void setNotes(const std::vector<Note>& notes);

  signals:
    /// Emitted when a link is clicked.
    void chosen(const QString& target);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void build();
    void add(const Note& note);
    void updateLabels();

    std::vector<Note> m_notes;
    std::vector<std::pair<QLabel*, QLabel*>> m_rows;  // icon and text of each note
    QVBoxLayout* m_column = nullptr;
    QWidget* m_list = nullptr;
};

}  // namespace gantry
