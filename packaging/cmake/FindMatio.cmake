# Matio::Matio, the C library that reads MATLAB's files. It brings no package of CMake's own.

include(FindPackageHandleStandardArgs)
find_path(Matio_INCLUDE_DIR matio.h)
find_library(Matio_LIBRARY NAMES matio)
mark_as_advanced(Matio_INCLUDE_DIR Matio_LIBRARY)
find_package_handle_standard_args(Matio REQUIRED_VARS Matio_LIBRARY Matio_INCLUDE_DIR)

if(Matio_FOUND AND NOT TARGET Matio::Matio)
  add_library(Matio::Matio UNKNOWN IMPORTED)
  set_target_properties(Matio::Matio PROPERTIES IMPORTED_LOCATION ${Matio_LIBRARY}
                                                INTERFACE_INCLUDE_DIRECTORIES ${Matio_INCLUDE_DIR})
endif()
