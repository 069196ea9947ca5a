#pragma once
// Expat, which reads XML. It is loaded when the first XML file is read, so that no build needs it.
// Its functions are declared by hand from its documentation; they have not changed since 2001. For
// xml_tree.cc. Parsers of different threads do not share anything.

#include "base/result.h"

namespace ebb::signals {

struct ExpatParser;  // XML_ParserStruct

struct Expat {
  using OnStart = void (*)(void* data, const char* name, const char** attributes);
  using OnEnd = void (*)(void* data, const char* name);
  using OnText = void (*)(void* data, const char* text, int length);
  using OnDoctype = void (*)(void* data, const char* name, const char* system_id,
                             const char* public_id, int has_internal_subset);

  ExpatParser* (*parser_create)(const char* encoding);
  void (*parser_free)(ExpatParser*);
  void (*set_user_data)(ExpatParser*, void*);
  void (*set_element_handler)(ExpatParser*, OnStart, OnEnd);
  void (*set_character_data_handler)(ExpatParser*, OnText);
  void (*set_start_doctype_decl_handler)(ExpatParser*, OnDoctype);
  int (*parse)(ExpatParser*, const char* text, int length, int is_final);  ///< 1: success
  int (*stop_parser)(ExpatParser*, unsigned char resumable);
  int (*get_error_code)(ExpatParser*);
  const char* (*error_string)(int code);
  unsigned long (*get_current_line_number)(ExpatParser*);
};

/// An Error if it is not installed. From any thread; the library stays loaded.
Result<const Expat*> LibExpat();

}  // namespace ebb::signals
