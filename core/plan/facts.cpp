#include "core/plan/facts.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gantry {

bool Question::isSame(const Question& other) const {
    const auto identity = [](const Question& q) {
        return std::tie(q.about, q.engine, q.device, q.kernel, q.fast, q.hostTakes, q.of, q.place);
    };
    return identity(*this) == identity(other);
}

void Facts::add(const Question& question, Answer answer) {
    for (Fact& fact : m_all)
        if (fact.question.isSame(question)) {
            fact.answer = std::move(answer);
            return;
        }
    m_all.push_back({question, std::move(answer)});
}

const Answer* Facts::find(const Question& question) const {
    const auto found = std::ranges::find_if(
        m_all, [&](const Fact& fact) { return fact.question.isSame(question); });
    return found == m_all.end() ? nullptr : &found->answer;
}

}  // namespace gantry
