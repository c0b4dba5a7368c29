# What is installed beside the program, as component "development": the headers of the surface
# (app/api), the libraries behind them, and the package by which find_package(Gantry) finds them.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# gantry_install_room(<target>): its library. Its headers are not a part of the surface.
function(gantry_install_room target)
  string(REGEX REPLACE "^gantry_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT GantryTargets ARCHIVE COMPONENT development)
endfunction()

# gantry_install_surface(<folder> <header>...): the headers in that folder here, and those of the
# core that they include, which lie in a folder of their own where they are installed.
function(gantry_install_surface folder)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  foreach(header ${ARGN})
    cmake_path(GET header PARENT_PATH place)
    install(FILES ${PROJECT_SOURCE_DIR}/${header}
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gantry/surface/${place} COMPONENT development)
  endforeach()
endfunction()

# Gantry::gantry, which has all of them, and the package.
function(gantry_install_library)
  add_library(gantry_library INTERFACE)
  set_target_properties(gantry_library PROPERTIES EXPORT_NAME gantry)
  target_compile_features(gantry_library INTERFACE cxx_std_20)
  target_include_directories(
    gantry_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/gantry/surface>)
  target_link_libraries(gantry_library INTERFACE gantry_api)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/Gantry)
  install(TARGETS gantry_library EXPORT GantryTargets)
  install(EXPORT GantryTargets NAMESPACE Gantry:: DESTINATION ${folder} COMPONENT development)
  set(config ${CMAKE_CURRENT_BINARY_DIR}/GantryConfig.cmake)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/packaging/cmake/GantryConfig.cmake.in
                                ${config} INSTALL_DESTINATION ${folder})
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/GantryConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${config} ${CMAKE_CURRENT_BINARY_DIR}/GantryConfigVersion.cmake
                ${PROJECT_SOURCE_DIR}/packaging/cmake/FindBlosc.cmake
                ${PROJECT_SOURCE_DIR}/packaging/cmake/FindHdf5Serial.cmake
                ${PROJECT_SOURCE_DIR}/packaging/cmake/FindMatio.cmake
                ${PROJECT_SOURCE_DIR}/packaging/cmake/FindDcmtkData.cmake
          DESTINATION ${folder} COMPONENT development)
endfunction()
