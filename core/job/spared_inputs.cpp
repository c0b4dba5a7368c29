#include "core/job/spared_inputs.h"

#include "core/io/input_files.h"
#include "core/io/volume/output_names.h"
#include "core/job/job_files.h"
#include "core/job/provenance.h"

namespace gantry {

void requireInputsSpared(const JobSpec& spec, const std::filesystem::path& folder) {
    ReadFiles read;
    addScanFiles(read, spec.scan);
    read.requireApart(outputNames(spec.output.path));
    read.requireApart(provenancePath(spec.output.path));
    if (!folder.empty()) read.requireApart(filesOfJob(folder));
}

}  // namespace gantry
