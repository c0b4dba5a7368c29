# DcmtkData::DcmtkData, what DCMTK needs to read and write DICOM files. Its own package names all of
# its libraries and tools, and fails where one of those is not installed.

include(FindPackageHandleStandardArgs)
find_path(DcmtkData_INCLUDE_DIR dcmtk/dcmdata/dctk.h)
find_library(DcmtkData_LIBRARY NAMES dcmdata)
find_library(DcmtkData_LOG_LIBRARY NAMES oflog)
find_library(DcmtkData_STD_LIBRARY NAMES ofstd)
mark_as_advanced(DcmtkData_INCLUDE_DIR DcmtkData_LIBRARY DcmtkData_LOG_LIBRARY
                 DcmtkData_STD_LIBRARY)
find_package_handle_standard_args(
  DcmtkData REQUIRED_VARS DcmtkData_LIBRARY DcmtkData_LOG_LIBRARY DcmtkData_STD_LIBRARY
                          DcmtkData_INCLUDE_DIR)

if(DcmtkData_FOUND AND NOT TARGET DcmtkData::DcmtkData)
  add_library(DcmtkData::DcmtkData UNKNOWN IMPORTED)
  set_target_properties(
    DcmtkData::DcmtkData
    PROPERTIES IMPORTED_LOCATION ${DcmtkData_LIBRARY}
               INTERFACE_LINK_LIBRARIES "${DcmtkData_LOG_LIBRARY};${DcmtkData_STD_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES ${DcmtkData_INCLUDE_DIR})
endif()
