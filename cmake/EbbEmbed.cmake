# ebb_embed(OUTPUT file.cc NAMESPACE ebb::web FILES name=path ...): makes the files string_views of the
# program. It writes arrays of bytes, because compilers limit the length of string literals.
function(ebb_embed)
  cmake_parse_arguments(EMBED "" "OUTPUT;NAMESPACE" "FILES" ${ARGN})
  set(text "#include <string_view>\nnamespace ${EMBED_NAMESPACE} {\n")
  foreach(entry ${EMBED_FILES})
    string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${entry}")
    set(name ${CMAKE_MATCH_1})
    set(path ${CMAKE_MATCH_2})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND text "static const unsigned char ${name}_bytes[] = {${bytes}0};\n"
      "extern const std::string_view ${name};\n"
      "const std::string_view ${name}(reinterpret_cast<const char*>(${name}_bytes), sizeof ${name}_bytes - 1);\n")
  endforeach()
  string(APPEND text "}\n")
  file(CONFIGURE OUTPUT ${EMBED_OUTPUT} CONTENT "${text}" @ONLY)
endfunction()
