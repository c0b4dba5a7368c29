#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <string>

namespace gantry {

/// Reports the progress of background work on the GUI thread about ten times a second, however
/// often the worker reports it.
/// Tests: tests/ui/workspace/alignment_search_test.cpp
class BackgroundProgress : public QObject {
    Q_OBJECT

  public:
    explicit BackgroundProgress(QObject* parent = nullptr);
    ~BackgroundProgress() override;

    /// For the worker, from any thread: the current step, and the part of the whole that is done.
    /// It may outlive this object; if two have been started, only the newest reports.
    using Teller = std::function<void(const std::string& what, double fraction)>;
    [[nodiscard]] Teller begin();
    /// Stops reporting.
    void end();

  signals:
    void progressed(const QString& what, double fraction);

  private:
    // Where the worker stores its progress; outlives this object.
    struct Newest;
    void tell();

    std::shared_ptr<Newest> m_newest;
    QTimer m_looking;
};

}  // namespace gantry
