# Headers that nearly every file includes, and JSON, compiled once instead of once per file: a quarter of the building time. A file
# still includes what it uses: the presets dev and fuzz build without this, so that a forgotten #include shows.
option(EBB_PRECOMPILED "Precompile the headers of the standard library" ON)

find_package(nlohmann_json REQUIRED)
set(EBB_COMMON_HEADERS
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstdio> <cstdlib> <cstring> <deque> <filesystem> <functional>
  <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <string> <string_view> <thread> <tuple>
  <unordered_map> <utility> <variant> <vector> <nlohmann/json.hpp> <tl/expected.hpp>)

# ebb_headers(NAME [OPTIONS -O1 ...] [LIBS GTest::gmock ...] [HEADERS <gmock/gmock.h> ...]): to be reused by targets with
# the same options.
function(ebb_headers name)
  cmake_parse_arguments(PCH "" "" "OPTIONS;LIBS;HEADERS" ${ARGN})
  if(NOT EBB_PRECOMPILED)
    return()
  endif()
  set(empty ${CMAKE_BINARY_DIR}/headers/${name}.cc)  # a target with headers needs a source
  file(GENERATE OUTPUT ${empty} CONTENT "// Only for its headers.\n")
  add_library(${name} OBJECT ${empty})
  target_link_libraries(${name} PRIVATE ebb_flags nlohmann_json::nlohmann_json ${PCH_LIBS})
  target_compile_options(${name} PRIVATE ${PCH_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${EBB_COMMON_HEADERS} ${PCH_HEADERS})
endfunction()

# ebb_use_headers(TARGET NAME): nothing where headers are not precompiled.
function(ebb_use_headers target name)
  if(EBB_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
