# The libraries of LibTorch that PROGRAM loads, and what those load of CUDA's, into FOLDER below INSTALLED. They find each
# other there. Which they are the loader's own search says; CUDA's are taken from packages/ beside TORCH_DIR if it holds
# them (packaging/setup --packages), so that packages do not depend on the machine's toolkit.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${PROGRAM}" RESOLVED_DEPENDENCIES_VAR _libraries
  PRE_INCLUDE_REGEXES "^libtorch" "^libc10" "^libgomp" "^libcudart" "^libcupti" PRE_EXCLUDE_REGEXES ".*")
file(MAKE_DIRECTORY "${INSTALLED}/${FOLDER}")
foreach(_library IN LISTS _libraries)
  get_filename_component(_name "${_library}" NAME)
  set(_pinned "${TORCH_DIR}/../packages/nvidia/cu13/lib/${_name}")
  if(EXISTS "${_pinned}")
    set(_library "${_pinned}")
  endif()
  get_filename_component(_file "${_library}" REALPATH)
  set(_installed "${INSTALLED}/${FOLDER}/${_name}")
  message(STATUS "Installing: ${_installed}")
  file(COPY_FILE "${_file}" "${_installed}" ONLY_IF_DIFFERENT)
  file(CHMOD "${_installed}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  if(_name MATCHES "^lib(torch|c10|gomp)")
    if(CMAKE_INSTALL_DO_STRIP)
      execute_process(COMMAND strip --strip-unneeded "${_installed}" COMMAND_ERROR_IS_FATAL ANY)
    endif()
    file(RPATH_SET FILE "${_installed}" NEW_RPATH "\$ORIGIN")
  endif()
endforeach()
