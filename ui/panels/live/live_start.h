#pragma once

#include <QWidget>

#include "core/live/live_slices.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace gantry {

/// Before live slices are there: what they are and take, a button to start them, and how far the
/// reading is.
class LiveStart : public QWidget {
    Q_OBJECT

  public:
    explicit LiveStart(QWidget* parent);

    void setNeeds(const LiveSlices::Needs& needs, bool isOnGpu);
    /// Why they cannot be started; may be empty.
    void setProblem(const QString& sentence);
    void setReading(bool isReading);
    void setFraction(double fraction);
    void setComplaint(const QString& sentence);

  signals:
    void startRequested();

  private:
    QLabel* m_needs = nullptr;
    QLabel* m_complaint = nullptr;
    QPushButton* m_start = nullptr;
    QProgressBar* m_reading = nullptr;
};

}  // namespace gantry
