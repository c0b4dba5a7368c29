#include "core/work/rank_balancer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

#include "core/base/error.h"

namespace gantry {
namespace {

// One of two ranks; the other is the test itself, which reads and writes its texts.
class OneOfTwo final : public Communicator {
  public:
    explicit OneOfTwo(int rank) : m_rank(rank) {}
    [[nodiscard]] int rank() const override { return m_rank; }
    [[nodiscard]] int size() const override { return 2; }
    [[nodiscard]] std::string broadcast(const std::string& text, const Waiting&) override {
        return text;
    }
    [[nodiscard]] std::vector<std::string> gather(const std::string&, const Waiting&) override {
        return {};
    }
    void barrier(const Waiting&) override {}
    void send(int, const std::string& text) override {
        const std::scoped_lock lock(m_mutex);
        m_sent.push_back(text);
    }
    [[nodiscard]] std::optional<RankMessage> receive() override {
        const std::scoped_lock lock(m_mutex);
        if (m_arriving.empty()) return std::nullopt;
        RankMessage message = {1 - m_rank, m_arriving.front()};
        m_arriving.pop_front();
        return message;
    }
    [[nodiscard]] bool hasGroups() const override { return false; }
    [[nodiscard]] std::unique_ptr<RankGroup> group(std::vector<int>, int) override { return {}; }
    [[nodiscard]] std::unique_ptr<RankRequests> line() override { return {}; }
    [[nodiscard]] bool leave(double) override { return true; }
    [[noreturn]] void abort(int exitCode) override { std::exit(exitCode); }

    void arrive(const std::string& text) {
        const std::scoped_lock lock(m_mutex);
        m_arriving.push_back(text);
    }
    // The next of the texts that are neither a sign of life nor a question for the time.
    std::string sent() {
        while (true) {
            {
                const std::scoped_lock lock(m_mutex);
                while (!m_sent.empty() &&
                       (m_sent.front().front() == 'a' || m_sent.front().front() == '?'))
                    m_sent.pop_front();
                if (!m_sent.empty()) {
                    const std::string text = m_sent.front();
                    m_sent.pop_front();
                    return text;
                }
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

  private:
    const int m_rank;
    std::mutex m_mutex;
    std::deque<std::string> m_sent;
    std::deque<std::string> m_arriving;
};

// Two rows of a rank each: slabs 0 and 1, and 2.
GridPlan someGrid() {
    GridPlan grid;
    grid.grid = {2, 1, Exchange::rows};
    grid.slabs = {{{0, 10}, {10, 20}, {20, 30}}, {0, 0, 1}};
    grid.views = {{0, 60}};
    grid.shares = {0.5, 0.5};
    grid.moves = true;
    return grid;
}

std::vector<RankPlan> somePlans() {
    std::vector<RankPlan> plans = {{"alpha", "CPU", 1, 1, {{0, 0, 0, {0, 60}}, {0, 0, 1, {0, 60}}}},
                                   {"beta", "CPU", 1, 1, {{1, 0, 2, {0, 60}}}}};
    plans[0].spare = {2};
    plans[1].spare = {1};
    return plans;
}

AssignedGrid someBalancer() {
    std::vector<SlabPlan> slabs;
    for (const IndexRanges& slices : someGrid().slabs.slabs)
        slabs.push_back({slices, {}});
    return {someGrid(), slabs, somePlans(), 3};
}

TEST(RankBalancer, TheFirstGivesPassesToThoseWhoAsk) {
    OneOfTwo ranks(0);
    RankWatch watch(ranks, {{"alpha", 1}, {"beta", 2}});
    ranks.arrive("wnext");  // before this one is ready
    std::vector<Index> own;
    watch.run(
        [&](const std::stop_token& stop) {
            RankBalancer balancer(
                watch, 0,
                RankBalancer::First{
                    PassScheduler(someBalancer().run()), [](int) { return 0.0; }, {}});
            EXPECT_EQ(ranks.sent(), "w2");
            while (const std::optional<Index> next = balancer.next(stop))
                own.push_back(*next);
            ranks.arrive("wnext");
            EXPECT_EQ(ranks.sent(), "w-1");
        },
        {});
    EXPECT_EQ(own, (std::vector<Index>{0, 1}));
}

TEST(RankBalancer, AnotherAsksTheFirst) {
    OneOfTwo ranks(1);
    RankWatch watch(ranks, {{"alpha", 1}, {"beta", 2}});
    watch.run(
        [&](const std::stop_token& stop) {
            RankBalancer balancer(watch, 1, std::nullopt);
            for (const Index slab : {7, 3}) {
                ranks.arrive("w" + std::to_string(slab));
                EXPECT_EQ(balancer.next(stop), slab);
                EXPECT_EQ(ranks.sent(), "wnext");
            }
            ranks.arrive("w-1");
            EXPECT_EQ(balancer.next(stop), std::nullopt);
        },
        {});
}

TEST(RankBalancer, WhoWaitsForWorkCanBeStopped) {
    OneOfTwo ranks(1);
    RankWatch watch(ranks, {{"alpha", 1}, {"beta", 2}});
    watch.run(
        [&](const std::stop_token&) {
            RankBalancer balancer(watch, 1, std::nullopt);
            std::stop_source stop;
            std::jthread later([&] { stop.request_stop(); });
            EXPECT_THROW((void)balancer.next(stop.get_token()), Cancelled);
        },
        {});
}

TEST(AssignedGrid, KeepsWhoMakesWhat) {
    AssignedGrid assigned = someBalancer();
    const PassScheduler::Run run = assigned.run();
    ASSERT_EQ(run.passes.size(), 3U);
    EXPECT_EQ(run.passes[2].row, 1);
    EXPECT_EQ(run.passes[2].slices, 10);
    EXPECT_EQ(run.shares, (std::vector<double>{0.5, 0.5}));
    EXPECT_EQ(run.fits[1], (std::vector<bool>{false, true, true})) << "0 is not spare there";

    PassScheduler scheduler(run);
    std::vector<RankPlan> plans = somePlans();
    // Row 0 then has given slab 1 away.
    assigned.take({{{1, 10, 1}, 0}}, scheduler, plans);
    EXPECT_EQ(assigned.grid().slabs.ranks, (std::vector<int>{0, 1, 1}));
    const std::string text = describe({{{1, 10, 1}, 0}}, scheduler, assigned.grid(), plans, 1);
    EXPECT_NE(text.find("Rank 0 on alpha works at"), std::string::npos) << text;
    EXPECT_NE(text.find("10 slices that it had not begun move to rank 1."), std::string::npos)
        << text;
}

}  // namespace
}  // namespace gantry
