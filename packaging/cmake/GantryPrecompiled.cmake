# Headers that most sources include and that seldom change are compiled once for all targets of a
# kind: the standard library, JSON, and for the desktop and the tests Qt and GoogleTest. Sources
# still include what they use; .ci/run reads each source of the core without this and shows it.

option(GANTRY_PRECOMPILE "Precompile the headers that most sources include" ON)

# gantry_precompile(<target> <kind>): at the end of the folder, when its sources have their flags.
# kind: core, models (Qt without widgets) or ui, each also as light_core and so on; app, test or ui_test.
function(gantry_precompile target kind)
  if(GANTRY_PRECOMPILE)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL gantry_use_precompiled ${target} ${kind})")
  endif()
endfunction()

function(gantry_use_precompiled target kind)
  gantry_precompiled_library(${kind} library)
  target_precompile_headers(${target} REUSE_FROM ${library})
  # A precompiled header serves the flags that it was made with.
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_source_file_property(flags ${source} COMPILE_OPTIONS)
    if(flags)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# The library that holds a kind's precompiled header, made when it is first asked for. Its flags are
# those of the targets that use it, which clang insists on, and without which g++ may crash: rooms are
# position independent, programs as Qt wants them.
function(gantry_precompiled_library kind out)
  set(library gantry_precompiled_${kind})
  set(${out} ${library} PARENT_SCOPE)
  if(TARGET ${library})
    return()
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/packaging/cmake/precompiled)
  set(headers ${folder}/standard.h)
  add_library(${library} OBJECT ${folder}/empty.cpp)
  target_link_libraries(${library} PRIVATE gantry_flags fmt::fmt)
  if(kind MATCHES "^light_|^app$")
    target_link_libraries(${library} PRIVATE gantry_light_flags)
  endif()
  if(kind MATCHES "core|app")
    target_link_libraries(${library} PRIVATE nlohmann_json::nlohmann_json)
    list(APPEND headers ${folder}/json.h)
  endif()
  if(kind MATCHES "^(light_)?(core|models|ui)$")
    set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  if(GANTRY_DESKTOP AND kind MATCHES "models|ui|app")
    target_link_libraries(${library} PRIVATE Qt6::Core Qt6::Gui)
    list(APPEND headers ${folder}/qt.h)
  endif()
  if(GANTRY_DESKTOP AND kind MATCHES "ui|app")
    target_link_libraries(${library} PRIVATE Qt6::Widgets)
    list(APPEND headers ${folder}/widgets.h)
  endif()
  if(kind MATCHES "test")
    target_link_libraries(${library} PRIVATE gantry_test_flags GTest::gtest)
    list(APPEND headers ${folder}/gtest.h)
  endif()
  target_precompile_headers(${library} PRIVATE ${headers})
endfunction()
