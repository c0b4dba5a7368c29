#pragma once

#include <QObject>
#include <QString>

class QWidget;

namespace gantry {

/// The job that the user has started in a window and has waited for since, without touching
/// anything in it. Only such a job may change what the window shows when it is done.
/// Tests: tests/ui/desktop/finished_job_test.cpp
class AwaitedJob : public QObject {
    Q_OBJECT

  public:
    explicit AwaitedJob(QWidget& window);

    void begin(const QString& folder);
    [[nodiscard]] bool is(const QString& folder) const;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void end();

    QString m_folder;  ///< empty: none
};

}  // namespace gantry
