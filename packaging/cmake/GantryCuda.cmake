# The GPU engine is built where a CUDA toolkit is; without one the program is whole but for it. The
# runtime is linked in and cuFFT is loaded when it is needed, so that the same binary starts on a
# machine without any of NVIDIA's libraries.

# gantry_find_cuda(): sets GANTRY_GPU, and makes nvcc ready.
macro(gantry_find_cuda)
  set(GANTRY_GPU OFF)
  find_package(CUDAToolkit 11.8 QUIET)
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE)
    # Architectures are given as plain flags: this CMake's list of them is older than some nvcc.
    set(CMAKE_CUDA_ARCHITECTURES OFF)
    set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE} CACHE FILEPATH "nvcc")
    if(CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
      set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
    endif()
    # Kernels keep to C++17, which every nvcc from 11.8 on takes.
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    enable_language(CUDA)
    set(GANTRY_GPU ON)
  endif()
  message(STATUS "GPU engine (CUDA ${CUDAToolkit_VERSION}): ${GANTRY_GPU}")
endmacro()

# gantry_cuda_flags(<target>): what every target with .cu files is built with.
function(gantry_cuda_flags target)
  if(GANTRY_CUDA_ARCHITECTURES STREQUAL "all")
    set(flags -arch=all)
  else()
    set(flags "")
    foreach(architecture ${GANTRY_CUDA_ARCHITECTURES})
      list(APPEND flags
           "SHELL:-gencode arch=compute_${architecture},code=[sm_${architecture},compute_${architecture}]")
    endforeach()
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${flags}>"
                                           "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>"
                                           "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>")
endfunction()
