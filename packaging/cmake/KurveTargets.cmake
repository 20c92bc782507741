# Three precompiled headers carry what most sources read: this one for torch-free code, kurve_torch_pch (KurveTorch),
# and the views' one with Qt's widgets (views/common). A fourth adds GoogleTest for the tests.
#
# kurve_precompile(target HEADERS...)   clang writes no time stamps into them: with those ccache would never hit in a
# second clone or after a clean build, where cmake's own file is younger.
function(kurve_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

function(kurve_precompiled_header name)
  cmake_parse_arguments(A "" "" "HEADERS;DEPS" ${ARGN})
  set(_anchor "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")  # CMake hangs a precompiled header on a source
  file(CONFIGURE OUTPUT "${_anchor}" CONTENT "")
  add_library(${name} STATIC "${_anchor}")
  target_link_libraries(${name} PUBLIC kurve_settings ${A_DEPS})
  kurve_precompile(${name} ${A_HEADERS})
endfunction()

set(_plain_headers
  <nlohmann/json.hpp> <fmt/format.h> <tl/expected.hpp> <algorithm> <cmath> <filesystem> <functional> <map> <memory>
  <optional> <set> <span> <string> <vector>)
kurve_precompiled_header(kurve_plain_pch
  HEADERS ${_plain_headers} DEPS fmt::fmt nlohmann_json::nlohmann_json tl::expected)
if(KURVE_BUILD_TESTS)
  kurve_precompiled_header(kurve_test_pch
    HEADERS <gmock/gmock.h> ${_plain_headers} DEPS fmt::fmt nlohmann_json::nlohmann_json tl::expected GTest::gmock)
endif()

# Programs share the headers that were compiled with -fPIC; clang refuses those in -fPIE.
function(kurve_use_pch target pch)
  target_precompile_headers(${target} REUSE_FROM ${pch})
  get_target_property(_type ${target} TYPE)
  if(_type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# Several sources of a target in one compilation: what they all read is read and instantiated once.
function(kurve_join_sources target)
  if(KURVE_JOIN_SOURCES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()
endfunction()

# kurve_library(name SOURCES f... DEPS public... PRIVATE_DEPS private... [PCH target | PCH none])
#   a static library kurve_<name>
function(kurve_library name)
  cmake_parse_arguments(A "" "PCH" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(kurve_${name} STATIC ${A_SOURCES})
  target_link_libraries(kurve_${name} PUBLIC kurve_settings ${A_DEPS} PRIVATE ${A_PRIVATE_DEPS})
  if(NOT A_PCH)
    kurve_use_pch(kurve_${name} kurve_plain_pch)
  elseif(NOT A_PCH STREQUAL "none")
    kurve_use_pch(kurve_${name} ${A_PCH})
  endif()
  kurve_join_sources(kurve_${name})
endfunction()

# kurve_torch_library(...)   the same, on LibTorch
function(kurve_torch_library name)
  kurve_library(${name} ${ARGN} PCH kurve_torch_pch)
  target_link_libraries(kurve_${name} PUBLIC kurve_torch)
endfunction()

# moc reads headers alone: it, and what is compiled after it, need not wait for the libraries that a target is linked to.
set(CMAKE_AUTOGEN_ORIGIN_DEPENDS OFF)

# kurve_view(name ...)   a panel: Qt's moc and resources, never torch
function(kurve_view name)
  kurve_library(view_${name} ${ARGN} PCH none)
  set_target_properties(kurve_view_${name} PROPERTIES AUTOMOC ON)
  target_link_libraries(kurve_view_${name} PUBLIC Qt6::Widgets)
  target_compile_definitions(kurve_view_${name} PUBLIC QT_NO_KEYWORDS)
  if(NOT name STREQUAL "common")
    target_link_libraries(kurve_view_${name} PUBLIC kurve_view_common)
    kurve_use_pch(kurve_view_${name} kurve_view_common)
  endif()
endfunction()

# kurve_test(name SOURCES f... DEPS libs... [TORCH] [LABELS unit|slow|gpu|gui|e2e] [TIMEOUT s] [PROPERTIES k v ...])
function(kurve_test name)
  cmake_parse_arguments(A "TORCH" "TIMEOUT" "SOURCES;DEPS;LABELS;PROPERTIES" ${ARGN})
  if(NOT A_LABELS)
    set(A_LABELS unit)
  endif()
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  add_executable(${name} ${A_SOURCES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)  # each file has names of its own
  target_link_libraries(${name} PRIVATE kurve_settings ${A_DEPS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    KURVE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" KURVE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_compile_options(${name} PRIVATE -O1)  # what is tested is optimised, the test's own code need not be
  if(A_TORCH)
    kurve_use_torch_pch(${name})
    # On a busy machine threads that spin while they wait take the core from the one that they wait for.
    list(PREPEND A_PROPERTIES ENVIRONMENT OMP_WAIT_POLICY=PASSIVE)
  else()
    kurve_use_pch(${name} kurve_test_pch)
  endif()
  if(KURVE_SANITIZE)  # whole programs: a process for each of their tests would start them for hours
    add_test(NAME ${name} COMMAND ${name} --gtest_brief)
    set_tests_properties(${name} PROPERTIES LABELS "${A_LABELS}" TIMEOUT 7200 ${A_PROPERTIES})
  else()
    include(GoogleTest)
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${A_LABELS}" TIMEOUT ${A_TIMEOUT} ${A_PROPERTIES})
  endif()
endfunction()
