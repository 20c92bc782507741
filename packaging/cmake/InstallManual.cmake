# PROGRAM writes its manual pages to MANUAL below INSTALLED; as everywhere in Debian they are compressed.
set(_folder "${INSTALLED}/${MANUAL}")
execute_process(COMMAND "${PROGRAM}" --manual-pages "${_folder}" COMMAND_ERROR_IS_FATAL ANY)
file(GLOB _pages "${_folder}/*.1")
execute_process(COMMAND gzip -9nf ${_pages} COMMAND_ERROR_IS_FATAL ANY)
