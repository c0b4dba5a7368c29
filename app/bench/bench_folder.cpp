#include "app/bench/bench_folder.h"

#include <cstdlib>
#include <string>

#include "core/base/throw_error.h"

namespace gantry {

namespace fs = std::filesystem;

fs::path memoryFolder() {
    std::error_code ignored;
    const fs::path shared = "/dev/shm";
    return fs::is_directory(shared, ignored) ? shared : fs::temp_directory_path();
}

BenchFolder::BenchFolder(const fs::path& parent) {
    std::string name = (parent / "gantry-bench-XXXXXX").string();
    if (!::mkdtemp(name.data()))
        throwError<InputError>("No folder can be made in {}. Choose another one with --folder.",
                               parent.string());
    m_path = name;
}

BenchFolder::~BenchFolder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

}  // namespace gantry
