# The compiler of the portable build (EbbPortable.cmake): clang with the headers and symbols of glibc 2.28, from the
# Python package ziglang. ./dev makes these programs; ccache recognises them by their names.
set(CMAKE_C_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../build/zig/bin/zig-clang)
set(CMAKE_CXX_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../build/zig/bin/zig-clang++)
# Debian's headers are in the same folder as those of its glibc, which the compiler must not see. EbbPortable.cmake
# therefore links the needed ones into a folder of their own.
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/include)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/include)
