# Functions that build a room of src/: one static library, and one test executable from its *_test.cc siblings.
find_package(Threads REQUIRED)
if(EBB_TESTS)
  enable_testing()
  if(EBB_GOOGLETEST_SOURCES)
    add_subdirectory(${EBB_GOOGLETEST_SOURCES} ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
  else()
    find_package(GTest REQUIRED)
  endif()
  include(GoogleTest)
  # Time limits of tests in seconds: the first for a test of a room or a program, the second for a test that runs many
  # programs. Sanitizers make tests slower.
  set(EBB_TEST_TIMEOUT 120)
  set(EBB_LONG_TEST_TIMEOUT 300)
  if(EBB_SANITIZE)
    set(EBB_TEST_TIMEOUT 600)
    set(EBB_LONG_TEST_TIMEOUT 1500)
  endif()
endif()

# ccache, if it is installed, makes a second build directory nearly free.
find_program(EBB_CCACHE ccache)
if(EBB_CCACHE)
  # In this mode ccache compares the files that the compiler has read, precompiled ones included, instead of
  # preprocessing each file first. A first build then takes no longer than without ccache.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${EBB_CCACHE})
endif()

# A program loads only the libraries that it uses: start-up and memory of `ebb track` depend on it.
add_link_options(-Wl,--as-needed)

include(EbbHeaders)
add_library(ebb_flags INTERFACE)
target_include_directories(ebb_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
# -ffp-contract=off keeps the compiler from fusing operations, so that the same scenario always gives the same bytes.
target_compile_options(ebb_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off)
# GCC gives false warnings about its own std::string concatenation (bug 105651 in GCC 12) and std::optional (bug 80635 in
# GCC 12 to 14), and about strings again with precompiled headers, which do not count as system headers.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(ebb_flags INTERFACE -Wno-restrict)
  endif()
  target_compile_options(ebb_flags INTERFACE -Wno-maybe-uninitialized)
  if(EBB_PRECOMPILED)
    target_compile_options(ebb_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endif()
if(DEFINED ENV{CI} OR EBB_WERROR)
  target_compile_options(ebb_flags INTERFACE -Werror)
endif()
if(EBB_SANITIZE)
  add_compile_options(-fsanitize=${EBB_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${EBB_SANITIZE})
  # job_index.cc has a fence, which TSan does not support. TSan does follow the reference count that the fence belongs
  # to.
  if(EBB_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-tsan)
  endif()
endif()
if(EBB_FUZZ)
  add_custom_target(ebb_fuzz_targets)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Rooms that compute, or answer thousands of requests, are compiled for speed. The others are compiled so that building
# is fast.
set(EBB_FAST_ROOMS base core forecast plan engine runtime store sim service web)
ebb_headers(ebb_headers_fast)
ebb_headers(ebb_headers_small OPTIONS $<$<CONFIG:Release>:-O1>)
if(EBB_PRECOMPILED)
  set_target_properties(ebb_headers_fast ebb_headers_small PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()
if(EBB_TESTS)
  ebb_headers(ebb_headers_test OPTIONS -O0 LIBS GTest::gmock HEADERS <gtest/gtest.h> <gmock/gmock.h>)
endif()

# ebb_room(NAME SOURCES a.cc ... DEPS ebb_base ... [PRIVATE_LIBS yaml-cpp ...])
function(ebb_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;DEPS;PRIVATE_LIBS" ${ARGN})
  add_library(ebb_${name} STATIC ${ROOM_SOURCES})
  # libebb.so is made of the same objects as the programs.
  set_target_properties(ebb_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(ebb_${name} PUBLIC ebb_flags ${ROOM_DEPS} PRIVATE ${ROOM_PRIVATE_LIBS} Threads::Threads)
  if(name IN_LIST EBB_FAST_ROOMS)
    ebb_use_headers(ebb_${name} ebb_headers_fast)
  else()
    target_compile_options(ebb_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    ebb_use_headers(ebb_${name} ebb_headers_small)
  endif()
endfunction()

# Tests are compiled so that building is fast. The code under test is compiled as users run it.
function(ebb_test_program target)
  target_compile_options(${target} PRIVATE -O0)
  ebb_use_headers(${target} ebb_headers_test)
endfunction()

# ebb_room_test(NAME SOURCES a_test.cc ... [DEPS ...]): one executable, every case its own CTest test.
function(ebb_room_test name)
  if(NOT EBB_TESTS)
    return()
  endif()
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name}_test ${TEST_SOURCES} ${CMAKE_SOURCE_DIR}/src/testing/own_device_locks.cc)
  target_link_libraries(${name}_test PRIVATE ebb_${name} ebb_testing ${TEST_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  ebb_test_program(${name}_test)
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${EBB_TEST_TIMEOUT} ENVIRONMENT EBB_CONFIG=none)  # hides the settings of the user
endfunction()

# ebb_room_fuzz(NAME a_fuzz part/b_fuzz ...): programs of libFuzzer, each from the file with its name.
function(ebb_room_fuzz name)
  if(NOT EBB_FUZZ)
    return()
  endif()
  foreach(file ${ARGN})
    get_filename_component(target ${file} NAME)
    add_executable(${target} ${file}.cc)
    target_link_libraries(${target} PRIVATE ebb_${name})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_dependencies(ebb_fuzz_targets ${target})
  endforeach()
endfunction()
