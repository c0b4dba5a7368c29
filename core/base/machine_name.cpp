#include "core/base/machine_name.h"

#include <unistd.h>

#include <array>

namespace gantry {

std::string machineName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace gantry
