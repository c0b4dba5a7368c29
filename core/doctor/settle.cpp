#include "core/doctor/settle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/align/find_alignment.h"
#include "core/base/error.h"
#include "core/describe/description_format.h"
#include "core/doctor/answer_groups.h"

namespace gantry {

namespace {

// The part of the time that reading takes.
constexpr double kReadShare = 0.5;
// Groups whose answers differ from the usual ones in more questions are tried only where a group
// that fits is next to them.
constexpr std::size_t kMaxFirstChanges = 2;
constexpr const char* kSurelyFound = "found on the views (sure)";
constexpr const char* kLikelyFound = "found on the views (likely)";

// Tries the answers to a description's questions, and says what the views show of each.
class Settler {
  public:
    Settler(const ScanDescription& description, const OpenScan& scan, PlanePreview& preview,
            const DiagnosisOptions& options)
        : m_options(options),
          m_questions(description.questions),
          m_trials(
              scan, preview, options.threads,
              [&](double share) { tell("Reading views", kReadShare * share); }, options.stop),
          m_groups(groupsOfAnswers(description,
                                   kToleranceShare * static_cast<double>(m_trials.binning()))) {}

    [[nodiscard]] Settlement settle(const ScanDescription& description);

  private:
    void tell(const char* what, double fraction) const {
        if (m_options.onProgress) m_options.onProgress(what, fraction);
    }
    void tryGroup(AnswerGroup& group);
    void tryAll();
    void judge();
    [[nodiscard]] bool tryNeighbours();
    [[nodiscard]] bool isTied(const AnswerGroup& group) const;
    [[nodiscard]] std::string conclude(std::size_t question) const;
    void weighAxis(std::size_t question);
    [[nodiscard]] const AnsweredScan* changedIn(std::size_t question, std::size_t choice) const;

    // Shares of a column of the trials' views below which answers are not told apart.
    static constexpr double kToleranceShare = 0.1;

    const DiagnosisOptions& m_options;
    std::vector<OpenQuestion> m_questions;
    Trials m_trials;
    std::vector<AnswerGroup> m_groups;
    const AnswerGroup* m_best = nullptr;  // the one that fits best
    AnsweredScan m_taken;
    Finding m_centre;
    bool m_fitsBadly = false;
    Index m_tried = 0;
};

void Settler::tryGroup(AnswerGroup& group) {
    tell("Trying answers",
         kReadShare + (1 - kReadShare) * static_cast<double>(m_tried) /
                          static_cast<double>(std::max<Index>(m_tried + 2, std::ssize(m_groups))));
    group.take(m_trials.run(group.members.front().read, m_options.stop));
    group.isTried = true;
    ++m_tried;
}

void Settler::judge() {
    for (const AnswerGroup& group : m_groups)
        if (group.isTried && (!m_best || group.score > m_best->score)) m_best = &group;
    for (AnswerGroup& group : m_groups)
        if (group.isTried) group.compareWith(*m_best);
}

// Whether there was a group left that differs from the best one in a single answer.
bool Settler::tryNeighbours() {
    bool isAny = false;
    for (AnswerGroup& group : m_groups) {
        const bool isNext = std::ranges::any_of(group.members, [&](const AnsweredScan& member) {
            return differences(member, m_best->members.front()) == 1;
        });
        if (group.isTried || !isNext) continue;
        tryGroup(group);
        isAny = true;
    }
    return isAny;
}

void Settler::tryAll() {
    for (AnswerGroup& group : m_groups)
        if (group.members.front().changes <= kMaxFirstChanges) tryGroup(group);
    // Where no answer near the usual ones can be reconstructed, the first one that can is the
    // start.
    if (m_tried == 0) tryGroup(m_groups.front());
    do
        judge();
    while (tryNeighbours());
}

bool Settler::isTied(const AnswerGroup& group) const {
    return group.isTried && (m_fitsBadly || !group.isBehind());
}

// The scan with another answer to one question; null: it is none that can be reconstructed.
const AnsweredScan* Settler::changedIn(std::size_t question, std::size_t choice) const {
    for (const AnswerGroup& group : m_groups)
        for (const AnsweredScan& member : group.members)
            if (member.choices[question] == choice && differences(member, m_taken) == 1)
                return &member;
    return nullptr;
}

// How the answer that is taken is known.
std::string Settler::conclude(std::size_t question) const {
    const std::size_t choice = m_taken.choices[question];
    bool isFlip = false;
    for (std::size_t other = 0; other < m_questions[question].choices.size(); ++other)
        if (const AnsweredScan* changed = other == choice ? nullptr : changedIn(question, other))
            isFlip = isFlip || !isSameFlip(*changed, m_taken);
    bool isAny = false;  // another answer that was tried
    bool isSure = true;
    bool isFittedAsWell = false;
    bool isSameViews = false;
    for (const AnswerGroup& group : m_groups) {
        const bool hasOther = std::ranges::any_of(group.members, [&](const AnsweredScan& member) {
            return member.choices[question] != choice && (isFlip || isSameFlip(member, m_taken));
        });
        if (!group.isTried || !hasOther) continue;
        isAny = true;
        isSure = isSure && group.isSurelyBehind();
        isFittedAsWell = isFittedAsWell || isTied(group);
        isSameViews = isSameViews || (isTied(group) && contains(group, m_taken));
    }
    if (!isAny) return "as usual: no other answer can be reconstructed";
    if (m_fitsBadly) return "as usual: the views contradict each other with any answer";
    if (isFlip && isSameViews) return "as usual: the views cannot tell, a mirror image is as sharp";
    if (isSameViews) return "as usual: the views cannot tell, it moves them by too little";
    if (isFittedAsWell) return "the views cannot tell: another answer fits as well";
    return isSure ? kSurelyFound : kLikelyFound;
}

// Whether two geometries differ only in where the axis is seen along u.
bool differInAxis(const ScanGeometry& a, const ScanGeometry& b) {
    if (!a.isCone() || !b.isCone()) return false;
    constexpr double kSamePx = 0.25;
    ScanGeometry same = b;
    same.detector.offsetMm[0] = a.detector.offsetMm[0];
    same.cone().sourceOffsetMm[0] = a.cone().sourceOffsetMm[0];
    for (const auto& [mine, theirs] :
         {std::pair(&same.detector.offsetMm[1], a.detector.offsetMm[1]),
          std::pair(&same.cone().sourceOffsetMm[1], a.cone().sourceOffsetMm[1])})
        if (std::abs(*mine - theirs) < kSamePx * a.detector.pitchMm[1]) *mine = theirs;
    return same == a;
}

// A sign that only moves the axis is told by where views from opposite sides put it, and is not
// sure where they put it elsewhere with both.
void Settler::weighAxis(std::size_t question) {
    OpenQuestion& asked = m_questions[question];
    const std::size_t choice = m_taken.choices[question];
    const double tolerancePx = m_trials.centreTolerancePx();
    for (std::size_t other = 0; other < asked.choices.size(); ++other) {
        const AnsweredScan* const changed = other == choice ? nullptr : changedIn(question, other);
        if (!changed || !isSameFlip(*changed, m_taken) ||
            !differInAxis(changed->read.geometry, m_taken.read.geometry))
            continue;
        const bool isOff = isCentreOff(m_centre, tolerancePx);
        if (asked.how == kSurelyFound && isOff) asked.how = kLikelyFound;
        if (asked.how == kSurelyFound || asked.how == kLikelyFound) return;
        const Finding there = m_trials.centre(changed->read, m_options.stop);
        if (!m_centre.isFound || !there.isFound || isOff == isCentreOff(there, tolerancePx)) return;
        if (isOff) {
            m_taken = *changed;
            m_centre = there;
        }
        asked.how = "found on the views by the centre of rotation (likely)";
        return;
    }
}

Settlement Settler::settle(const ScanDescription& description) {
    tryAll();
    m_fitsBadly = m_best->fitsBadly();
    const auto fewestChanges = [](const AnswerGroup* a, const AnswerGroup& b) {
        return !a || b.members.front().changes < a->members.front().changes;
    };
    const AnswerGroup* taken = nullptr;
    for (const AnswerGroup& group : m_groups)
        if (isTied(group) && fewestChanges(taken, group)) taken = &group;
    m_taken = taken->members.front();
    m_centre = m_trials.centre(m_taken.read, m_options.stop);
    for (std::size_t i = 0; i < m_questions.size(); ++i)
        if (!isTold(m_questions[i])) m_questions[i].how = conclude(i);
    for (std::size_t i = 0; i < m_questions.size() && !m_fitsBadly; ++i)
        if (!isTold(m_questions[i])) weighAxis(i);
    Settlement found;
    found.description = withAnswers(description, m_taken);
    for (std::size_t i = 0; i < m_questions.size(); ++i) {
        found.description.questions[i].how = m_questions[i].how;
        found.description.scan.origin.answers[i] = writtenAnswer(found.description.questions[i]);
    }
    found.fitsBadly = m_fitsBadly;
    found.tried = m_tried;
    found.centre = m_centre;
    found.centreTolerancePx = m_trials.centreTolerancePx();
    tell("Trying answers", 1);
    return found;
}

}  // namespace

Settlement settleQuestions(const ScanDescription& description, const OpenScan& scan,
                           PlanePreview& preview, const DiagnosisOptions& options) {
    return Settler(description, scan, preview, options).settle(description);
}

std::string sentenceOf(const OpenQuestion& question) {
    return fmt::format("{}: {}, {}", question.name, question.taken, question.how);
}

}  // namespace gantry
