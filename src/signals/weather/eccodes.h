#pragma once
// ecCodes (ECMWF), which decodes GRIB. It is loaded when the first GRIB file is read, so that no
// build needs it and only processes that read GRIB carry its 15 MB of definitions. Its functions
// are declared by hand from its documentation; they are part of its stable interface. For
// grib_field.cc and tests that write such files. One thread at a time: EcCodesLock.

#include <cstddef>
#include <mutex>

#include "base/result.h"

namespace ebb::signals {

struct CodesHandle;   // codes_handle
struct CodesContext;  // codes_context

struct EcCodes {
  CodesContext* (*context_get_default)();
  void (*context_set_logging_proc)(CodesContext*, void (*)(const CodesContext*, int, const char*));
  void (*set_assertion_failed_proc)(void (*)(const char*));
  const char* (*get_error_message)(int);
  CodesHandle* (*handle_new_from_message)(CodesContext*, const void*, std::size_t);
  CodesHandle* (*handle_new_from_samples)(CodesContext*, const char*);
  int (*handle_delete)(CodesHandle*);
  int (*get_message)(const CodesHandle*, const void**, std::size_t*);
  int (*get_size)(const CodesHandle*, const char*, std::size_t*);
  int (*get_long)(const CodesHandle*, const char*, long*);
  int (*get_double)(const CodesHandle*, const char*, double*);
  int (*get_string)(const CodesHandle*, const char*, char*, std::size_t*);
  int (*get_double_array)(const CodesHandle*, const char*, double*, std::size_t*);
  int (*set_long)(CodesHandle*, const char*, long);
  int (*set_double)(CodesHandle*, const char*, double);
  int (*set_string)(CodesHandle*, const char*, const char*, std::size_t*);
  int (*set_double_array)(CodesHandle*, const char*, const double*, std::size_t);
};

/// The exception that Ebb has ecCodes throw at an assertion, which would otherwise end the process.
struct EcCodesAssertion {};

/// An Error if it is not installed. From any thread; the library stays loaded, and writes nothing
/// to stderr.
Result<const EcCodes*> LibEcCodes();

/// Hold this lock while calling functions of the library.
std::unique_lock<std::mutex> EcCodesLock();

}  // namespace ebb::signals
