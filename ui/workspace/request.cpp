#include "ui/workspace/request.h"

#include <QString>
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/filter/redundancy.h"
#include "core/job/job_directory.h"
#include "core/prep/rectify.h"
#include "ui/models/text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

struct Field {
    std::string_view name;
    bool (*isSame)(const ScanFile& a, const ScanFile& b);
};

using S = const ScanFile&;

// Of scan.json, by their names there.
constexpr Field kFields[] = {
    {"name", [](S a, S b) { return a.name == b.name; }},
    {"trajectory.sourceToIsocenterMm",
     [](S a, S b) { return a.geometry.sourceToIsocenterMm == b.geometry.sourceToIsocenterMm; }},
    {"trajectory.sourceToDetectorMm",
     [](S a, S b) { return a.geometry.sourceToDetectorMm == b.geometry.sourceToDetectorMm; }},
    {"trajectory.sourceOffsetMm",
     [](S a, S b) { return a.geometry.sourceOffsetMm == b.geometry.sourceOffsetMm; }},
    {"trajectory.startDeg", [](S a, S b) { return a.geometry.startDeg == b.geometry.startDeg; }},
    {"trajectory.arcDeg",
     [](S a, S b) { return std::abs(a.geometry.arcDeg) == std::abs(b.geometry.arcDeg); }},
    {"trajectory.direction",
     [](S a, S b) { return std::signbit(a.geometry.arcDeg) == std::signbit(b.geometry.arcDeg); }},
    {"trajectory.anglesDeg", [](S a, S b) { return a.geometry.anglesDeg == b.geometry.anglesDeg; }},
    {"trajectory.views", [](S a, S b) { return a.geometry.views == b.geometry.views; }},
    {"detector.columns",
     [](S a, S b) { return a.geometry.detector.columns == b.geometry.detector.columns; }},
    {"detector.rows",
     [](S a, S b) { return a.geometry.detector.rows == b.geometry.detector.rows; }},
    {"detector.pitchMm",
     [](S a, S b) { return a.geometry.detector.pitchMm == b.geometry.detector.pitchMm; }},
    {"detector.offsetMm[0]",
     [](S a, S b) { return a.geometry.detector.offsetMm[0] == b.geometry.detector.offsetMm[0]; }},
    {"detector.offsetMm[1]",
     [](S a, S b) { return a.geometry.detector.offsetMm[1] == b.geometry.detector.offsetMm[1]; }},
    {"detector.rollDeg",
     [](S a, S b) { return a.geometry.detector.rollDeg == b.geometry.detector.rollDeg; }},
    {"detector.tiltDeg",
     [](S a, S b) { return a.geometry.detector.tiltDeg == b.geometry.detector.tiltDeg; }},
    {"detector.slantDeg",
     [](S a, S b) { return a.geometry.detector.slantDeg == b.geometry.detector.slantDeg; }},
    {"detector.firstRow",
     [](S a, S b) { return a.projections.firstRowIsTop == b.projections.firstRowIsTop; }},
    {"projections.files", [](S a, S b) { return a.projections.files == b.projections.files; }},
    {"projections.kind", [](S a, S b) { return a.projections.kind == b.projections.kind; }},
    {"projections.dark", [](S a, S b) { return a.projections.dark == b.projections.dark; }},
    {"projections.flat", [](S a, S b) { return a.projections.flat == b.projections.flat; }},
    {"projections.flatValue",
     [](S a, S b) { return a.projections.flatValue == b.projections.flatValue; }},
    {"projections.saturationValue",
     [](S a, S b) { return a.projections.saturationValue == b.projections.saturationValue; }},
    {kSkipViews, [](S a, S b) { return a.projections.skipViews == b.projections.skipViews; }},
    {"projections.badPixels",
     [](S a, S b) { return a.projections.badPixels == b.projections.badPixels; }},
};

// Which views are left out does not depend on the files' content.
bool isOfImages(std::string_view field) {
    if (field == kSkipViews) return false;
    return field.starts_with("projections.") || field == "detector.firstRow";
}

// A name that a file can have, of whatever the scan is called.
QString fileNameOf(const ScanFile& scan) {
    constexpr int kMostLetters = 60;  // leaves room within the 255 bytes of a name
    QString name = QString::fromStdString(scan.name).simplified().left(kMostLetters);
    if (name.isEmpty()) name = toText(scan.folder.filename());
    for (QChar& letter : name)
        if (letter == u'/' || letter == u'\\' || !letter.isPrint()) letter = u'_';
    if (name.startsWith(u'.')) name[0] = u'_';
    return name.isEmpty() ? QStringLiteral("volume") : name;
}

// As a scan.json in that folder names it: relative where it lies in there.
std::string namedFrom(const fs::path& folder, const fs::path& file) {
    const fs::path whole = fs::absolute(file).lexically_normal();
    const fs::path relative = whole.lexically_relative(fs::absolute(folder).lexically_normal());
    const bool isInside = !relative.empty() && *relative.begin() != "..";
    return (isInside ? relative : whole).string();
}

bool isTaken(const fs::path& output) {
    return pathExists(output) || pathExists(jobFolderFor(output));
}

Problem problemOf(const InputError& error) {
    return {Problem::Severity::error, error.field(), error.message()};
}

void checkReconstruction(const Request& request, std::vector<Problem>& problems) {
    const ScanGeometry& geometry = request.job.scan.geometry;
    try {
        (void)planRedundancy(Rectifier(geometry).alignedGeometry());
    } catch (const InputError& error) {
        problems.push_back(problemOf(error));
    }
    if (request.volumeIsFitted) {
        try {
            (void)fitGrid(geometry);
        } catch (const InputError& error) {
            // The volume is the last one that fitted, so it is not the problem.
            problems.push_back(problemOf(error));
            return;
        }
    }
    for (Problem& problem : validate(request.job.volume, geometry))
        problems.push_back(std::move(problem));
}

}  // namespace

Request requestFor(const ScanFile& scan) {
    Request request;
    request.job.scan = scan;
    request.volumeIsFitted = !scan.volume.has_value();
    if (scan.volume) request.job.volume = *scan.volume;
    fitVolume(request);
    request.job.output.path = freeOutputPath(scan.folder / toPath(fileNameOf(scan) + ".mha"));
    return request;
}

fs::path freeOutputPath(const fs::path& wanted) {
    if (!wanted.has_filename() && wanted.has_relative_path())
        return freeOutputPath(wanted.parent_path()) / "";
    fs::path path = wanted;
    for (int number = 2; isTaken(path); ++number) {
        path = wanted;
        path.replace_filename(wanted.stem().string() + "-" + std::to_string(number) +
                              wanted.extension().string());
    }
    return path;
}

bool isSame(const Request& a, const Request& b) {
    const auto rest = [](const Request& request) {
        const JobSpec& job = request.job;
        return std::tie(job.scan.path, job.scan.folder, job.volume, job.filter.window,
                        job.filter.cutoff, job.output.path, job.output.type, job.output.range,
                        job.engine, job.cpuKernel, job.gpuKernel, job.fast, job.filterOn,
                        job.devices, job.deviceMemoryBytes, job.threads, job.memoryBytes,
                        job.batchViews, job.checksumInput, request.volumeIsFitted);
    };
    return rest(a) == rest(b) && isSameScan(a.job.scan, b.job.scan);
}

bool isSameScan(const ScanFile& a, const ScanFile& b) {
    return std::all_of(std::begin(kFields), std::end(kFields),
                       [&](const Field& field) { return field.isSame(a, b); });
}

bool isSameField(std::string_view name, const ScanFile& a, const ScanFile& b) {
    return std::all_of(std::begin(kFields), std::end(kFields), [&](const Field& field) {
        // Both numbers of a pair, and every angle of a list, may have one field.
        const bool isNamed = field.name == name || field.name == name.substr(0, name.find('['));
        return !isNamed || field.isSame(a, b);
    });
}

bool isSameImages(const ScanFile& a, const ScanFile& b) {
    return a.folder == b.folder &&
           std::all_of(std::begin(kFields), std::end(kFields), [&](const Field& field) {
               return !isOfImages(field.name) || field.isSame(a, b);
           });
}

void fitVolume(Request& request) {
    const ScanGeometry& geometry = request.job.scan.geometry;
    if (!request.volumeIsFitted || hasError(validate(geometry))) return;
    try {
        request.job.volume = fitGrid(geometry);
    } catch (const InputError&) {
        // problemsOf() reports it.
    }
}

std::vector<Problem> problemsOf(const Request& request) {
    const ScanFile& scan = request.job.scan;
    std::vector<Problem> problems = validate(scan.geometry);
    if (!hasError(problems)) checkReconstruction(request, problems);
    const ProjectionFiles& files = scan.projections;
    if (files.kind == ProjectionKind::counts && files.flat.empty() && !files.flatValue)
        problems.push_back({Problem::Severity::error, "projections.flat",
                            "is missing; counts need flat-field images or the open beam's counts",
                            true});
    std::stable_partition(problems.begin(), problems.end(), [](const Problem& problem) {
        return problem.severity == Problem::Severity::error;
    });
    return problems;
}

bool hasError(const std::vector<Problem>& problems) {
    return std::any_of(problems.begin(), problems.end(), [](const Problem& problem) {
        return problem.severity == Problem::Severity::error;
    });
}

void moveScan(ScanFile& scan, const fs::path& path) {
    const fs::path folder = path.parent_path();
    if (folder != scan.folder) {
        ProjectionFiles& files = scan.projections;
        for (std::string* pattern : {&files.files, &files.dark, &files.flat, &files.badPixels})
            if (!pattern->empty()) *pattern = namedFrom(folder, scan.folder / *pattern);
    }
    scan.folder = folder;
    scan.path = path;
}

}  // namespace gantry
