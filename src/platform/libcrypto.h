#pragma once
// Functions of OpenSSL's libcrypto, which is loaded when the first one is called. It takes 3 MB
// that a program which only measures never needs. Private to platform/.

#ifndef EBB_LINKED_LIBCRYPTO
#include <dlfcn.h>

#include "base/check.h"
#endif

namespace ebb::platform {

#ifdef EBB_LINKED_LIBCRYPTO
#define EBB_LIBCRYPTO(name) (&::name)
#else
template <typename Function>
Function* LoadFromLibcrypto(const char* name) {
  static void* const library = ::dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  EBB_CHECK(library != nullptr);
  auto* function = reinterpret_cast<Function*>(::dlsym(library, name));
  EBB_CHECK(function != nullptr);
  return function;
}
#define EBB_LIBCRYPTO(name) ::ebb::platform::LoadFromLibcrypto<decltype(::name)>(#name)
#endif

}  // namespace ebb::platform
