#include "app/cli/many_jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "app/cli/over_field.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/volume/volume_format.h"
#include "core/job/job_fields.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxJobs = 1000;  // Slurm takes no larger arrays by default

using Field = FileField<JobSpec>;

// A field and the values that it is to have.
struct Sweep {
    const Field* field = nullptr;
    OptionField option;
    std::vector<std::string> values;
};

std::string_view wordOf(const Field& field) {
    return field.option.flag.substr(2);  // without "--"
}

// Fields of the options that have one value each, which is a number or one of a few words.
std::vector<const Field*> sweptFields() {
    std::vector<const Field*> fields;
    const auto isAlone = [](const Field& field) {
        return std::ranges::count(jobFields(), field.option.flag,
                                  [](const Field& each) { return each.option.flag; }) == 1;
    };
    for (const Field& field : jobFields()) {
        const FieldKind kind = field.kind();
        const bool hasOneValue =
            kind == FieldKind::number || kind == FieldKind::whole || kind == FieldKind::choice;
        const std::string_view group = field.option.group;
        const bool isOfResult =
            group == kMethodOptions || group == kIterativeOptions || group == kOutputOptions;
        if (hasOneValue && isOfResult && !field.option.flag.empty() && isAlone(field))
            fields.push_back(&field);
    }
    return fields;
}

// The words for them, with commas.
std::string sweptWords() {
    std::vector<std::string_view> words;
    std::ranges::transform(sweptFields(), std::back_inserter(words),
                           [](const Field* field) { return wordOf(*field); });
    return fmt::format("{}", fmt::join(words, ", "));
}

const Field& sweptField(const std::string& word) {
    const std::vector<const Field*> fields = sweptFields();
    const auto found =
        std::ranges::find_if(fields, [&](const Field* field) { return wordOf(*field) == word; });
    if (found != fields.end()) return **found;
    throwError<InputError>("--over has no field '{}'; it must be one of {}.", word, sweptWords());
}

Sweep sweepOf(const std::string& text) {
    OverWords words = overWords(text, "cutoff=0.5,0.8");
    Sweep sweep;
    sweep.field = &sweptField(words.field);
    sweep.option = optionOf(*sweep.field, JobSpec(), {});
    sweep.values = std::move(words.values);
    for (const std::string& value : sweep.values)
        (void)variedValue(sweep.option, std::string(sweep.field->option.flag), value);
    return sweep;
}

std::string nameOf(const fs::path& scan) {
    const fs::path whole = fs::absolute(scan).lexically_normal();
    if (whole.filename() == "scan.json" || !whole.has_filename())
        return whole.parent_path().filename().string();
    return (isFolder(whole) ? whole.filename() : whole.stem()).string();
}

// "v.ome.zarr" with "_a" is "v_a.ome.zarr", and "slices/" is "slices_a/".
fs::path withSuffix(const fs::path& output, const std::string& suffix) {
    const bool hasSlash = !output.has_filename();
    std::string name = placeOf(output).filename().string();
    std::string end;
    for (const std::string_view own : volumeFormatOf(output).extensions)
        if (own.size() > end.size() && inLowerCase(name).ends_with(own)) end = own;
    name.insert(name.size() - end.size(), suffix);
    const fs::path place = placeOf(output).parent_path() / name;
    return hasSlash ? place / "" : place;
}

void requireOwnNames(const std::vector<ReconstructionOptions>& requests) {
    std::set<fs::path> names;
    for (const ReconstructionOptions& request : requests)
        if (!names.insert(request.job.output.path).second)
            throwError<InputError>(
                "Two of the jobs would have the volume {}. Scans of one command need folders of "
                "different names, and values of --over must differ.",
                request.job.output.path.string());
}

}  // namespace

void addManyJobs(Command& command, ManyJobs& o) {
    command.requiredList("scan", o.scans, "SCAN",
                         std::string(kScanHelp) + "; with --host also several, a job each");
    command.repeated("--over", o.over, "FIELD=A,B",
                     fmt::format("With --host: a job for each of these values of an option: {}; "
                                 "with several of these, for each combination",
                                 sweptWords()));
}

std::vector<ReconstructionOptions> requestsOf(const ReconstructionOptions& base,
                                              const ManyJobs& many) {
    std::vector<ReconstructionOptions> requests;
    for (const fs::path& scan : many.scans) {
        ReconstructionOptions& request = requests.emplace_back(base);
        request.scan = scan;
        if (many.scans.size() > 1)
            request.job.output.path = withSuffix(base.job.output.path, "_" + nameOf(scan));
    }
    std::set<const Field*> fields;
    for (const std::string& text : many.over) {
        const Sweep sweep = sweepOf(text);
        if (!fields.insert(sweep.field).second)
            throwError<InputError>("--over has {} twice; give all its values together.",
                                   wordOf(*sweep.field));
        std::vector<ReconstructionOptions> all;
        if (requests.size() * sweep.values.size() > kMaxJobs)
            throwError<InputError>("--over {} makes {} jobs; there may be {} at once.", text,
                                   requests.size() * sweep.values.size(), kMaxJobs);
        for (const ReconstructionOptions& before : requests)
            for (const std::string& value : sweep.values) {
                ReconstructionOptions& request = all.emplace_back(before);
                sweep.field->assign(request.job, optionValue(sweep.option, value));
                request.job.output.path = withSuffix(
                    request.job.output.path, fmt::format("_{}_{}", wordOf(*sweep.field), value));
            }
        requests = std::move(all);
    }
    requireOwnNames(requests);
    return requests;
}

}  // namespace gantry
