#include "core/simulate/simulation_folder.h"

#include <fmt/format.h>

#include <system_error>

#include "core/base/file.h"
#include "core/base/system_fault.h"
#include "core/base/throw_error.h"
#include "core/phantom/phantom_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

bool holdsFiles(const fs::path& folder) {
    return isFolder(folder) && !entriesOf(folder).empty();
}

bool isSimulation(const fs::path& folder) {
    return pathExists(folder / kPhantomFileName);
}

}  // namespace

fs::path startTemporary(const fs::path& folder, bool replace) {
    if (pathExists(folder) && !isFolder(folder))
        throwError<InputError>("{} is a file. Name a new folder.", folder.string());
    if (holdsFiles(folder)) {
        if (!isSimulation(folder))
            throwError<InputError>(
                "The folder {} holds other files than a simulated scan. Name a new or empty "
                "folder.",
                folder.string());
        if (!replace)
            throw InputError(
                fmt::format("The folder {} holds a simulated scan already. Name another folder.",
                            folder.string()),
                {.advice = "Or replace it with --force."});
    }
    fs::path part = folder;
    part += ".part";
    if (holdsFiles(part) && !isSimulation(part))
        throwError<InputError>("{} is in the way. Remove it.", part.string());
    std::error_code error;
    fs::remove_all(part, error);
    if (!error) fs::create_directory(part, error);
    if (error) throwSystemFault(part, "cannot be made as a folder", error.value());
    return part;
}

void takeFinalName(const fs::path& part, const fs::path& folder) {
    std::error_code ignored;
    fs::path old = folder;
    old += ".old";
    const bool replaces = holdsFiles(folder);
    // It was left by a run that was killed right after this step.
    if (replaces && isSimulation(old)) fs::remove_all(old, ignored);
    if (replaces) renameFile(folder, old);
    renameFile(part, folder);
    if (replaces) fs::remove_all(old, ignored);
}

}  // namespace gantry
