#include "signals/traces/expat.h"

#include <dlfcn.h>

#include <optional>

#include "platform/shared_library.h"

namespace ebb::signals {
namespace {

using platform::FindFunction;

std::optional<Expat> LoadExpat() {
  void* library = ::dlopen("libexpat.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::nullopt;
  Expat expat{};
  const bool complete =
      FindFunction(library, "XML_ParserCreate", expat.parser_create) &&
      FindFunction(library, "XML_ParserFree", expat.parser_free) &&
      FindFunction(library, "XML_SetUserData", expat.set_user_data) &&
      FindFunction(library, "XML_SetElementHandler", expat.set_element_handler) &&
      FindFunction(library, "XML_SetCharacterDataHandler", expat.set_character_data_handler) &&
      FindFunction(library, "XML_SetStartDoctypeDeclHandler",
                   expat.set_start_doctype_decl_handler) &&
      FindFunction(library, "XML_Parse", expat.parse) &&
      FindFunction(library, "XML_StopParser", expat.stop_parser) &&
      FindFunction(library, "XML_GetErrorCode", expat.get_error_code) &&
      FindFunction(library, "XML_ErrorString", expat.error_string) &&
      FindFunction(library, "XML_GetCurrentLineNumber", expat.get_current_line_number);
  if (!complete) return std::nullopt;
  return expat;
}

}  // namespace

Result<const Expat*> LibExpat() {
  static const std::optional<Expat> expat = LoadExpat();
  if (!expat)
    return Fail({ExitCode::kConfiguration, "XML is read with Expat, which is not here",
                 "libexpat.so.1", "install it (Debian: libexpat1)"});
  return &*expat;
}

}  // namespace ebb::signals
