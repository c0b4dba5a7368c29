#include "core/doctor/answer_groups.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/throw_error.h"
#include "core/describe/description_format.h"
#include "core/scan/guess/described_scan.h"

namespace gantry {

namespace {

// More are not tried: later questions keep their usual answers.
constexpr std::size_t kMaxCombinations = 1024;

Answers answersOf(const ScanDescription& description, const std::vector<std::size_t>& choices) {
    Answers answers;
    for (std::size_t i = 0; i < choices.size(); ++i)
        answers[description.questions[i].name] = description.questions[i].choices[choices[i]];
    return answers;
}

std::size_t placeOfTaken(const OpenQuestion& question) {
    const auto found = std::ranges::find(question.choices, question.taken);
    return static_cast<std::size_t>(found - question.choices.begin());
}

// All combinations of choices.
std::vector<std::vector<std::size_t>> combinations(const std::vector<OpenQuestion>& questions) {
    std::vector<std::vector<std::size_t>> all = {{}};
    for (const OpenQuestion& question : questions) {
        const std::size_t usual = placeOfTaken(question);
        const bool isTried =
            !isTold(question) && all.size() * question.choices.size() <= kMaxCombinations;
        std::vector<std::vector<std::size_t>> longer;
        for (const std::vector<std::size_t>& one : all)
            for (std::size_t choice = 0; choice < question.choices.size(); ++choice) {
                if (!isTried && choice != usual) continue;
                longer.push_back(one);
                longer.back().push_back(choice);
            }
        all = std::move(longer);
    }
    return all;
}

// Nothing: these answers contradict each other, or the scan cannot be reconstructed with them.
std::optional<AnsweredScan> answered(const ScanDescription& description,
                                     std::vector<std::size_t> choices) {
    AnsweredScan result;
    try {
        const ScanFile scan =
            readScanDescription(description.file, answersOf(description, choices)).scan;
        const ProjectionFiles& first = description.scan.projections;
        Interpretation flips;
        if (scan.projections.isMirrored != first.isMirrored)
            flips.changed.push_back(Convention::columns);
        if (scan.projections.firstRowIsTop != first.firstRowIsTop)
            flips.changed.push_back(Convention::rows);
        result.read = readAs(scan.geometry, flips);
    } catch (const InputError&) {
        return std::nullopt;
    }
    if (!isUsable(result.read.geometry)) return std::nullopt;
    for (std::size_t i = 0; i < choices.size(); ++i)
        if (choices[i] != placeOfTaken(description.questions[i])) ++result.changes;
    result.choices = std::move(choices);
    return result;
}

auto flipsOf(const AnsweredScan& scan) {
    return std::pair(scan.read.isMirroredX, scan.read.isUpsideDown);
}

}  // namespace

std::size_t differences(const AnsweredScan& a, const AnsweredScan& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.choices.size(); ++i)
        if (a.choices[i] != b.choices[i]) ++count;
    return count;
}

bool isSameFlip(const AnsweredScan& a, const AnsweredScan& b) {
    return flipsOf(a) == flipsOf(b);
}

bool contains(const AnswerGroup& group, const AnsweredScan& scan) {
    return std::ranges::any_of(
        group.members, [&](const AnsweredScan& member) { return member.choices == scan.choices; });
}

std::vector<AnswerGroup> groupsOfAnswers(const ScanDescription& description, double tolerancePx) {
    std::vector<AnsweredScan> all;
    for (std::vector<std::size_t>& choices : combinations(description.questions))
        if (std::optional<AnsweredScan> one = answered(description, std::move(choices)))
            all.push_back(std::move(*one));
    if (all.empty())
        throwError<InputError>(
            "{}: whatever is answered to its open questions, the scan cannot be reconstructed",
            description.file.string());
    std::ranges::stable_sort(all, [](const AnsweredScan& a, const AnsweredScan& b) {
        const auto rank = [](const AnsweredScan& one) {
            const int flips = (one.read.isMirroredX ? 1 : 0) + (one.read.isUpsideDown ? 1 : 0);
            return std::pair(flips, one.changes);
        };
        return rank(a) < rank(b);
    });
    std::vector<AnswerGroup> groups;
    for (AnsweredScan& one : all) {
        const auto found = std::ranges::find_if(groups, [&](const AnswerGroup& group) {
            return relationBetween(group.members.front().read, one.read, tolerancePx).has_value();
        });
        AnswerGroup& group = found != groups.end() ? *found : groups.emplace_back();
        group.members.push_back(std::move(one));
    }
    return groups;
}

ScanDescription withAnswers(const ScanDescription& description, const AnsweredScan& scan) {
    return describedWithImages(description.file, answersOf(description, scan.choices));
}

}  // namespace gantry
