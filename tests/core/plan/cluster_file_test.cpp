#include "core/plan/cluster/cluster_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

const char* const kSmall = R"({
  "name": "two old cards",
  "gpusPerNode": 2,
  "slabBytes": 1000000000,
  "slabGups": [[8, 50], [64, 100]],
  "filterPixelsPerSecond": 1e9,
  "linkBytesPerSecond": 12e9,
  "linksPerNode": 1,
  "gatherBytesPerSecond": 1e9,
  "reduceBytesPerSecond": 1e9,
  "loadBytesPerSecond": 2e9,
  "storeBytesPerSecond": 1e9
})";

std::string with(const std::string& what, const std::string& instead) {
    std::string text = kSmall;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), instead);
}

TEST(ClusterFile, SaysWhatTheModelNeeds) {
    const Cluster cluster = parseCluster(kSmall, "small.json");
    EXPECT_EQ(cluster.name, "two old cards");
    EXPECT_EQ(cluster.gpusPerNode, 2);
    EXPECT_EQ(cluster.coresPerNode, 0);
    EXPECT_EQ(parseCluster(with("\"linksPerNode\"", "\"coresPerNode\": 48, \"linksPerNode\""), "c")
                  .coresPerNode,
              48);
    ASSERT_EQ(cluster.rates.size(), 2U);
    EXPECT_EQ(cluster.rates[1].size, 64);
    EXPECT_EQ(cluster.rates[1].rate, 100 * double{1 << 30});
    EXPECT_EQ(cluster.storeBytes, 1e9);
    EXPECT_FALSE(cluster.uploadsWholeViews);
    EXPECT_EQ(cluster.gatherExposed, 0);
    ASSERT_EQ(cluster.gatherBytes.size(), 1U);
    EXPECT_EQ(cluster.gatherBytes.front().rate, 1e9);
    EXPECT_EQ(cluster.networkBytes + cluster.opensPerSecond + cluster.startSeconds, 0);
    EXPECT_EQ(cluster.gatheredViews, 32);
}

TEST(ClusterFile, ARateMayDependOnTheRowsThatGather) {
    const Cluster cluster = parseCluster(
        with("\"gatherBytesPerSecond\": 1e9",
             "\"gatherBytesPerSecond\": [[32, 3e9], [256, 2e9]], \"networkBytesPerSecond\": 8e9"),
        "c.json");
    ASSERT_EQ(cluster.gatherBytes.size(), 2U);
    EXPECT_EQ(cluster.gatherBytes[1].size, 256);
    EXPECT_EQ(cluster.gatherBytes[1].rate, 2e9);
    EXPECT_EQ(cluster.networkBytes, 8e9);
}

TEST(ClusterFile, NamesTheFieldThatIsWrong) {
    const auto expect = [](const std::string& text, const char* said) {
        EXPECT_ERROR((void)parseCluster(text, "c.json"), InputError, said);
    };
    expect(with("\"gpusPerNode\": 2", "\"gpusPerNode\": 0"), "gpusPerNode is 0");
    expect(with("\"gpusPerNode\": 2,", ""), "gpusPerNode");
    expect(with("1000000000", "-1"), "slabBytes");
    expect(with("[[8, 50], [64, 100]]", "[]"), "slabGups");
    expect(with("[[8, 50], [64, 100]]", "[[8, 50], [8, 100]]"), "slabGups");
    expect(with("[[8, 50], [64, 100]]", "[[8, \"50\"]]"), "slabGups");
    expect(with("[[8, 50], [64, 100]]", "[[8, 50, 3]]"), "slabGups");
    expect(with("\"linkBytesPerSecond\": 12e9", "\"linkBytesPerSecond\": 0"),
           "linkBytesPerSecond is 0");
    expect(with("\"linksPerNode\": 1", "\"linksPerNode\": 1, \"gatherExposed\": 2"),
           "gatherExposed");
    expect(with("\"linksPerNode\": 1", "\"linksPerNode\": 1, \"colour\": 2"), "colour");
    expect(with("\"linksPerNode\": 1", "\"linksPerNode\": 1, \"startSeconds\": -1"),
           "startSeconds is -1");
    expect(with("\"gatherBytesPerSecond\": 1e9", "\"gatherBytesPerSecond\": 0"),
           "gatherBytesPerSecond");
    expect("[", "c.json");
}

TEST(ClusterFile, IsFoundByPathOrName) {
    const test::TemporaryFolder folder;
    const auto path = folder / "mein 'Cluster' ü.json";
    std::ofstream(path) << kSmall;
    EXPECT_EQ(findCluster(path).gpusPerNode, 2);
    for (const std::string& name : knownClusters())
        EXPECT_FALSE(findCluster(name).name.empty()) << name;
    EXPECT_EQ(findCluster("abci").gpusPerNode, 4);
    EXPECT_ERROR((void)findCluster("summit"), InputError, "abci, h200");
}

}  // namespace
}  // namespace gantry
