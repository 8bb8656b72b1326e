# The target `libtorch` from the folder LIBTORCH; also installed, for find_package(lvtext).
# Only the CPU libraries are linked: the CUDA library is loaded at run time if a recipe requests it.
# find_package(Torch) is not used because it requires the CUDA toolkit.
if(NOT EXISTS "${LIBTORCH}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "LibTorch was not found in '${LIBTORCH}'.\n"
          "Set LIBTORCH=/path/to/libtorch (with include/ and lib/); in lvtext's source tree "
          "./scripts/setup.sh installs it.")
endif()
find_package(OpenMP REQUIRED) # at::parallel_for runs on one core without it
find_package(Threads REQUIRED)

add_library(libtorch INTERFACE)
target_include_directories(libtorch SYSTEM INTERFACE ${LIBTORCH}/include
                           ${LIBTORCH}/include/torch/csrc/api/include)
target_compile_definitions(libtorch INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
target_link_directories(libtorch INTERFACE ${LIBTORCH}/lib)
target_link_options(libtorch INTERFACE -Wl,--no-as-needed -Wl,--allow-shlib-undefined
                    -Wl,-rpath,${LIBTORCH}/lib)
target_link_libraries(libtorch INTERFACE torch_cpu c10 OpenMP::OpenMP_CXX Threads::Threads)
