#pragma once

#include <QWidget>

class QLabel;

namespace gantry {

/// The content of an empty panel: one centred sentence on how to fill it, and a button that does so
/// if there is one ("Open a scan to see its projections." [Open…]).
/// Tests: tests/ui/widgets/placeholder_test.cpp
class Placeholder : public QWidget {
    Q_OBJECT

  public:
    /// buttonText: empty for none.
    explicit Placeholder(const QString& sentence, const QString& buttonText = {},
                         QWidget* parent = nullptr);
    void setSentence(const QString& sentence);

  signals:
    void clicked();

  private:
    QLabel* m_sentence = nullptr;
};

}  // namespace gantry
