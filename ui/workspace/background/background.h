#pragma once

#include <QObject>
#include <QString>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "core/base/error.h"

namespace gantry {

/// Does one kind of work off the GUI thread, the newest request only: a new one asks the current
/// one to stop, and its result is dropped. All calls and all answers are on the thread of this
/// object; after its destruction nothing is delivered any more. At its end the program waits for
/// running work, so work must check its stop token several times a second.
///     m_preview.start([=](const std::stop_token& stop) { return previewView(*scan, view, stop); },
///                     [this](ViewPreview preview) { show(std::move(preview)); },
///                     [this](const QString& sentence) { complain(sentence); });
/// Tests: tests/ui/workspace/background_test.cpp
class Background : public QObject {
    Q_OBJECT

  public:
    using Failed = std::function<void(const QString& sentence)>;

    explicit Background(QObject* parent = nullptr);
    ~Background() override;

    /// work: (const std::stop_token&) -> T on a pool's thread, where it must not touch widgets;
    /// done: (T), and failed: (QString sentence) or (QString sentence, ErrorDetails), on this
    /// object's thread. Cancelled is not reported.
    template <class Work, class Done, class Failure>
    void start(Work work, Done done, Failure failed) {
        using Result = std::invoke_result_t<Work, const std::stop_token&>;
        launch([work = std::move(work), done = std::move(done),
                failed = std::move(failed)](const std::stop_token& stop) mutable -> Answer {
            try {
                auto result = std::make_shared<Result>(work(stop));
                return [done = std::move(done), result] { done(std::move(*result)); };
            } catch (const Cancelled&) {
                return {};
            } catch (const std::exception& error) {
                return [failed, sentence = sentenceOf(error), details = detailsOf(error)] {
                    if constexpr (std::is_invocable_v<Failure, QString, ErrorDetails>)
                        failed(sentence, details);
                    else
                        failed(sentence);
                };
            }
        });
    }
    /// Asks the current work to stop, without waiting for it.
    void cancel();
    [[nodiscard]] bool isBusy() const { return m_busy; }

  signals:
    void busyChanged(bool busy);

  private:
    using Answer = std::function<void()>;
    // Where a worker stores its answer; outlives the Background.
    struct Mailbox;

    [[nodiscard]] static QString sentenceOf(const std::exception& error);
    void launch(std::function<Answer(const std::stop_token&)> work);
    void deliver(quint64 generation, const Answer& answer);
    void setBusy(bool busy);

    std::shared_ptr<Mailbox> m_mailbox;
    std::stop_source m_stop;
    quint64 m_generation = 0;
    bool m_busy = false;
};

}  // namespace gantry
