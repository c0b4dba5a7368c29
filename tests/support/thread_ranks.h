#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/cluster/rank_group.h"

namespace gantry::test {

/// Ranks that are threads of one process sit at a table.
class Table {
  public:
    explicit Table(std::vector<int> ranks) : m_ranks(std::move(ranks)) {}

    void exchange(std::size_t own, std::span<const std::span<const std::byte>> give,
                  std::span<const std::span<std::byte>> take, const std::stop_token& stop) {
        std::unique_lock lock(m_mutex);
        for (std::size_t to = 0; to < m_ranks.size(); ++to)
            if (to != own) m_sent[{own, to}].emplace_back(give[to].begin(), give[to].end());
        m_changed.notify_all();
        for (std::size_t from = 0; from < m_ranks.size(); ++from) {
            if (from == own) continue;
            auto& sent = m_sent[{from, own}];
            if (!m_changed.wait(lock, stop, [&] { return !sent.empty(); })) throw Cancelled();
            ASSERT_EQ(sent.front().size(), take[from].size());
            std::copy(sent.front().begin(), sent.front().end(), take[from].begin());
            sent.erase(sent.begin());
        }
    }
    [[nodiscard]] const std::vector<int>& ranks() const { return m_ranks; }

  private:
    std::vector<int> m_ranks;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::vector<std::byte>>> m_sent;
};

/// The place of one of them.
class Seat final : public RankGroup {
  public:
    Seat(Table& table, int rank) : m_table(table) {
        const auto& ranks = table.ranks();
        m_own = std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
    }
    [[nodiscard]] int rank() const override { return static_cast<int>(m_own); }
    [[nodiscard]] int size() const override { return static_cast<int>(m_table.ranks().size()); }
    void exchange(std::span<const std::span<const std::byte>> give,
                  std::span<const std::span<std::byte>> take, std::shared_ptr<const void>,
                  const std::stop_token& stop) override {
        m_table.exchange(static_cast<std::size_t>(m_own), give, take, stop);
    }

  private:
    Table& m_table;
    std::ptrdiff_t m_own = 0;
};

}  // namespace gantry::test
