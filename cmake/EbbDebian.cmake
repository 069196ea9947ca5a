# ebb and ebb-train as Debian packages, made by CPack from the built programs (./dev package deb).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_CONTACT "Ebb maintainers <maintainers@users.noreply.github.com>")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/deploy/debian/layout.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL ebb development python)
if(EBB_TRAIN)
  list(APPEND CPACK_COMPONENTS_ALL train)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# xz makes packages a third smaller than gzip, which is the default of CPack.
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

# The package of a library that is loaded when it is first needed, so that dpkg-shlibdeps cannot see it.
function(ebb_package_of library result)
  execute_process(COMMAND dpkg-query --search "*/${library}" OUTPUT_VARIABLE found ERROR_QUIET)
  string(REGEX MATCH "^[a-z0-9.+-]+" package "${found}")
  set(${result} "${package}" PARENT_SCOPE)
endfunction()
ebb_package_of(libcurl.so.4 ebb_curl)
ebb_package_of(libcrypto.so.3 ebb_crypto)
set(CPACK_DEBIAN_EBB_PACKAGE_NAME ebb)
set(CPACK_DEBIAN_EBB_DESCRIPTION "Ebb runs training when the electricity grid is clean, measures what it really
emitted, and proves the difference. This package has the program, its queue
service, libebb and its Python module.")
set(CPACK_DEBIAN_EBB_PACKAGE_DEPENDS "${ebb_curl}, ${ebb_crypto}, tzdata")
set(CPACK_DEBIAN_EBB_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_EBB_PACKAGE_SUGGESTS "ebb-train, python3, prometheus, grafana, libeccodes0, libexpat1")
set(ebb_scripts ${CMAKE_SOURCE_DIR}/deploy/debian)
set(CPACK_DEBIAN_EBB_PACKAGE_CONTROL_EXTRA
  ${ebb_scripts}/conffiles ${ebb_scripts}/preinst ${ebb_scripts}/postinst ${ebb_scripts}/prerm ${ebb_scripts}/postrm)
set(CPACK_DEBIAN_EBB_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_TRAIN_PACKAGE_NAME ebb-train)
set(CPACK_DEBIAN_TRAIN_DESCRIPTION "Ebb's own trainer, the program ebb-train, over LibTorch.")
# The reference BLAS, which also satisfies LibTorch, is many times slower.
set(CPACK_DEBIAN_TRAIN_PACKAGE_DEPENDS "ebb (= ${PROJECT_VERSION}), libopenblas0-openmp | libopenblas0")

include(CPack)
cpack_add_component_group(ebb)
cpack_add_component(ebb GROUP ebb)
cpack_add_component(development GROUP ebb)
cpack_add_component(python GROUP ebb)
cpack_add_component_group(train)
cpack_add_component(train GROUP train)
