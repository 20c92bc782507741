# Four components, each a Debian package (KurvePackages). The engine looks for LibTorch beside itself, in lib/kurve/torch, which
# component libtorch fills; a build with CUDA needs the GPU's libraries too and keeps using LibTorch's own folder.
include(GNUInstallDirs)
include(KurveIdentity)
set(_private_lib lib/kurve/torch)
set(_man "${CMAKE_INSTALL_MANDIR}/man1")

# kurve_install_script(COMPONENT SCRIPT NAME=VALUE...)   runs packaging/cmake/SCRIPT when the component is installed
function(kurve_install_script component script)
  set(_code "set(INSTALLED \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")\n")
  foreach(_set IN LISTS ARGN)
    string(REGEX REPLACE "^([A-Z_]+)=(.*)$" "set(\\1 \"\\2\")\n" _set "${_set}")
    string(APPEND _code "${_set}")
  endforeach()
  install(CODE "${_code}include(\"${CMAKE_SOURCE_DIR}/packaging/cmake/${script}\")" COMPONENT ${component})
endfunction()

# What "kurve new" copies, without what it would leave behind.
function(kurve_install_projects component)
  list(TRANSFORM ARGN PREPEND projects/)
  install(DIRECTORY ${ARGN} DESTINATION ${CMAKE_INSTALL_DATADIR}/kurve/projects COMPONENT ${component}
    PATTERN data/cache EXCLUDE PATTERN "index.db*" EXCLUDE PATTERN __pycache__ EXCLUDE)
endfunction()

if(TARGET kurve)
  install(TARGETS kurve RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT engine)
  if(TARGET kurve_nccl)
    install(TARGETS kurve_nccl LIBRARY DESTINATION lib/kurve COMPONENT engine)
  endif()
  kurve_install_projects(engine blank sample)
  if(KURVE_WITH_CUDA)
    set(_run_path "")
  else()
    set(_run_path "\\\$ORIGIN/../${_private_lib}")
    kurve_install_script(libtorch InstallLibTorch.cmake PROGRAM=$<TARGET_FILE:kurve>
      "TORCH_DIR=${KURVE_TORCH_DIR}" FOLDER=${_private_lib})
  endif()
  kurve_install_script(engine InstallEngine.cmake PROGRAM=$<TARGET_FILE:kurve> MANUAL=${_man}
    BINARY=${CMAKE_INSTALL_BINDIR}/kurve RUN_PATH=${_run_path}
    BASH_COMPLETIONS=${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    ZSH_COMPLETIONS=${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
endif()
if(TARGET kurve-studio)
  install(TARGETS kurve-studio RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT studio)
  install(FILES packaging/kurve.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT studio)
  set(_metainfo "${CMAKE_BINARY_DIR}/${KURVE_APPLICATION_ID}.metainfo.xml")
  configure_file(packaging/metainfo.xml.in "${_metainfo}" @ONLY)
  install(FILES "${_metainfo}" DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT studio)
  install(FILES assets/icons/kurve.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT studio)
  kurve_install_script(studio InstallManual.cmake PROGRAM=$<TARGET_FILE:kurve-studio> MANUAL=${_man})
endif()
file(GLOB _examples RELATIVE "${CMAKE_SOURCE_DIR}/projects" "${CMAKE_SOURCE_DIR}/projects/*")
list(REMOVE_ITEM _examples blank sample)
kurve_install_projects(doc ${_examples})
install(DIRECTORY assets/help/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kurve-doc/guide COMPONENT doc)
install(FILES packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kurve COMPONENT engine)
install(FILES packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kurve-studio COMPONENT studio)
install(FILES packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kurve-doc COMPONENT doc)
