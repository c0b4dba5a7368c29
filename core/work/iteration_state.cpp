#include "core/work/iteration_state.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/throw_error.h"
#include "core/recon/iterative_run.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kMaxHead = 65536;
constexpr Index kMaxNumbers = 1'000'000;

// The file's first line.
std::string headOf(const File& file) {
    std::string head(static_cast<std::size_t>(std::min(kMaxHead, file.sizeBytes())), '\0');
    file.readAt(0, std::as_writable_bytes(std::span(head)));
    const std::size_t end = head.find('\n');
    if (end == std::string::npos)
        throwError<InputError>("{} is damaged. Start the job again from the beginning.",
                               file.path().string());
    head.resize(end);
    return head;
}

InvalidPixels parseInvalid(const nlohmann::json& list, JsonFields& fields) {
    InvalidPixels invalid;
    if (!list.is_array() || list.size() != std::size(kInvalidCounts))
        fields.fail("invalidPixels", "is not a list of counts");
    for (std::size_t i = 0; i < std::size(kInvalidCounts); ++i) {
        if (!list[i].is_number_integer()) fields.fail("invalidPixels", "is not a list of counts");
        invalid.*kInvalidCounts[i] = list[i].get<Index>();
    }
    return invalid;
}

}  // namespace

std::optional<IterationState> readIterationState(const JobDirectory& job) {
    const fs::path path = job.file(kIterationState);
    if (!pathExists(path)) return std::nullopt;
    IterationState state;
    state.file = File(path, File::Mode::read);
    const std::string head = headOf(state.file);
    const nlohmann::json document = parseJson(head, path.string());
    JsonFields fields(document, path.string());
    state.iteration = fields.integer("iteration");
    state.slabSlices = fields.integer("slabSlices");
    state.inputs = fields.text("inputs");
    state.invalid = parseInvalid(fields.raw("invalidPixels"), fields);
    const Index numbers = fields.integer("numbers");
    const Index bytes = fields.integer("bytes");
    fields.finish();
    const auto headBytes = static_cast<Index>(head.size()) + 1;
    const Index slices = job.spec().volume.voxels[2];
    state.vectorsAt = headBytes + numbers * Index{sizeof(double)};
    if (numbers < 0 || numbers > kMaxNumbers || state.iteration < 0 || state.slabSlices < 1 ||
        state.slabSlices > slices || state.file.sizeBytes() != bytes || bytes < state.vectorsAt)
        throwError<InputError>("{} is damaged. Start the job again from the beginning.",
                               path.string());
    state.numbers.resize(static_cast<std::size_t>(numbers));
    state.file.readAt(headBytes, std::as_writable_bytes(std::span(state.numbers)));
    return state;
}

namespace {

// The line that says what follows.
std::string headLine(const IterationState& about, Index numbers, Index bodyBytes) {
    Json head = {{"iteration", about.iteration},
                 {"slabSlices", about.slabSlices},
                 {"inputs", about.inputs},
                 {"invalidPixels", Json::array()},
                 {"numbers", numbers}};
    for (const auto count : kInvalidCounts)
        head["invalidPixels"].push_back(about.invalid.*count);
    // The size is in the line that it counts, so the line gets a fixed width.
    head["bytes"] = 0;
    constexpr std::size_t kDigits = 20;
    const std::size_t width = jsonText(head, -1).size() + kDigits;
    head["bytes"] = static_cast<Index>(width) + 1 + bodyBytes;
    std::string line = jsonText(head, -1);
    line.resize(width, ' ');
    return line + '\n';
}

// Runs what may fail on each rank. @returns why it failed here or elsewhere; empty: nowhere
std::string together(IterativeRun& run, const std::function<void()>& work) {
    std::string failure;
    try {
        work();
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& error) {
        failure = error.message();
    }
    double failures = failure.empty() ? 0 : 1;
    run.add({&failures, 1});
    return failures > 0 && failure.empty() ? "another rank could not write its part" : failure;
}

}  // namespace

std::string writeIterationState(const JobDirectory& job, const IterationState& about,
                                IterativeRun& run) {
    const fs::path path = job.file(kIterationState);
    const fs::path part = path.string() + ".part";
    const StateNumbers numbers = run.numbers();
    const auto numberBytes = static_cast<Index>(numbers.size() * sizeof(double));
    std::string line;
    File file;
    std::string failure = together(run, [&] {
        if (!run.isFirst()) return;
        line = headLine(about, std::ssize(numbers), numberBytes + run.stateBytes());
        file = File(part, File::Mode::create);
        file.writeAt(0, std::as_bytes(std::span(line)));
        file.writeAt(std::ssize(line), std::as_bytes(std::span(numbers)));
        file.resize(std::ssize(line) + numberBytes + run.stateBytes());
    });
    // The first rank alone knows how long the line is.
    auto lineBytes = static_cast<double>(line.size());
    run.add({&lineBytes, 1});
    if (failure.empty())
        failure = together(run, [&] {
            if (!run.isFirst()) file = File(part, File::Mode::update);
            run.save(file, static_cast<Index>(lineBytes) + numberBytes);
            file.sync();
            file.close();
        });
    if (failure.empty())
        failure = together(run, [&] {
            if (run.isFirst()) renameFile(part, path);
        });
    return failure;
}

}  // namespace gantry
