# A room is a folder of core/, ui/ or gpu/ and a static library: core/base is room "base" and
# gantry_base, ui/models is room "ui/models" and gantry_ui_models. The room "app/wiring" of app/ is
# a library too, gantry_wiring. What a room may see of the others is written once, in
# tests/lint/rooms.txt; that file decides what the library links.

set(GANTRY_ROOMS_FILE ${PROJECT_SOURCE_DIR}/tests/lint/rooms.txt)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                                             ${GANTRY_ROOMS_FILE})

# gantry_room_dependencies(<room> <out-var>): the rooms that the line of <room> in rooms.txt names,
# those of gpu/ where it is built. What those may include comes with them.
function(gantry_room_dependencies room out)
  file(STRINGS ${GANTRY_ROOMS_FILE} line REGEX "^${room}:")
  if(NOT line)
    message(FATAL_ERROR "Room '${room}' is not listed in tests/lint/rooms.txt")
  endif()
  string(REGEX REPLACE "^${room}:[ ]*" "" rooms "${line}")
  string(REGEX MATCHALL "[^ ]+" rooms "${rooms}")
  if(NOT GANTRY_GPU)
    list(FILTER rooms EXCLUDE REGEX "^gpu/")
  endif()
  set(${out} "${rooms}" PARENT_SCOPE)
endfunction()

# gantry_reachable_rooms(<room> <out-var>): all rooms that <room> may include.
function(gantry_reachable_rooms room out)
  gantry_room_dependencies(${room} found)
  foreach(other ${found})
    gantry_reachable_rooms(${other} more)
    list(APPEND found ${more})
  endforeach()
  list(REMOVE_DUPLICATES found)
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# gantry_room_target(<room> <out-var>): the library of a room.
function(gantry_room_target room out)
  string(REGEX REPLACE "^app/" "" name ${room})
  string(REPLACE "/" "_" name ${name})
  set(${out} gantry_${name} PARENT_SCOPE)
endfunction()

set(GANTRY_LIGHT_ROOMS "" CACHE STRING
    "Rooms compiled as those that are LIGHT: for builds in which no test waits for what they compute")

# gantry_room(<room> [LIGHT] [EXTERNALS <target>...] [QT <module>...] [WITHOUT <file>...]): a library of
# every .cpp in the current folder and the folders in it, but for those named. LIGHT: it computes nothing
# pixel by pixel (gantry_light_flags); sanitised, all rooms with Qt are compiled so. Externals are private:
# no header of a room may need them. Qt is what the rooms of ui/ are written in, and part of their headers.
function(gantry_room room)
  cmake_parse_arguments(arg "LIGHT" "" "EXTERNALS;QT;WITHOUT" ${ARGN})
  if(room IN_LIST GANTRY_LIGHT_ROOMS OR (arg_QT AND GANTRY_SANITIZE))
    set(arg_LIGHT TRUE)
  endif()
  gantry_room_target(${room} target)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp *.cu)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.h)
  list(TRANSFORM arg_WITHOUT PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${arg_WITHOUT})
  list(REMOVE_ITEM headers ${arg_WITHOUT})
  add_library(${target} STATIC ${sources} ${headers})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # A source includes its own header first (tests/lint/check_style.py), which shows that the header
  # compiles by itself; those without a source are compiled for that. They belong to a target of
  # their own, as an exported library would have to install them.
  list(TRANSFORM sources REPLACE "\\.cpp$" ".h" OUTPUT_VARIABLE own_headers)
  list(REMOVE_ITEM headers ${own_headers})
  add_library(${target}_headers INTERFACE)
  target_sources(${target}_headers INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                                             FILES ${headers})
  target_link_libraries(${target}_headers INTERFACE ${target})
  set_target_properties(${target}_headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  gantry_room_dependencies(${room} rooms)
  foreach(other ${rooms})
    gantry_room_target(${other} other_target)
    target_link_libraries(${target} PUBLIC ${other_target})
  endforeach()
  if(arg_QT)
    set_target_properties(${target} PROPERTIES AUTOMOC ON)
    list(TRANSFORM arg_QT PREPEND Qt6::)
    target_link_libraries(${target} PUBLIC ${arg_QT})
  endif()
  # The flags are private, but header checks are compiled as a user of the room would compile them.
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:gantry_flags> fmt::fmt
                                          ${arg_EXTERNALS})
  # libFuzzer looks for inputs that reach new code in what reads files from outside.
  if(GANTRY_FUZZ AND room MATCHES "^(base|io|describe)$")
    target_compile_options(${target}
                           PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp)
  endif()
  set(kind core)
  if("Qt6::Widgets" IN_LIST arg_QT)
    set(kind ui)
  elseif(arg_QT)
    set(kind models)
  endif()
  if(arg_LIGHT)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:gantry_light_flags>)
    string(PREPEND kind light_)
  endif()
  gantry_precompile(${target} ${kind})
  if(NOT room MATCHES "^ui/")
    gantry_install_room(${target})
  endif()
  set_property(GLOBAL APPEND PROPERTY GANTRY_ROOMS ${room})
endfunction()

# Fails the configure step where a room links another that rooms.txt does not grant it, or leaks an
# external library to those who use it.
function(gantry_check_rooms)
  get_property(rooms GLOBAL PROPERTY GANTRY_ROOMS)
  foreach(room ${rooms})
    gantry_reachable_rooms(${room} allowed)
    set(allowed_targets gantry_flags gantry_light_flags)
    foreach(other ${allowed})
      gantry_room_target(${other} other_target)
      list(APPEND allowed_targets ${other_target})
    endforeach()
    gantry_room_target(${room} room_target)
    get_target_property(linked ${room_target} LINK_LIBRARIES)
    get_target_property(exported ${room_target} INTERFACE_LINK_LIBRARIES)
    foreach(target ${linked} ${exported})
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" name "${target}")
      if(name MATCHES "^gantry_" AND NOT name IN_LIST allowed_targets)
        message(FATAL_ERROR "Room '${room}' links '${name}', which tests/lint/rooms.txt forbids")
      endif()
    endforeach()
    foreach(target ${exported})
      if(room MATCHES "^ui/" AND target MATCHES "^Qt6::")
        continue()
      endif()
      if(NOT target MATCHES "^gantry_|^\\$<LINK_ONLY:")
        message(FATAL_ERROR "Room '${room}' exports '${target}': externals are PRIVATE")
      endif()
    endforeach()
  endforeach()
endfunction()

# gantry_list_tests(<target> <prefix> <shards> [WINDOWS] [PROPERTIES <name> <value>...]): the cases of
# a test program, one by one in ctest. With a sanitizer or windows, with which a program takes up to
# half a second to start, they run in so many processes in all; 0: one by one there, too.
function(gantry_list_tests target prefix shards)
  cmake_parse_arguments(arg "WINDOWS" "" "PROPERTIES" ${ARGN})
  if(NOT shards OR NOT (GANTRY_SANITIZE OR arg_WINDOWS))
    gtest_discover_tests(${target} TEST_PREFIX ${prefix}. NO_PRETTY_VALUES
                         DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300 ${arg_PROPERTIES})
    return()
  endif()
  # The longest begin first, so that none runs alone at the end.
  if(arg_WINDOWS)
    list(APPEND arg_PROPERTIES COST 100)
  endif()
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${prefix}.${shard} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(
      ${prefix}.${shard}
      PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}"
                 TIMEOUT 600 ${arg_PROPERTIES})
  endforeach()
endfunction()

# gantry_test(<name> ROOMS <room>... [EXTERNALS <target>...] [LABELS <label>...]): one test program
# of every .cpp in the current folder.
function(gantry_test name)
  cmake_parse_arguments(arg "" "" "ROOMS;EXTERNALS;LABELS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  add_executable(gantry_test_${name} ${sources})
  list(TRANSFORM arg_ROOMS REPLACE "/" "_")
  list(TRANSFORM arg_ROOMS PREPEND gantry_)
  target_link_libraries(gantry_test_${name} PRIVATE ${arg_ROOMS} gantry_test_support gantry_flags
                                                    gantry_test_flags fmt::fmt GTest::gtest_main
                                                    ${arg_EXTERNALS})
  gantry_precompile(gantry_test_${name} test)
  gantry_sanitizer_options(gantry_test_${name})
  set(properties)
  if(arg_LABELS)
    set(properties PROPERTIES LABELS "${arg_LABELS}")
  endif()
  gantry_list_tests(gantry_test_${name} ${name} 2 ${properties})
endfunction()
