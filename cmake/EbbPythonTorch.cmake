# LibTorch from the package torch of a Python environment (EBB_TORCH_PYTHON), as find_package(Torch) would give it.
#
# The package's own CMake files ask for the CUDA toolkit if it was built with CUDA. LibTorch itself does not need the
# toolkit: the package, or those that it depends on, bring the libraries. None of them has the headers of Gloo. Those of
# libgloo-dev are good enough, because ebb-train only handles pointers to the types that they describe.
execute_process(
  COMMAND ${EBB_TORCH_PYTHON} -W ignore -c "import os, torch; print(os.path.dirname(torch.__file__), torch.__version__, int(torch._C._GLIBCXX_USE_CXX11_ABI), sep=';')"
  OUTPUT_VARIABLE ebb_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE ebb_why RESULT_VARIABLE ebb_failed)
if(ebb_failed)
  message(FATAL_ERROR "${EBB_TORCH_PYTHON} has no package torch: ${ebb_why}\n  pip install torch into its environment, or name another Python.")
endif()
list(GET ebb_torch 0 ebb_torch_root)
list(GET ebb_torch 1 Torch_VERSION)
list(GET ebb_torch 2 ebb_torch_new_strings)

# Wheels up to 2.6 use std::string as in the library of GCC 4. Then all of ebb-train must use it, and its tests need a
# GoogleTest that is built with it.
if(NOT ebb_torch_new_strings)
  add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=0)
  set(EBB_GOOGLETEST_SOURCES /usr/src/googletest)
endif()

set(TORCH_INCLUDE_DIRS ${ebb_torch_root}/include ${ebb_torch_root}/include/torch/csrc/api/include)
set(TORCH_LIBRARIES "")
foreach(library torch_cpu c10 c10_cuda torch_cuda)
  if(EXISTS ${ebb_torch_root}/lib/lib${library}.so)
    add_library(ebb_torch_${library} SHARED IMPORTED GLOBAL)
    set_target_properties(ebb_torch_${library} PROPERTIES IMPORTED_LOCATION ${ebb_torch_root}/lib/lib${library}.so
      INTERFACE_COMPILE_DEFINITIONS "USE_DISTRIBUTED;USE_C10D_GLOO")
    list(APPEND TORCH_LIBRARIES ebb_torch_${library})
  endif()
endforeach()
# CUDA's headers: nvidia-cuda-runtime, on which the package depends, and nvidia-cuda-crt. Without them, updates are not
# recorded as CUDA graphs (src/train/devices/device_graph.h).
set(EBB_CUDA_INCLUDE "")
file(GLOB ebb_cuda_headers ${ebb_torch_root}/../nvidia/*/include/crt/host_config.h)
if(TARGET ebb_torch_c10_cuda AND ebb_cuda_headers)
  list(GET ebb_cuda_headers 0 ebb_cuda_header)
  cmake_path(SET EBB_CUDA_INCLUDE NORMALIZE "${ebb_cuda_header}/../..")
elseif(TARGET ebb_torch_c10_cuda)
  message(STATUS "CUDA's headers are missing (pip install nvidia-cuda-crt): no updates are recorded as CUDA graphs")
endif()
# The library for CUDA registers itself when it is loaded. No symbol refers to it, so --no-as-needed keeps it. The
# package's libraries find their own dependencies.
if(TARGET ebb_torch_torch_cuda)
  list(APPEND TORCH_LIBRARIES "-Wl,--no-as-needed,${ebb_torch_root}/lib/libtorch_cuda.so,--as-needed")
endif()
list(APPEND TORCH_LIBRARIES "-Wl,--unresolved-symbols=ignore-in-shared-libs")
message(STATUS "LibTorch ${Torch_VERSION} of ${EBB_TORCH_PYTHON}")
