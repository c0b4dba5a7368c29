#include "core/job/facts_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

Question about(Question::About what, int device, const std::string& of) {
    Question question;
    question.about = what;
    question.engine = EngineKind::gpu;
    question.device = device;
    question.of = of;
    return question;
}

KernelFacts kernelFacts(const Kernel& kernel, double updatesPerSecond,
                        const std::string& whyNoFilter = {}) {
    KernelFacts facts;
    facts.choice.kernel = kernel;
    facts.choice.updatesPerSecond = updatesPerSecond;
    facts.choice.slices = 96;
    facts.choice.columnSlices = 32.5;
    facts.whyNoFilter = whyNoFilter;
    return facts;
}

Facts someFacts() {
    Facts facts;
    Question kernel = about(Question::About::kernel, 3, "volume 2^9, \"odd\" words");
    kernel.kernel = "tile";
    kernel.fast = true;
    facts.add(kernel, kernelFacts({"tile-8x8x128", false, 128, true}, 1.5e12, "no cuFFT"));
    facts.add(about(Question::About::kernel, 4, "busy"),
              DeviceFailure{"GPU 4 is busy.",
                            {.code = ErrorCode::deviceMemory, .advice = "Wait.", .field = "x"}});
    facts.add(about(Question::About::device, 3, "columns"), DeviceRates{1e10, 2e10, 3e9});
    Question host = about(Question::About::host, 0, "threads");
    host.hostTakes = ViewState::prepared;
    facts.add(host, HostRates{1e9, 2e8, 0});
    facts.add(about(Question::About::storage, 0, "/out put"),
              StorageRate{5e8, {{"raw uint16", 2e8}}});
    return facts;
}

TEST(FactsJson, AreReadBackAsTheyWereWritten) {
    const Facts facts = someFacts();
    const std::string text = toJson(facts).dump();
    const Facts again = parseFacts(nlohmann::json::parse(text), "answer");
    ASSERT_EQ(again.all().size(), 5U);
    EXPECT_EQ(toJson(again).dump(), text);
    for (const Facts::Fact& fact : facts.all()) {
        const Answer* answer = again.find(fact.question);
        ASSERT_TRUE(answer) << fact.question.of;
        EXPECT_EQ(answer->index(), fact.answer.index());
    }
    const auto* kernel = again.find<KernelFacts>(facts.all()[0].question);
    EXPECT_EQ(kernel->choice.kernel, (Kernel{"tile-8x8x128", false, 128, true}));
    EXPECT_EQ(kernel->choice.updatesPerSecond, 1.5e12);
    EXPECT_EQ(kernel->choice.slices, 96);
    EXPECT_EQ(kernel->choice.columnSlices, 32.5);
    EXPECT_EQ(kernel->whyNoFilter, "no cuFFT");
    const auto* failure = again.find<DeviceFailure>(facts.all()[1].question);
    EXPECT_EQ(failure->message, "GPU 4 is busy.");
    EXPECT_EQ(failure->details.code, ErrorCode::deviceMemory);
    EXPECT_EQ(again.find<DeviceRates>(facts.all()[2].question)->downloadBytes, 2e10);
    EXPECT_EQ(again.find<HostRates>(facts.all()[3].question)->preparePixels, 2e8);
    EXPECT_EQ(again.find<StorageRate>(facts.all()[4].question)->bytes, 5e8);
    EXPECT_EQ(again.find<StorageRate>(facts.all()[4].question)->of("raw uint16"), 2e8);
}

TEST(FactsJson, DamagedOnesAreRefused) {
    for (const auto& [pointer, value] :
         {std::pair<const char*, nlohmann::json>{"/0/question/about", "mood"},
          {"/0/question/device", "three"},
          {"/0/answer/kernel", 7},
          {"/0/answer/updatesPerSecond", nullptr},
          {"/2/answer/more", 1},
          {"/4/answer", {}}}) {
        nlohmann::json list = nlohmann::json::parse(toJson(someFacts()).dump());
        list[nlohmann::json::json_pointer(pointer)] = value;
        EXPECT_ERROR((void)parseFacts(list, "answer"), InputError, "answer");
    }
}

TEST(FactsJson, DevicesAreReadBack) {
    const std::vector<DeviceFacts> devices = {{2, "NVIDIA \"H200\"", 150'000'000'000, 1}};
    const auto again = parseDeviceFacts(nlohmann::json::parse(toJson(devices).dump()), "answer");
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].number, 2);
    EXPECT_EQ(again[0].name, "NVIDIA \"H200\"");
    EXPECT_EQ(again[0].memoryBytes, 150'000'000'000);
    EXPECT_EQ(again[0].freeBytes, 1);
}

TEST(Facts, OneAnswerAQuestion) {
    Facts facts;
    Question asked = about(Question::About::kernel, 1, "small");
    asked.rows = {3, 9};
    facts.add(asked, kernelFacts({"tile"}, 1));
    Question other = asked;
    other.rows = {0, 50};
    other.slices = 9;
    EXPECT_TRUE(facts.find(other)) << "what it is measured on is no part of the question";
    facts.add(other, kernelFacts({"tile"}, 2));
    EXPECT_EQ(facts.all().size(), 1U);
    EXPECT_EQ(facts.find<KernelFacts>(asked)->choice.updatesPerSecond, 2);
    EXPECT_FALSE(facts.find<DeviceRates>(asked));
    const auto differs = [&](void (*change)(Question&)) {
        Question question = asked;
        change(question);
        return facts.find(question) == nullptr;
    };
    EXPECT_TRUE(differs([](Question& q) { q.about = Question::About::device; }));
    EXPECT_TRUE(differs([](Question& q) { q.engine = EngineKind::cpu; }));
    EXPECT_TRUE(differs([](Question& q) { q.device = 0; }));
    EXPECT_TRUE(differs([](Question& q) { q.kernel = "standard"; }));
    EXPECT_TRUE(differs([](Question& q) { q.fast = true; }));
    EXPECT_TRUE(differs([](Question& q) { q.hostTakes = ViewState::stored; }));
    EXPECT_TRUE(differs([](Question& q) { q.of = "large"; }));
}

}  // namespace
}  // namespace gantry
