#pragma once
// Functions of libraries that are loaded only when they are needed, so that Ebb starts without
// them.

#include <dlfcn.h>

namespace ebb::platform {

/// Sets `function` to the function with that name; returns false and sets nullptr if the library
/// has none. `handle` comes from dlopen. The declared type of the function is not checked.
template <typename Function>
bool FindFunction(void* handle, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(handle, name));
  return function != nullptr;
}

}  // namespace ebb::platform
