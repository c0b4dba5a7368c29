# Hdf5Serial::Hdf5Serial, the C library of HDF5 without MPI, as VTK uses it. CMake's own module finds
# the one with MPI where both are installed.

include(FindPackageHandleStandardArgs)
find_path(Hdf5Serial_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(Hdf5Serial_LIBRARY NAMES hdf5_serial hdf5)
mark_as_advanced(Hdf5Serial_INCLUDE_DIR Hdf5Serial_LIBRARY)
find_package_handle_standard_args(Hdf5Serial REQUIRED_VARS Hdf5Serial_LIBRARY
                                                           Hdf5Serial_INCLUDE_DIR)

if(Hdf5Serial_FOUND AND NOT TARGET Hdf5Serial::Hdf5Serial)
  add_library(Hdf5Serial::Hdf5Serial UNKNOWN IMPORTED)
  set_target_properties(
    Hdf5Serial::Hdf5Serial PROPERTIES IMPORTED_LOCATION ${Hdf5Serial_LIBRARY}
                                      INTERFACE_INCLUDE_DIRECTORIES ${Hdf5Serial_INCLUDE_DIR}
                                      # Newer versions give some names of calls and types another
                                      # meaning, unless they are told which is meant.
                                      INTERFACE_COMPILE_DEFINITIONS H5_USE_110_API)
endif()
