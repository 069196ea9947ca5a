# ebb_use_fake_gpus(TARGET): gives a test the paths of the fake libraries of GPUs. They are loaded at run time, as the real
# ones are.
function(ebb_use_fake_gpus target)
  foreach(vendor nvml rocm)
    if(NOT TARGET ebb_fake_${vendor})
      add_library(ebb_fake_${vendor} MODULE ${CMAKE_SOURCE_DIR}/src/meter/gpu/fake_${vendor}_for_test.cc)
      target_link_libraries(ebb_fake_${vendor} PRIVATE ebb_flags)
    endif()
    string(TOUPPER ${vendor} name)
    target_compile_definitions(${target} PRIVATE EBB_FAKE_${name}="$<TARGET_FILE:ebb_fake_${vendor}>")
    add_dependencies(${target} ebb_fake_${vendor})
  endforeach()
endfunction()
