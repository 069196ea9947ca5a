# Headers that nearly every file includes are compiled once instead of once per file. Each file still includes the
# headers that it uses: the presets dev and fuzz build without precompiled headers, so that a forgotten #include shows.
#
# JSON is not among them: its literals instantiate the whole parser, in each file that uses the precompiled header. That
# takes 0.4 s, and one file in nine includes JSON.
option(EBB_PRECOMPILED "Precompile the headers of the standard library" ON)

set(EBB_COMMON_HEADERS
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstdio> <cstdlib> <cstring> <deque> <filesystem> <functional>
  <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <string> <string_view> <thread> <tuple>
  <unordered_map> <utility> <variant> <vector> <tl/expected.hpp>)

# ebb_headers(NAME [OPTIONS -O1 ...] [LIBS GTest::gmock ...] [HEADERS <gmock/gmock.h> ...]): precompiles headers for
# targets with the same options.
function(ebb_headers name)
  cmake_parse_arguments(PCH "" "" "OPTIONS;LIBS;HEADERS" ${ARGN})
  if(NOT EBB_PRECOMPILED)
    return()
  endif()
  set(empty ${CMAKE_BINARY_DIR}/headers/${name}.cc)  # a target with headers needs a source
  file(GENERATE OUTPUT ${empty} CONTENT "// Only for its headers.\n")
  add_library(${name} OBJECT ${empty})
  target_link_libraries(${name} PRIVATE ebb_flags ${PCH_LIBS})
  target_compile_options(${name} PRIVATE ${PCH_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${EBB_COMMON_HEADERS} ${PCH_HEADERS})
endfunction()

# ebb_use_headers(TARGET NAME): lets the target use these headers. Does nothing if headers are not precompiled.
function(ebb_use_headers target name)
  if(EBB_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
