set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
# Built programs have the run path that they are installed with: LibTorch's folder, which lies outside the prefix. To
# make room for another one CMake would end it with an empty entry, and that is whatever folder the program is started in.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(_ccache ccache)
if(_ccache)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_ccache})
  # Precompiled headers carry a time stamp; without this ccache never hits a file that uses one.
  set(ENV{CCACHE_SLOPPINESS} pch_defines,time_macros,include_file_mtime,include_file_ctime)
endif()
find_program(_lld ld.lld)

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(SQLite3 REQUIRED)
find_package(Eigen3 REQUIRED)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
if(KURVE_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

# Compile and link settings of all our targets; third-party headers are SYSTEM and stay quiet.
add_library(kurve_settings INTERFACE)
target_include_directories(kurve_settings INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(kurve_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough -Woverloaded-virtual>
  $<$<AND:$<BOOL:${KURVE_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>
  $<$<AND:$<CXX_COMPILER_ID:Clang>,$<COMPILE_LANGUAGE:CXX>>:-fpch-instantiate-templates>)
if(_lld)
  target_link_options(kurve_settings INTERFACE -fuse-ld=lld)
endif()
if(KURVE_SANITIZE STREQUAL "address")
  target_compile_options(kurve_settings INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(kurve_settings INTERFACE -fsanitize=address,undefined)
elseif(KURVE_SANITIZE STREQUAL "thread")
  target_compile_options(kurve_settings INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(kurve_settings INTERFACE -fsanitize=thread)
endif()
