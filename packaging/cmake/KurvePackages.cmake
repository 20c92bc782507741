# The Debian packages that packaging/deb builds, one of each component of KurveInstall.
if(KURVE_WITH_CUDA OR NOT KURVE_BUILD_ENGINE OR NOT KURVE_BUILD_STUDIO)
  return()
endif()

# Dates are the commit's, so that the same commit makes the same packages. One between releases sorts before the release
# that it becomes.
set(ENV{SOURCE_DATE_EPOCH} ${KURVE_COMMIT_EPOCH})
string(TIMESTAMP _time "%Y%m%d.%H%M" UTC)
string(TIMESTAMP _date "%a, %d %b %Y %H:%M:%S +0000" UTC)
unset(ENV{SOURCE_DATE_EPOCH})
set(_version ${PROJECT_VERSION})
if(NOT KURVE_COMMIT_TEXT STREQUAL "v${PROJECT_VERSION}")
  string(REPLACE "-" "." _commit "${KURVE_COMMIT_TEXT}")
  string(APPEND _version "~git${_time}.${_commit}")
endif()
# Debian's way for packages of several releases: those of a newer one sort after.
cmake_host_system_information(RESULT _debian QUERY DISTRIB_INFO)
set(_revision 1)
if(_debian_VERSION_ID)
  string(APPEND _revision "~deb${_debian_VERSION_ID}u1")
endif()
set(_maintainer "${KURVE_MAINTAINER} <${KURVE_MAINTAINER_ADDRESS}>")

# What Debian wants in every package's doc folder.
set(_documents "${CMAKE_BINARY_DIR}/documents")
file(WRITE "${_documents}/changelog.Debian"
  "kurve (${_version}-${_revision}) ${_debian_VERSION_CODENAME}; urgency=medium\n\n  * Commit ${KURVE_COMMIT_TEXT}.\n\n -- ${_maintainer}  ${_date}\n")
configure_file(CHANGELOG.md "${_documents}/changelog" COPYONLY)
execute_process(COMMAND gzip -9nkf changelog changelog.Debian WORKING_DIRECTORY "${_documents}" COMMAND_ERROR_IS_FATAL ANY)
foreach(_component engine:kurve studio:kurve-studio libtorch:kurve-libtorch doc:kurve-doc)
  string(REGEX MATCH "^(.*):(.*)$" _ ${_component})
  install(FILES "${_documents}/changelog.gz" "${_documents}/changelog.Debian.gz"
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CMAKE_MATCH_2} COMPONENT ${CMAKE_MATCH_1})
endforeach()

# The licences of what libtorch holds, fetched by packaging/setup --packages.
set(_fetched "${KURVE_TORCH_DIR}/../packages")
file(GLOB _licences "${_fetched}/torch-*.dist-info/licenses/*")
file(GLOB _eula "${_fetched}/nvidia_cuda_runtime-*.dist-info/licenses/License.txt")
if(_licences AND _eula)
  set(_folder ${CMAKE_INSTALL_DATADIR}/doc/kurve-libtorch)
  install(FILES packaging/debian/copyright-libtorch DESTINATION ${_folder} RENAME copyright COMPONENT libtorch)
  install(FILES ${_licences} DESTINATION ${_folder} COMPONENT libtorch)
  install(FILES ${_eula} DESTINATION ${_folder} RENAME CUDA-EULA.txt COMPONENT libtorch)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kurve)
set(CPACK_PACKAGE_VERSION "${_version}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL engine studio libtorch doc)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # xz takes several times as long; it saves 12 % of kurve
set(CPACK_DEBIAN_PACKAGE_RELEASE ${_revision})
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${_maintainer}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${KURVE_TORCH_DIR}/lib" "${KURVE_TORCH_DIR}/../packages/nvidia/cu13/lib")

# kurve_package(COMPONENT NAME SECTION "what it is" "what it holds, in lines" [FIELD value]...)   fields as CPack names them
function(kurve_package component name section title text)
  string(TOUPPER CPACK_DEBIAN_${component} _prefix)
  set(${_prefix}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(${_prefix}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(${_prefix}_DESCRIPTION "${title}\n${text}" PARENT_SCOPE)
  while(ARGN)
    list(POP_FRONT ARGN _field _value)
    set(${_prefix}_${_field} "${_value}" PARENT_SCOPE)
  endwhile()
endfunction()
set(_same "(= ${_version}-${_revision})")
kurve_package(engine kurve science "non-autoregressive language models: engine and command line" [[
Kurve trains non-autoregressive language models (masked and embedding
diffusion, sentence curves, continuous autoregressive models, large concept
models), samples from them, records how they denoise and scores them. This is
the program kurve with its manual pages, shell completions and two project
templates.]]
  PACKAGE_DEPENDS "kurve-libtorch ${_same}" PACKAGE_RECOMMENDS openssh-client PACKAGE_SUGGESTS "kurve-studio, kurve-doc")
kurve_package(studio kurve-studio science "non-autoregressive language models: desktop studio" [[
The window of Kurve: it starts and watches trainings, shows how a model
denoises a text step by step, and compares runs. The engine is the program
kurve, which it starts.]]
  # qt6-svg-plugins, which icons of the style sheet need, was a part of libqt6svg6 in Debian 12.
  PACKAGE_DEPENDS "kurve ${_same}, fonts-dejavu-core, libegl1, libgl1, libgl1-mesa-dri, qt6-qpa-plugins, qt6-svg-plugins | libqt6svg6 (<< 6.7.2-5~)"
  PACKAGE_RECOMMENDS "fonts-freefont-ttf, fonts-noto-color-emoji, fonts-tlwg-waree-ttf, fonts-wqy-microhei"
  PACKAGE_SUGGESTS kurve-doc)
kurve_package(libtorch kurve-libtorch libs "non-autoregressive language models: LibTorch" [[
The libraries of PyTorch 2.11 that the program kurve loads, and the CUDA
runtime and profiling libraries that they are linked to. They lie in a folder
of their own and serve no other program.]])
kurve_package(doc kurve-doc doc "non-autoregressive language models: guide and examples" [[
The user guide of Kurve as Markdown, and further projects with finished runs,
which kurve new copies.]]
  PACKAGE_ARCHITECTURE all PACKAGE_SHLIBDEPS OFF)

include(CPack)
