# The build of programs that run with glibc 2.28 or later (./dev package wheel, tarball). They need no library except
# glibc's and libcurl, which is loaded when it is first used.
#
# C libraries come from Debian's archives. C++ libraries are built here, because this build has its own C++ library.
include(FetchContent)
set(EBB_PRECOMPILED OFF)
set(EBB_DEBIAN_POOL http://deb.debian.org/debian/pool/main CACHE STRING "Where Debian's sources are")

# find_package finds packages in /usr/include. Listing that folder as implicit keeps the compiler from searching it, so
# that it does not find the headers of Debian's glibc.
set(ebb_multiarch x86_64-linux-gnu)
list(APPEND CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES /usr/include /usr/include/${ebb_multiarch})
list(APPEND CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES /usr/include /usr/include/${ebb_multiarch})
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/openssl)
foreach(header nlohmann CLI tl lemon zlib.h zconf.h sqlite3.h pcre2.h utf8proc.h)
  file(CREATE_LINK /usr/include/${header} ${CMAKE_BINARY_DIR}/include/${header} SYMBOLIC)
endforeach()
file(CREATE_LINK /usr/include/${ebb_multiarch}/curl ${CMAKE_BINARY_DIR}/include/curl SYMBOLIC)
file(GLOB headers /usr/include/openssl/*.h /usr/include/${ebb_multiarch}/openssl/*.h)
foreach(header ${headers})
  get_filename_component(name ${header} NAME)
  file(CREATE_LINK ${header} ${CMAKE_BINARY_DIR}/include/openssl/${name} SYMBOLIC)
endforeach()
list(APPEND CMAKE_LIBRARY_PATH /usr/lib/${ebb_multiarch})
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)

set(YAML_CPP_BUILD_TESTS OFF)
set(YAML_CPP_BUILD_TOOLS OFF)
set(YAML_CPP_BUILD_CONTRIB OFF)
set(BUILD_TZ_LIB ON)
set(USE_SYSTEM_TZ_DB ON)
set(HTTPLIB_USE_OPENSSL_IF_AVAILABLE OFF)
set(HTTPLIB_USE_ZLIB_IF_AVAILABLE OFF)
set(HTTPLIB_USE_BROTLI_IF_AVAILABLE OFF)
set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
FetchContent_Declare(yaml-cpp URL ${EBB_DEBIAN_POOL}/y/yaml-cpp/yaml-cpp_0.7.0+dfsg.orig.tar.xz
  URL_HASH SHA256=dc63708605404e0b963e0ca3a9619d1c8270eda2839603e6fa0384e5e51e5312 OVERRIDE_FIND_PACKAGE)
FetchContent_Declare(date URL ${EBB_DEBIAN_POOL}/h/howardhinnant-date/howardhinnant-date_3.0.1+ds.orig.tar.xz
  URL_HASH SHA256=2768b67c1b5cf07715978584ef174dae679e90bf420777aee4e8b09e993681f1 OVERRIDE_FIND_PACKAGE)
FetchContent_Declare(httplib URL ${EBB_DEBIAN_POOL}/c/cpp-httplib/cpp-httplib_0.11.4+ds.orig.tar.xz
  URL_HASH SHA256=8b1a5df569003b6a4f24c68489bbda5c64aec94697bdc9ebba5d79408b2ae7eb)
FetchContent_MakeAvailable(yaml-cpp date httplib)
set(EBB_HTTPLIB_LIBRARY httplib::httplib)
