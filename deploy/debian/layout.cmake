# Where Debian has what cmake --install puts below the prefix. CPack runs this on each package before it is made.
set(root ${CPACK_TEMPORARY_DIRECTORY}/ebb)
file(MAKE_DIRECTORY ${root}/usr/lib/python3/dist-packages)
file(CREATE_LINK ../../../share/ebb/python/ebb ${root}/usr/lib/python3/dist-packages/ebb SYMBOLIC)
file(RENAME ${root}/usr/etc ${root}/etc)
