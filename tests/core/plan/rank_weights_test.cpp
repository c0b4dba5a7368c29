#include "core/plan/cluster/rank_weights.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/base/error.h"
#include "core/plan/cluster/rank_facts.h"

namespace gantry {
namespace {

RankFacts rankOn(const std::string& host, double gpus, double memoryRatio, double multiprocessors,
                 double speed = 1) {
    RankFacts rank;
    rank.host = host;
    rank.share.speed = speed;
    rank.devices = {gpus, 1e9 * gpus * memoryRatio, 1e9 * gpus, multiprocessors, 2};
    return rank;
}

std::vector<double> sharesBy(const std::string& text, const std::vector<RankFacts>& ranks,
                             Index slices = 2000) {
    return rankShares(parseRankWeights(text), ranks, slices);
}

void expectPercents(const std::vector<double>& shares, const std::vector<double>& percents,
                    double tolerance) {
    ASSERT_EQ(shares.size(), percents.size());
    for (std::size_t i = 0; i < shares.size(); ++i)
        EXPECT_NEAR(100 * shares[i], percents[i], tolerance) << i;
}

// Table I of Orr, Jimenez and Thompson, one rank a node; shares are printed to a tenth of a
// percent.
const std::vector<RankFacts> kTableOne = {rankOn("a", 3, 12, 32, 5), rankOn("b", 3, 4, 32, 7),
                                          rankOn("c", 4, 12, 52, 1), rankOn("d", 2, 8, 12, 3)};

TEST(RankWeights, HaveThePapersSchemesByName) {
    expectPercents(sharesBy("log", kTableOne), {26.2, 22.7, 34.2, 16.9}, 0.05);
    expectPercents(sharesBy("logistic", kTableOne), {27.7, 21.1, 35.7, 15.6}, 0.05);
    expectPercents(sharesBy("logistic-planes", kTableOne, 2000), {26.6, 20.6, 34.6, 18.1}, 0.05);
    expectPercents(sharesBy("logistic-planes", kTableOne, 10'000), {28.3, 20.8, 36.3, 14.6}, 0.05);
}

TEST(RankWeights, MayBeWrittenAsWeightedFunctions) {
    // Scheme 1 with the constants of node_weights.cpp.
    expectPercents(
        sharesBy(" 0.339*gpus + 0.33 * log(memory, 1, 0.092, 4.74e-1)+0.33*multiprocessors+"
                 "0.001*capability ",
                 kTableOne),
        {26.2, 22.7, 34.2, 16.9}, 0.05);
    expectPercents(sharesBy("gpus", kTableOne), {25, 25, 100.0 / 3, 50.0 / 3}, 1e-9);
    expectPercents(sharesBy("min(gpus,3)", kTableOne),
                   {300.0 / 11, 300.0 / 11, 300.0 / 11, 200.0 / 11}, 1e-9);
    EXPECT_EQ(sharesBy("2*gpus + 2*logistic(memory,5.17,4.83,-0.661)", kTableOne),
              sharesBy("gpus+logistic(memory,5.17,4.83,-0.661)", kTableOne));
}

TEST(RankWeights, AreBySpeedOrEqualOrAsNumbered) {
    expectPercents(sharesBy("measured", kTableOne),
                   {500.0 / 16, 700.0 / 16, 100.0 / 16, 300.0 / 16}, 1e-9);
    expectPercents(sharesBy("uniform", kTableOne), {25, 25, 25, 25}, 1e-9);
    expectPercents(sharesBy("2, 1,1,4", kTableOne), {25, 12.5, 12.5, 50}, 1e-9);
    expectPercents(sharesBy("d:1,a:2,c:1,b:4", kTableOne), {25, 50, 12.5, 12.5}, 1e-9);
}

TEST(RankWeights, OfAMachineAreSharedByItsRanks) {
    // Two ranks of one machine are its node: 3 GPUs, ratio 12; by their multiprocessors.
    const std::vector<RankFacts> ranks = {rankOn("b", 3, 4, 32), rankOn("a", 1, 12, 8),
                                          rankOn("c", 4, 12, 52), rankOn("d", 2, 8, 12),
                                          rankOn("a", 2, 12, 24)};
    expectPercents(sharesBy("log", ranks), {22.7, 26.2 / 4, 34.2, 16.9, 26.2 * 3 / 4}, 0.05);
    expectPercents(sharesBy("a:2,b:1,c:1,d:1", ranks), {20, 10, 20, 20, 30}, 1e-9);
}

TEST(RankWeights, ThatAreWrongAreRefusedInASentence) {
    const std::array<std::pair<const char*, const char*>, 18> wrong = {
        {{"", "empty"},
         {"fast", "'fast' is no parameter"},
         {"0,1", "not above 0"},
         {"2,-1", "not above 0"},
         {"2,,1", "a number is missing"},
         {"1e10,1", "more than 1e9"},
         {"a:2,b", "colon"},
         {"a:2,a:3", "a is there twice"},
         {"-1*gpus", "not above 0"},
         {"gpus+gpus", "gpus is there twice"},
         {"gpus+", "'' is no parameter"},
         {"exp(gpus)", "'exp' is no function"},
         {"log(gpus,1)", "log has 1 numbers"},
         {"min(gpus,4", "bracket is not closed"},
         {"log(speed,1,2,3)", "'speed' is no parameter"},
         {"logistic(memory,1,0,1)", "width 0"},
         {"min(gpus,4)*2", "a + is missing"},
         {"nan*gpus", "no parameter"}}};
    for (const auto& [text, fault] : wrong) {
        try {
            (void)parseRankWeights(text);
            ADD_FAILURE() << text << " was taken";
        } catch (const InputError& error) {
            EXPECT_NE(error.message().find(fault), std::string::npos) << error.message();
            EXPECT_NE(error.message().find("logistic-planes"), std::string::npos);
        }
    }
}

TEST(RankWeights, ForOtherRanksOrMachinesAreRefused) {
    EXPECT_THROW((void)sharesBy("2,1,1", kTableOne), InputError);
    EXPECT_THROW((void)sharesBy("a:1,b:1,c:1", kTableOne), InputError);
    // The logarithms of 4 to 12 less 3 are below 0, all of them, or all but one.
    EXPECT_THROW((void)sharesBy("log(memory,1,0,-3)", kTableOne), InputError);
    EXPECT_THROW((void)sharesBy("log(memory,1,0,-1.5)", kTableOne), InputError);
}

}  // namespace
}  // namespace gantry
