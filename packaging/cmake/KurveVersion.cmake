# core/base/version.cpp is compiled with these; the commit is read at configure time.
execute_process(COMMAND git -C "${CMAKE_SOURCE_DIR}" describe --always --dirty
  OUTPUT_VARIABLE _commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT _commit)
  set(_commit unknown)
endif()
set(KURVE_COMMIT_TEXT "${_commit}")
# Of packages between releases, which sort by it; UTC.
execute_process(COMMAND git -C "${CMAKE_SOURCE_DIR}" log -1 --format=%ct
  OUTPUT_VARIABLE _epoch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT _epoch)
  set(_epoch 0)
endif()
set(KURVE_COMMIT_EPOCH ${_epoch})
