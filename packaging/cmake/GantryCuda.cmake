# The GPU engine is built where a CUDA toolkit is; without one the program is whole but for it. The
# runtime is linked in and cuFFT is loaded when it is needed, so that the same binary starts on a
# machine without any of NVIDIA's libraries.

include(CheckLanguage)

# gantry_find_cuda(): sets GANTRY_GPU, and makes nvcc ready.
macro(gantry_find_cuda)
  set(GANTRY_GPU OFF)
  find_package(CUDAToolkit 11.8 QUIET)
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE)
    # Architectures are given as plain flags: this CMake's list of them is older than some nvcc.
    set(CMAKE_CUDA_ARCHITECTURES OFF)
    # nvcc would take the first g++ it finds, which may be newer than it knows.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CUDA_HOST_COMPILER
       AND NOT DEFINED ENV{CUDAHOSTCXX})
      set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
    endif()
    # The check knows these by the environment alone.
    if(CMAKE_CUDA_HOST_COMPILER)
      set(ENV{CUDAHOSTCXX} ${CMAKE_CUDA_HOST_COMPILER})
    endif()
    if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} ${CUDAToolkit_NVCC_EXECUTABLE})
    endif()
    if(CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
      set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
    endif()
    # Kernels keep to C++17, which every nvcc from 11.8 on takes.
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
      enable_language(CUDA)
      set(GANTRY_GPU ON)
    else()
      message(STATUS "${CUDAToolkit_NVCC_EXECUTABLE} does not work here; name a g++ that it knows "
                     "with -DCMAKE_CUDA_HOST_COMPILER=… in a new build folder")
    endif()
  endif()
  message(STATUS "GPU engine (CUDA ${CUDAToolkit_VERSION}): ${GANTRY_GPU}")
endmacro()

# gantry_cuda_code(<version> <out>): flags for all GPUs that the nvcc of that version knows and that
# we support, and PTX for those to come.
function(gantry_cuda_code version out)
  if(version VERSION_GREATER_EQUAL 13.0)
    set(${out} -arch=all PARENT_SCOPE)
    return()
  endif()
  # Before CUDA 13 "all" begins with GPUs that lack what our kernels need.
  set(architectures 70 75 80 86 87 89 90)
  if(version VERSION_GREATER_EQUAL 12.8)
    list(APPEND architectures 100 101 120)
  endif()
  if(version VERSION_GREATER_EQUAL 12.9)
    list(APPEND architectures 103 121)
  endif()
  list(SORT architectures COMPARE NATURAL)
  set(flags -Wno-deprecated-gpu-targets)
  foreach(architecture ${architectures})
    list(APPEND flags "SHELL:-gencode arch=compute_${architecture},code=sm_${architecture}")
  endforeach()
  list(GET architectures -1 last)
  list(APPEND flags "SHELL:-gencode arch=compute_${last},code=compute_${last}")
  set(${out} ${flags} PARENT_SCOPE)
endfunction()

# gantry_cuda_numbers(<out>): the architectures to build for, or "all". Without a GPU at hand these
# three: what every nvcc knows, for all newer GPUs too by PTX, and the GPUs that most clusters have.
function(gantry_cuda_numbers out)
  set(numbers ${GANTRY_CUDA_ARCHITECTURES})
  if(numbers STREQUAL "here")
    set(numbers 75 80 90)
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                    RESULT_VARIABLE failure OUTPUT_VARIABLE capabilities ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" found "${capabilities}")
    if("${failure}" STREQUAL "0" AND found)
      string(REPLACE "." "" numbers "${found}")
      list(REMOVE_DUPLICATES numbers)
    endif()
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known)
    list(FILTER numbers INCLUDE REGEX "^(75|80|86|87|89|9[0-9]|1[0-9][0-9])$")
    foreach(number ${numbers})
      if(NOT known MATCHES "compute_${number}\n")
        # A GPU newer than this nvcc runs the PTX of the newest that it knows.
        list(REMOVE_ITEM numbers ${number})
        list(APPEND numbers 90)
      endif()
    endforeach()
    list(REMOVE_DUPLICATES numbers)
  endif()
  set(${out} ${numbers} PARENT_SCOPE)
endfunction()

# gantry_cuda_flags(<target>): what every target with .cu files is built with.
function(gantry_cuda_flags target)
  gantry_cuda_numbers(numbers)
  message(STATUS "GPU architectures: ${numbers}")
  if(numbers STREQUAL "all")
    gantry_cuda_code(${CMAKE_CUDA_COMPILER_VERSION} flags)
  else()
    set(flags "")
    foreach(number ${numbers})
      list(APPEND flags "SHELL:-gencode arch=compute_${number},code=[sm_${number},compute_${number}]")
    endforeach()
  endif()
  if(GANTRY_WARNINGS_AS_ERRORS)
    list(APPEND flags -Werror=all-warnings)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${flags}>"
                                           "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>")
  # CMake 3.31 would join them too, but two kernels may use one name for their own constants.
  get_target_property(kernels ${target} SOURCES)
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
