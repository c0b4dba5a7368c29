#include "core/io/hdf5/hdf5_trial.h"

#include "core/base/trial_process.h"
#include "core/io/file_error.h"

namespace gantry {

void tryHdf5(const std::filesystem::path& path, const std::function<void()>& work) {
    const auto quietly = [&] {
        try {
            work();
        } catch (const InputError&) {
            // The error is thrown again, with its parts, when the file is read in this process.
        }
    };
    switch (tryInAnotherProcess(quietly)) {
        case TrialEnd::returned:
            return;
        case TrialEnd::crashed:
            throw FileError(path, "is damaged in a way that ends the program that reads it");
        case TrialEnd::tookTooLong:
            throw FileError(path,
                            "is damaged, or the disk does not answer: a minute did not "
                            "suffice to read where its images lie");
    }
}

}  // namespace gantry
