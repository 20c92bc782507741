# The engine's run path, where it has LibTorch beside itself: no folder of the machine that built it.
if(RUN_PATH)
  file(RPATH_SET FILE "${INSTALLED}/${BINARY}" NEW_RPATH "${RUN_PATH}")
endif()
# What it writes of its own commands: manual pages, and completions where the shells look for them.
include("${CMAKE_CURRENT_LIST_DIR}/InstallManual.cmake")
function(install_completion shell folder name)
  file(MAKE_DIRECTORY "${INSTALLED}/${folder}")
  execute_process(COMMAND "${PROGRAM}" completion ${shell} OUTPUT_FILE "${INSTALLED}/${folder}/${name}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
install_completion(bash "${BASH_COMPLETIONS}" kurve)
install_completion(zsh "${ZSH_COMPLETIONS}" _kurve)
