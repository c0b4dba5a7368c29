#include "ui/workspace/background/background.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <atomic>
#include <chrono>
#include <latch>
#include <new>
#include <thread>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

const Background::Failed kNoFailure = [](const QString& sentence) {
    ADD_FAILURE() << sentence.toStdString();
};

// Works until it is told to stop.
int workOn(const std::stop_token& stop) {
    while (!stop.stop_requested())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw Cancelled();
}

TEST(Background, WorksElsewhereAndAnswersHere) {
    Background background;
    QSignalSpy busy(&background, &Background::busyChanged);
    std::thread::id worker;
    std::thread::id answerer;
    background.start([&](const std::stop_token&) { return worker = std::this_thread::get_id(); },
                     [&](std::thread::id) { answerer = std::this_thread::get_id(); }, kNoFailure);
    EXPECT_TRUE(background.isBusy());
    ASSERT_TRUE(test::waitUntil([&] { return !background.isBusy(); }));
    EXPECT_EQ(answerer, std::this_thread::get_id());
    EXPECT_NE(worker, answerer);
    EXPECT_EQ(busy.count(), 2);
}

TEST(Background, OnlyTheNewestRequestIsAnswered) {
    Background background;
    std::vector<int> answers;
    for (int i = 0; i < 50; ++i)
        background.start([i](const std::stop_token&) { return i; },
                         [&](int answer) { answers.push_back(answer); }, kNoFailure);
    ASSERT_TRUE(test::waitUntil([&] { return !background.isBusy(); }));
    test::pass(50);
    EXPECT_EQ(answers, std::vector<int>{49});
}

TEST(Background, TheSupersededIsToldToStop) {
    Background background;
    std::latch begun(1);
    std::atomic<bool> stopped = false;
    background.start(
        [&](const std::stop_token& stop) {
            begun.count_down();
            while (!stop.stop_requested())
                std::this_thread::yield();
            stopped = true;
            return 1;
        },
        [](int) { ADD_FAILURE() << "was superseded"; }, kNoFailure);
    begun.wait();
    int answer = 0;
    background.start([](const std::stop_token&) { return 2; }, [&](int value) { answer = value; },
                     kNoFailure);
    EXPECT_TRUE(test::waitUntil([&] { return answer == 2 && stopped; }));
}

TEST(Background, ErrorsBecomeSentences) {
    Background background;
    QString sentence;
    const auto fail = [&](auto error) {
        sentence.clear();
        background.start([error](const std::stop_token&) -> int { throw error; },
                         [](int) { ADD_FAILURE() << "has failed"; },
                         [&](const QString& text) { sentence = text; });
        EXPECT_TRUE(test::waitUntil([&] { return !background.isBusy(); }));
    };
    fail(InputError("nuß.json is missing", {.advice = "Use --scan."}));
    EXPECT_EQ(sentence, QString("nuß.json is missing."));
    fail(std::bad_alloc());
    EXPECT_TRUE(sentence.contains("memory"));
    fail(Cancelled());
    EXPECT_TRUE(sentence.isEmpty());
}

TEST(Background, NothingIsToldAfterCancel) {
    Background background;
    std::latch done(1);
    background.start(
        [&](const std::stop_token&) {
            done.count_down();
            return 1;
        },
        [](int) { ADD_FAILURE() << "was cancelled"; }, kNoFailure);
    done.wait();
    background.cancel();
    EXPECT_FALSE(background.isBusy());
    test::pass(50);
}

TEST(Background, AnAnswerMayEndIt) {
    auto background = std::make_unique<Background>();
    background->start([](const std::stop_token&) { return 1; }, [&](int) { background.reset(); },
                      kNoFailure);
    EXPECT_TRUE(test::waitUntil([&] { return !background; }));
}

TEST(Background, WhoHearsThatItIsFreeMayStartItAnewOrEndIt) {
    auto background = std::make_unique<Background>();
    bool again = true;
    QObject::connect(background.get(), &Background::busyChanged, [&](bool busy) {
        if (busy) return;
        if (again) {
            again = false;
            background->start([](const std::stop_token&) { return 2; },
                              [](int) { ADD_FAILURE() << "has ended"; }, kNoFailure);
        } else {
            background.reset();
        }
    });
    background->start([](const std::stop_token&) { return 1; },
                      [](int) { ADD_FAILURE() << "was superseded"; }, kNoFailure);
    EXPECT_TRUE(test::waitUntil([&] { return !background; }));
}

TEST(Background, EndsAtAnyMoment) {
    for (int i = 0; i < 300; ++i) {
        Background background;
        background.start([](const std::stop_token&) { return 1; },
                         [](int) { ADD_FAILURE() << "has ended"; }, kNoFailure);
        if (i % 3 == 0)
            background.start(
                workOn, [](int) { ADD_FAILURE() << "has ended"; }, kNoFailure);
        if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(i));
    }
    test::pass(20);
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(10'000));
}

TEST(Background, QuickWorkDoesNotWaitForSlowWork) {
    Background slow[4];
    for (Background& one : slow)
        one.start(
            workOn, [](int) {}, kNoFailure);
    Background quick;
    bool done = false;
    quick.start([](const std::stop_token&) { return 1; }, [&](int) { done = true; }, kNoFailure);
    EXPECT_TRUE(test::waitUntil([&] { return done; }));
}

}  // namespace
}  // namespace gantry
