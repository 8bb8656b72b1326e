# Third-party packages, each under one target name on all distributions.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(EXPAT REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(sentencepiece REQUIRED IMPORTED_TARGET sentencepiece)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
find_library(STEMMER stemmer REQUIRED)

if(NOT TARGET yaml-cpp::yaml-cpp) # yaml-cpp 0.7 (Debian 12) names its target without a namespace
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
  target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
endif()
add_library(sentencepiece::sentencepiece ALIAS PkgConfig::sentencepiece)
add_library(utf8proc::utf8proc ALIAS PkgConfig::utf8proc)

# LibTorch: the Python wheel of version 2.11.0 (scripts/setup.sh puts it into .lvtext-env), or any
# folder with include/ and lib/ given as LIBTORCH.
set(LIBTORCH "$ENV{LIBTORCH}" CACHE PATH "folder of LibTorch, with include/ and lib/")
if(NOT LIBTORCH)
  file(GLOB LIBTORCH_FOUND ${CMAKE_SOURCE_DIR}/.lvtext-env/lib/python3*/site-packages/torch)
  set(LIBTORCH "${LIBTORCH_FOUND}" CACHE PATH "folder of LibTorch, with include/ and lib/" FORCE)
endif()
include(libtorch)
