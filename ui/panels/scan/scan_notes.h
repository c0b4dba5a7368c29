#pragma once

#include <QString>
#include <QWidget>
#include <utility>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace gantry {

/// Sentences under a heading, each with a sign; the first words of some are a link. Nothing is
/// shown where there are none.
/// Tests: tests/ui/panels/scan_panel_test.cpp
class ScanNotes : public QWidget {
    Q_OBJECT

  public:
    struct Note {
        bool isError = false;  ///< else a warning
        QString target;        ///< what the link is to; empty: no link
        QString link;
        QString text;
        friend bool operator==(const Note&, const Note&) = default;
    };

    explicit ScanNotes(const QString& title, QWidget* parent = nullptr);
    void setNotes(const std::vector<Note>& notes);

  signals:
    void chosen(const QString& target);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void build();
    void add(const Note& note);
    void drawNotes();

    std::vector<Note> m_notes;
    std::vector<std::pair<QLabel*, QLabel*>> m_rows;  // sign and words of each
    QVBoxLayout* m_column = nullptr;
    QWidget* m_list = nullptr;
};

}  // namespace gantry
