#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry::test {

/// A scan of which views are damaged, missing or left out.
class DamagedScan : public testing::Test {
  protected:
    explicit DamagedScan(Index views = 60)
        : m_scan(simulated(smallScan(views, 33, 21, 410), m_folder / "scan")) {}

    std::filesystem::path file(Index view) const {
        return m_folder / "scan" / "proj" / fmt::format("proj_{:04}.tif", view);
    }
    void damage(Index view) const { std::filesystem::resize_file(file(view), 100); }
    void leaveOut(std::vector<Index> views) { m_scan.projections.skipViews = std::move(views); }
    OpenScan opened() const { return openScan(m_scan, {}, BadViews::list); }

    TemporaryFolder m_folder;
    ScanFile m_scan;
};

}  // namespace gantry::test
