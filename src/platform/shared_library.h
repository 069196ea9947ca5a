#pragma once
// Functions of libraries that are loaded only when they are needed, so that Ebb starts without
// them.

#include <dlfcn.h>

namespace ebb::platform {

/// Sets `function` to the one of that name; false, and nullptr, where the library has none.
/// `handle` is what dlopen gave; the declared type is not checked against anything.
template <typename Function>
bool FindFunction(void* handle, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(handle, name));
  return function != nullptr;
}

}  // namespace ebb::platform
