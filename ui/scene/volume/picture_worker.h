#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <stop_token>

namespace gantry {

/// Does one thing at a time on a thread (of the pool by default), and passes the result to the GUI
/// thread, where it is started, stopped and destroyed; destruction does not wait. The result of
/// stopped work is dropped. Tests: tests/ui/scene/volume_rendering_test.cpp
class PictureWorker : public QObject {
    Q_OBJECT

  public:
    using Done = std::function<void()>;
    using Work = std::function<Done(const std::stop_token&)>;
    using Run = std::function<void(std::function<void()>)>;

    explicit PictureWorker(QObject* parent = nullptr);
    /// run: starts it on a thread that is not one of the pool
    explicit PictureWorker(Run run);
    ~PictureWorker() override;

    [[nodiscard]] bool isBusy() const { return m_isBusy; }
    /// Runs `work`; the function that it returns is called in the GUI thread. Only while not busy.
    void start(Work work);
    void stop() { m_stop.request_stop(); }

  signals:
    /// Emitted when it is ready for more work. sentence: why the last one failed, or empty
    void finished(const QString& sentence);

  private:
    struct Mailbox;
    std::shared_ptr<Mailbox> m_mailbox;
    Run m_run;
    std::stop_source m_stop;
    bool m_isBusy = false;
};

}  // namespace gantry
