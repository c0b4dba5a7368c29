#include "core/cluster/mpi/mpi_check.h"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string_view>

#include "core/base/throw_error.h"

namespace gantry {

void check(int code, const char* what) {
    if (code == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING> text = {};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    throwError<ResourceError>("MPI could not {}: {}.", what,
                              std::string_view(text.data(), static_cast<std::size_t>(length)));
}

}  // namespace gantry
