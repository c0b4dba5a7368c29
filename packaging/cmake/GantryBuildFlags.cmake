# Flags that every target of ours is built with: all warnings, one optimised build type.

option(GANTRY_WARNINGS_AS_ERRORS
       "Stop at a warning: for those who work on Gantry. A newer compiler knows new ones" OFF)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_library(gantry_flags INTERFACE)
target_include_directories(gantry_flags INTERFACE ${PROJECT_SOURCE_DIR})

# gantry_flag(<flag>...): for every C++ source; nvcc has flags of its own, see GantryCuda.cmake.
function(gantry_flag)
  foreach(flag ${ARGN})
    target_compile_options(gantry_flags INTERFACE $<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:${flag}>)
  endforeach()
endfunction()

gantry_flag(-Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
            -Wdeprecated-copy-dtor
            # clang counts it to -Wconversion, g++ does not.
            -Wno-sign-conversion)
# And it does not know every warning of g++ that a file turns off.
target_compile_options(
  gantry_flags INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:Clang>,$<NOT:$<COMPILE_LANGUAGE:CUDA>>>:-Wno-unknown-warning-option>)

if(GANTRY_WARNINGS_AS_ERRORS)
  gantry_flag(-Werror)
endif()

if(CMAKE_UNITY_BUILD)
  # To g++ a source that another includes is a header, which must use no unnamed namespace.
  gantry_flag(-Wno-subobject-linkage)
endif()

if(GANTRY_SANITIZE)
  # A null pointer or one beyond its object is reported where it is used, and is not also looked for
  # where it is made: without that the tests take a fifth less.
  # Assertions are on; -O2 takes clang a tenth longer to compile than -O1, and its tests a sixth less;
  # frame pointers and lines (-g1) are what the reports name; more of -g would take a quarter of the
  # build's time, and lines take a third.
  if(GANTRY_SANITIZE_LINES)
    set(symbols -g1)
  else()
    set(symbols -g0)
  endif()
  gantry_flag(-fsanitize=${GANTRY_SANITIZE} -fno-sanitize-recover=all
              -fno-sanitize=null,pointer-overflow -fno-omit-frame-pointer -O2 ${symbols} -UNDEBUG)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    gantry_flag(-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/not_sanitized.txt)
  endif()
  target_link_options(gantry_flags INTERFACE -fsanitize=${GANTRY_SANITIZE})
endif()

# Behind gantry_flags: test sources are compiled more often than they are waited for. Rooms keep
# their flags, so what is tested is what users run.
add_library(gantry_test_flags INTERFACE)
if(GANTRY_SANITIZE)
  target_compile_options(gantry_test_flags INTERFACE -O0)
  # Compilers tell it in ways of their own.
  target_compile_definitions(gantry_test_flags INTERFACE GANTRY_SANITIZED)
else()
  target_compile_options(gantry_test_flags INTERFACE -O1)
endif()

# Behind gantry_flags: what computes nothing pixel by pixel, as windows, requests and hosts. Sanitised
# it compiles in half the time without the optimiser, and its tests take little longer; for users, in
# two thirds of the time with -O1.
add_library(gantry_light_flags INTERFACE)
if(GANTRY_SANITIZE)
  target_compile_options(gantry_light_flags INTERFACE -O0)
else()
  target_compile_options(gantry_light_flags INTERFACE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endif()

# mold links in a fraction of ld's time: programs of tests, and all that only those who work on Gantry
# run. The release program is linked as everywhere.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=mold GANTRY_MOLD)
if(GANTRY_MOLD)
  target_link_options(gantry_test_flags INTERFACE -fuse-ld=mold)
  if(GANTRY_SANITIZE)
    target_link_options(gantry_flags INTERFACE -fuse-ld=mold)
  endif()
endif()

if(GANTRY_COVERAGE)
  gantry_flag(--coverage)
  target_link_options(gantry_flags INTERFACE --coverage)
endif()

# gantry_sanitizer_options(<target> [DESKTOP]): how a program of ours behaves under a sanitizer.
function(gantry_sanitizer_options target)
  cmake_parse_arguments(arg "DESKTOP" "" "" ${ARGN})
  if(NOT GANTRY_SANITIZE)
    return()
  endif()
  if(arg_DESKTOP)
    set(file desktop_sanitizer_options.cpp)
  else()
    set(file sanitizer_options.cpp)
  endif()
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/packaging/cmake/${file})
endfunction()
