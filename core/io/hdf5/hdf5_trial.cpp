#include "core/io/hdf5/hdf5_trial.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <charconv>
#include <mutex>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/base/trial_process.h"
#include "core/io/file_error.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr TrialLimits kLimits = {60, std::size_t{1} << 30, 5};

constexpr std::array kQuestions = {
    Hdf5Question::projections, Hdf5Question::dark,     Hdf5Question::flat,  Hdf5Question::badPixels,
    Hdf5Question::volume,      Hdf5Question::isVolume, Hdf5Question::parts, Hdf5Question::entries};

// How one question ended. Errors cross from process to process as their parts.
struct Answer {
    enum class Kind : char { good = 'G', fileError = 'F', inputError = 'I', memory = 'M' };
    Kind kind = Kind::good;
    ErrorCode code = ErrorCode::none;
    std::string text;  // what was asked for, a FileError's fault, or a message
};

// "G", the code as a letter, the length of the text, a line break, the text.
std::string packed(const Answer& answer) {
    return fmt::format("{}{}{}\n{}", static_cast<char>(answer.kind),
                       static_cast<char>('a' + static_cast<int>(answer.code)), answer.text.size(),
                       answer.text);
}

std::optional<Answer> unpacked(std::string_view& sent) {
    const std::size_t end = sent.find('\n');
    if (end == std::string_view::npos || end < 3) return std::nullopt;
    Answer answer;
    answer.kind = static_cast<Answer::Kind>(sent[0]);
    answer.code = static_cast<ErrorCode>(sent[1] - 'a');
    std::size_t length = 0;
    std::from_chars(sent.data() + 2, sent.data() + end, length);
    if (sent.size() - end - 1 < length) return std::nullopt;
    answer.text = sent.substr(end + 1, length);
    sent.remove_prefix(end + 1 + length);
    return answer;
}

std::string answerHere(const fs::path& path, Hdf5Question question, const std::string& entry,
                       TriedDatasets& tried) {
    switch (question) {
        case Hdf5Question::projections:
        case Hdf5Question::dark:
        case Hdf5Question::flat:
        case Hdf5Question::badPixels:
            tryHdf5Frames(path, question, entry, tried);
            return {};
        case Hdf5Question::volume:
            tryHdf5Volume(path);
            return {};
        case Hdf5Question::isVolume:
            return isHdf5VolumeHere(path) ? "1" : "";
        case Hdf5Question::parts:
            return hdf5PartsHere(path);
        case Hdf5Question::entries:
            return hdf5EntriesHere(path);
    }
    throw InternalError("a question to an HDF5 file that nobody answers");
}

Answer askHere(const fs::path& path, Hdf5Question question, const std::string& entry,
               TriedDatasets& tried) {
    try {
        return {Answer::Kind::good, ErrorCode::none, answerHere(path, question, entry, tried)};
    } catch (const FileError& error) {
        // The message has the name where another file is at fault, as a part of this one.
        if (error.path() == path) return {Answer::Kind::fileError, error.code(), error.fault()};
        return {Answer::Kind::inputError, error.code(), error.message()};
    } catch (const InputError& error) {
        return {Answer::Kind::inputError, error.code(), error.message()};
    } catch (const std::bad_alloc&) {
        return {Answer::Kind::memory, ErrorCode::none, {}};
    } catch (const ResourceError&) {
        return {Answer::Kind::memory, ErrorCode::none, {}};
    }
}

// The answers of a file to all questions; those that it did not get to say why.
struct Answers {
    std::vector<Answer> given;
    TrialEnd end = TrialEnd::returned;
    double seconds = 0;

    [[nodiscard]] bool isGood(std::size_t question) const {
        return question < given.size() && given[question].kind == Answer::Kind::good;
    }
};

Answers askOnce(const fs::path& path, const std::string& entry) {
    const std::int64_t begin = nowNs();
    const TrialAnswer trial = askAnotherProcess(
        [&](const TrialSend& send) {
            TriedDatasets tried;
            for (const Hdf5Question question : kQuestions)
                send(packed(askHere(path, question, entry, tried)));
        },
        kLimits);
    Answers answers;
    answers.end = trial.end;
    answers.seconds = secondsSince(begin);
    std::string_view sent = trial.sent;
    while (const std::optional<Answer> answer = unpacked(sent))
        answers.given.push_back(*answer);
    return answers;
}

// A file as it is now, and the entry of it that is meant.
using State = std::tuple<std::string, std::string, dev_t, ino_t, off_t, time_t, long, time_t, long>;

std::optional<State> stateOf(const fs::path& path, const std::string& entry) {
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0) return std::nullopt;
    return State{path.string(),     entry,
                 s.st_dev,          s.st_ino,
                 s.st_size,         s.st_mtim.tv_sec,
                 s.st_mtim.tv_nsec, s.st_ctim.tv_sec,
                 s.st_ctim.tv_nsec};
}

// Answers of this process' files. They are facts of the files alone, so who asked does not matter.
class Kept {
  public:
    std::optional<Answers> find(const State& state) {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_answers.find(state);
        return found == m_answers.end() ? std::nullopt : std::optional(found->second);
    }
    void keep(const State& state, const Answers& answers) {
        constexpr std::size_t kMaxFiles = 20'000;
        const std::scoped_lock lock(m_mutex);
        if (m_answers.size() >= kMaxFiles) m_answers.clear();
        m_answers.insert_or_assign(state, answers);
    }

  private:
    std::mutex m_mutex;
    std::map<State, Answers> m_answers;
};

Answers answersOf(const fs::path& path, const std::string& entry, std::size_t question) {
    constexpr double kSoon = 1;
    static Kept kept;
    const std::optional<State> state = stateOf(path, entry);
    if (!state) return askOnce(path, entry);
    if (std::optional<Answers> known = kept.find(*state))
        if (known->isGood(question) || known->seconds > kSoon) return *known;
    Answers answers = askOnce(path, entry);
    // A file that had less time than usual, as others had taken theirs, may be a good one.
    const bool hadLess =
        answers.end == TrialEnd::notTried ||
        (answers.end == TrialEnd::tookTooLong && answers.seconds < 0.9 * kLimits.cpuSeconds);
    if (!hadLess) kept.keep(*state, answers);
    return answers;
}

[[noreturn]] void refuseUnanswered(const fs::path& path, TrialEnd end) {
    if (end == TrialEnd::tookTooLong)
        throwErrorOf<FileError>(
            path,
            "is damaged, or the disk does not answer: {} s of work, or a minute, did "
            "not suffice to read where its images lie",
            kLimits.cpuSeconds);
    if (end == TrialEnd::notTried)
        throwErrorOf<FileError>(path,
                                "was not tried: other HDF5 files that are opened with it took {} s "
                                "and gave no answer; remove these",
                                TrialBudget::kWastedSeconds);
    throw FileError(path, "is damaged in a way that ends the program that reads it");
}

}  // namespace

std::string tryHdf5(const fs::path& path, Hdf5Question question, const std::string& entry) {
    const auto number = static_cast<std::size_t>(question);
    const Answers answers = answersOf(path, entry, number);
    if (number >= answers.given.size()) refuseUnanswered(path, answers.end);
    const Answer& answer = answers.given[number];
    switch (answer.kind) {
        case Answer::Kind::good:
            return answer.text;
        case Answer::Kind::fileError:
            throw FileError(path, answer.text);
        case Answer::Kind::inputError:
            throw InputError(answer.text, {.code = answer.code});
        case Answer::Kind::memory:
            throwErrorOf<FileError>(
                path,
                "is damaged, or unusual: more than {} of memory are needed to read a "
                "row of its images",
                formatBytes(static_cast<Index>(kLimits.memoryBytes)));
    }
    throw InternalError("an answer of an unknown kind");
}

}  // namespace gantry
