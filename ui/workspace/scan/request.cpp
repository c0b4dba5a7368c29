#include "ui/workspace/scan/request.h"

#include <QDir>
#include <QString>
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/filter/redundancy.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/job/job_directory.h"
#include "core/job/job_fields.h"
#include "core/remote/shell/host_scan.h"
#include "ui/models/text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kArc = "trajectory.arcDeg";
constexpr std::string_view kDirection = "trajectory.direction";
constexpr std::string_view kType = "trajectory.type";

// Fields of a trajectory are compared if both scans are of the same kind and have them; otherwise
// their whole trajectories are compared.
bool haveBoth(const FieldShape& shape, const ScanFile& a, const ScanFile& b) {
    return shape.section != "trajectory" ||
           (a.geometry.trajectory.index() == b.geometry.trajectory.index() &&
            hasField(a.geometry, shape));
}

bool isSameTrajectory(const ScanFile& a, const ScanFile& b) {
    return a.geometry.trajectory == b.geometry.trajectory;
}

bool isSameOrOfOtherTrajectories(const FileField<ScanFile>& field, const ScanFile& a,
                                 const ScanFile& b) {
    return haveBoth(field.shape, a, b) ? field.isSame(a, b) : isSameTrajectory(a, b);
}

// A field of a form may be one number of a pair, or the arc's size or direction.
bool isSamePart(const FileField<ScanFile>& field, std::string_view part, const ScanFile& a,
                const ScanFile& b) {
    if (!haveBoth(field.shape, a, b)) return isSameTrajectory(a, b);
    if (part == kDirection)
        return std::signbit(a.geometry.angles().arcDeg) == std::signbit(b.geometry.angles().arcDeg);
    if (part == kArc)
        return std::abs(a.geometry.angles().arcDeg) == std::abs(b.geometry.angles().arcDeg);
    if (field.kind() != FieldKind::pair || !part.ends_with(']')) return field.isSame(a, b);
    const std::size_t i = part.ends_with("[1]") ? 1 : 0;
    return std::get<std::vector<double>>(field.value(a))[i] ==
           std::get<std::vector<double>>(field.value(b))[i];
}

// The choice of views does not depend on the files' content.
bool isOfImages(std::string_view field) {
    if (field == kSkipViews) return false;
    return field.starts_with("projections.") || field == "detector.firstRow" ||
           field == "detector.mirrored" || field == "detector.turnDeg";
}

// A valid file name from the scan's name.
QString fileNameOf(const ScanFile& scan) {
    constexpr int kMaxLetters = 60;  // leaves room within the 255 bytes of a name
    QString name = QString::fromStdString(scan.name).simplified().left(kMaxLetters);
    if (name.isEmpty()) name = toText(scan.folder.filename());
    for (QChar& letter : name)
        if (letter == u'/' || letter == u'\\' || !letter.isPrint()) letter = u'_';
    if (name.startsWith(u'.')) name[0] = u'_';
    return name.isEmpty() ? QStringLiteral("volume") : name;
}

bool isTaken(const fs::path& output) {
    return pathExists(output) || pathExists(jobFolderFor(output));
}

Problem problemOf(const InputError& error) {
    return {Problem::Severity::error, error.field(), error.message()};
}

void checkReconstruction(const Request& request, std::vector<Problem>& problems) {
    ScanGeometry geometry;
    try {
        geometry = request.job.geometry();
    } catch (const InputError& error) {
        problems.push_back(problemOf(error));
        return;
    }
    try {
        (void)planRedundancy(geometry);
    } catch (const InputError& error) {
        problems.push_back(problemOf(error));
    }
    if (request.volumeIsFitted) {
        try {
            (void)request.job.fittedVolume();
        } catch (const InputError& error) {
            // The volume is the last one that could be fitted, so it is not the problem.
            problems.push_back(problemOf(error));
            return;
        }
    }
    for (Problem& problem : validate(request.job.volume, geometry))
        problems.push_back(std::move(problem));
    for (Problem& problem : validate(request.job.method))
        problems.push_back(std::move(problem));
}

}  // namespace

Request requestFor(const ScanFile& scan) {
    Request request;
    request.job.scan = scan;
    request.volumeIsFitted = !scan.volume.has_value();
    if (scan.volume) request.job.volume = *scan.volume;
    fitVolume(request);
    // Nobody would look for a volume beside the copy of a host's scan.
    const fs::path folder = scanOfCopy(scan.path) ? toPath(QDir::homePath()) : scan.folder;
    request.job.output.path = freeOutputPath(folder / toPath(fileNameOf(scan) + ".mha"));
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

RequestChanges changesBetween(const Request& a, const Request& b) {
    RequestChanges changes;
    changes.scan = a.job.scan.path != b.job.scan.path || a.job.scan.folder != b.job.scan.folder ||
                   !isSameScan(a.job.scan, b.job.scan);
    changes.volume =
        a.job.volume != b.job.volume || a.volumeIsFitted != b.volumeIsFitted ||
        (changes.scan && !(a.job.scan.geometry == b.job.scan.geometry)) ||
        a.job.corrections.pixels != b.job.corrections.pixels ||
        a.job.corrections.truncation.fieldOfViewMm != b.job.corrections.truncation.fieldOfViewMm;
    for (const FileField<JobSpec>& field : jobFields()) {
        if (field.isSame(a.job, b.job)) continue;
        const std::string path = field.shape.path();
        bool& part = path.starts_with("filter.")   ? changes.filter
                     : path.starts_with("prep.")   ? changes.corrections
                     : path.starts_with("output.") ? changes.output
                                                   : changes.engine;
        part = true;
    }
    return changes;
}

bool isSameScan(const ScanFile& a, const ScanFile& b) {
    const std::span<const FileField<ScanFile>> fields = scanFileFields();
    return isSameField(kDirection, a, b) &&  // also for an arc of 0
           std::ranges::all_of(fields, [&](const FileField<ScanFile>& field) {
               return isSameOrOfOtherTrajectories(field, a, b);
           });
}

bool isSameField(std::string_view name, const ScanFile& a, const ScanFile& b) {
    if (name == kType) return a.geometry.trajectory.index() == b.geometry.trajectory.index();
    const std::string_view whole = name == kDirection ? kArc : name.substr(0, name.find('['));
    const std::span<const FileField<ScanFile>> fields = scanFileFields();
    return std::ranges::all_of(fields, [&](const FileField<ScanFile>& field) {
        return field.shape.path() != whole || isSamePart(field, name, a, b);
    });
}

bool isSameImages(const ScanFile& a, const ScanFile& b) {
    const std::span<const FileField<ScanFile>> fields = scanFileFields();
    return a.folder == b.folder &&
           std::ranges::all_of(fields, [&](const FileField<ScanFile>& field) {
               return !isOfImages(field.shape.path()) || field.isSame(a, b);
           });
}

void fitVolume(Request& request) {
    if (!request.volumeIsFitted || hasError(validate(request.job.scan.geometry))) return;
    try {
        request.job.volume = request.job.fittedVolume();
    } catch (const InputError&) {
        // problemsOf() reports it.
    }
}

std::vector<Problem> problemsOf(const Request& request) {
    const ScanFile& scan = request.job.scan;
    std::vector<Problem> problems = validate(scan.geometry, scan.projections.skipViews);
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
    return std::ranges::any_of(problems, [](const Problem& problem) {
        return problem.severity == Problem::Severity::error;
    });
}

}  // namespace gantry
