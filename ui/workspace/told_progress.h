#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <string>

namespace gantry {

/// How far work in the background is, told on the GUI thread about ten times a second, whatever
/// pace the worker tells it at.
/// Tests: tests/ui/workspace/alignment_search_test.cpp
class ToldProgress : public QObject {
    Q_OBJECT

  public:
    explicit ToldProgress(QObject* parent = nullptr);
    ~ToldProgress() override;

    /// For the worker, from any thread: what is at work, and the share of the whole that is done.
    /// It may outlive this object; of two begun ones only the newest is told.
    using Teller = std::function<void(const std::string& what, double fraction)>;
    [[nodiscard]] Teller begin();
    /// Nothing more is told.
    void end();

  signals:
    void progressed(const QString& what, double fraction);

  private:
    // Where the worker says how far it is; outlives this object.
    struct Newest;
    void tell();

    std::shared_ptr<Newest> m_newest;
    QTimer m_looking;
};

}  // namespace gantry
