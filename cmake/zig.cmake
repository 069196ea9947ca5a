# The compiler of the portable build (EbbPortable.cmake): clang with the headers and symbols of glibc 2.28, as the Python
# package ziglang brings it. ./dev makes these programs; ccache knows them by their names.
set(CMAKE_C_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../build/zig/bin/zig-clang)
set(CMAKE_CXX_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../build/zig/bin/zig-clang++)
# Debian's headers lie beside those of its glibc, which must not be seen: EbbPortable.cmake links the ones that are needed.
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/include)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/include)
