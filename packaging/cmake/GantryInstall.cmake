# What is installed beside the program, as component "development": the libraries and headers of the
# rooms of core/, gpu/ and app/wiring, and the package by which find_package(Gantry) finds them.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# gantry_install_room(<target>): its library, and its headers so that one include folder makes
# #include "core/base/error.h" work as it does here.
function(gantry_install_room target)
  string(REGEX REPLACE "^gantry_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  set(headers DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gantry COMPONENT development)
  install(TARGETS ${target} EXPORT GantryTargets
          ARCHIVE COMPONENT development
          FILE_SET HEADERS ${headers}
          FILE_SET without_source ${headers})
endfunction()

# Gantry::gantry, which has all of them, and the package.
function(gantry_install_library)
  add_library(gantry_library INTERFACE)
  set_target_properties(gantry_library PROPERTIES EXPORT_NAME gantry)
  target_compile_features(gantry_library INTERFACE cxx_std_20)
  target_link_libraries(gantry_library INTERFACE gantry_wiring gantry_work gantry_simulate)
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
          DESTINATION ${folder} COMPONENT development)
endfunction()
