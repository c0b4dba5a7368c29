#include "core/work/iteration_state.h"

#include <algorithm>
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

// The counts in the order in which they are written.
constexpr Index InvalidPixels::*kCounts[] = {&InvalidPixels::pixels,   &InvalidPixels::zero,
                                             &InvalidPixels::negative, &InvalidPixels::saturated,
                                             &InvalidPixels::bad,      &InvalidPixels::notFinite,
                                             &InvalidPixels::zingers};

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
    if (!list.is_array() || list.size() != std::size(kCounts))
        fields.fail("invalidPixels", "is not a list of counts");
    for (std::size_t i = 0; i < std::size(kCounts); ++i) {
        if (!list[i].is_number_integer()) fields.fail("invalidPixels", "is not a list of counts");
        invalid.*kCounts[i] = list[i].get<Index>();
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

void writeIterationState(const JobDirectory& job, const IterationState& about, IterativeRun& run) {
    const fs::path path = job.file(kIterationState);
    const fs::path part = path.string() + ".part";
    const StateNumbers numbers = run.numbers();
    Json head = {{"iteration", about.iteration},
                 {"slabSlices", about.slabSlices},
                 {"inputs", about.inputs},
                 {"invalidPixels", Json::array()},
                 {"numbers", numbers.size()}};
    for (const auto count : kCounts)
        head["invalidPixels"].push_back(about.invalid.*count);
    const Index body = static_cast<Index>(numbers.size() * sizeof(double)) + run.stateBytes();
    // The size is in the line that it counts, so the line gets a fixed width.
    head["bytes"] = 0;
    std::string line = jsonText(head, -1);
    constexpr std::size_t kDigits = 20;
    const Index bytes = static_cast<Index>(line.size() + kDigits) + 1 + body;
    head["bytes"] = bytes;
    const std::size_t width = line.size() + kDigits;
    line = jsonText(head, -1);
    line.resize(width, ' ');
    line += '\n';
    {
        File file(part, File::Mode::create);
        file.writeAt(0, std::as_bytes(std::span(line)));
        const auto headBytes = static_cast<Index>(line.size());
        file.writeAt(headBytes, std::as_bytes(std::span(numbers)));
        run.save(file, headBytes + static_cast<Index>(numbers.size() * sizeof(double)));
        file.sync();
        file.close();
    }
    renameFile(part, path);
}

}  // namespace gantry
