# A part is one folder compiled as a static library. Its include path contains symbolic links to
# itself, to the parts it SEES and, transitively, to theirs, and no other folder of the source tree:
# an include that violates the layers does not compile.

add_library(lvtext_warnings INTERFACE)
target_compile_options(lvtext_warnings INTERFACE -Wall -Wextra -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Sanitizers prevent vectorization of loops; do not treat the warning about it as an error.
  target_compile_options(lvtext_warnings INTERFACE $<$<CONFIG:Debug>:-Wno-pass-failed>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False positives: overlaps in std::string (GCC bug 105329), unset values in std::optional, and
  # members that a designated initializer omits on purpose.
  target_compile_options(lvtext_warnings INTERFACE -Wno-restrict -Wno-maybe-uninitialized
                         -Wno-missing-field-initializers)
endif()

# lvtext_precompile(NAME [LIBRARY...] HEADERS header...): precompiles headers once, for all targets that
# reuse NAME.
function(lvtext_precompile name)
  cmake_parse_arguments(PCH "" "" "HEADERS" ${ARGN})
  # Unlike WRITE, CONFIGURE does not touch an unchanged file, so a new source does not rebuild all.
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PUBLIC nlohmann_json::nlohmann_json ${PCH_UNPARSED_ARGUMENTS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ does not reuse a precompiled header that was compiled without the same -Wpedantic.
    target_link_libraries(${name} PRIVATE lvtext_warnings)
  endif()
  target_precompile_headers(${name} PUBLIC ${PCH_HEADERS})
endfunction()

# lvtext_reuse_precompiled(TARGET [TORCH]): compiles a target with the precompiled headers, with TORCH
# those of LibTorch, too.
function(lvtext_reuse_precompiled target)
  if(LVTEXT_PCH)
    if("TORCH" IN_LIST ARGN)
      target_precompile_headers(${target} REUSE_FROM lvtext_torch_pch)
    else()
      target_precompile_headers(${target} REUSE_FROM lvtext_pch)
    endif()
  endif()
endfunction()

# lvtext_cold(TARGET): compiles code that is not performance-critical with less inlining, which takes
# a quarter less time.
function(lvtext_cold target)
  target_compile_options(${target} PRIVATE
    "$<$<AND:$<CXX_COMPILER_ID:Clang>,$<CONFIG:Release>>:-O1;SHELL:-mllvm -inline-threshold=25>")
endfunction()

if(LVTEXT_PCH)
  set(standard <nlohmann/json.hpp> <algorithm> <filesystem> <functional> <map> <memory> <optional> <set>
               <string> <vector>)
  lvtext_precompile(lvtext_pch HEADERS ${standard})
  lvtext_precompile(lvtext_torch_pch libtorch HEADERS
    <ATen/ATen.h> <torch/csrc/autograd/autograd.h> <torch/csrc/autograd/custom_function.h>
    <torch/nn/module.h> ${standard})
else()
  # Compiles each header of each part as its own source, with the part's include path.
  add_custom_target(headers)
endif()

# lvtext_headers(NAME FOLDER): adds the headers of a part to the target `headers`, one source each.
function(lvtext_headers name folder)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/${folder}/*.h)
  set(sources "")
  foreach(header ${headers})
    set(source ${CMAKE_BINARY_DIR}/headers/${header}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n")
    list(APPEND sources ${source})
  endforeach()
  if(sources)
    add_library(headers_${name} OBJECT EXCLUDE_FROM_ALL ${sources})
    target_include_directories(headers_${name} PRIVATE ${CMAKE_BINARY_DIR}/sees/${name}
                               ${CMAKE_BINARY_DIR}/generated)
    target_link_libraries(headers_${name} PRIVATE lvtext_${name} lvtext_warnings)
    add_dependencies(headers headers_${name})
  endif()
endfunction()

# lvtext_part(NAME FOLDER folder ABOUT text [SEES part...] [USES target...] [GENERATED source...]
# [TORCH] [COLD])
function(lvtext_part name)
  cmake_parse_arguments(PART "TORCH;COLD" "FOLDER;ABOUT" "SEES;USES;GENERATED" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${PART_FOLDER}/*.cpp)
  list(APPEND sources ${PART_GENERATED})
  set_property(GLOBAL PROPERTY lvtext_folder_${name} ${PART_FOLDER})
  set_property(GLOBAL APPEND PROPERTY lvtext_parts ${name})
  set(sees ${CMAKE_BINARY_DIR}/sees/${name})
  file(REMOVE_RECURSE ${sees})
  set(visible ${PART_SEES})
  foreach(part ${PART_SEES})
    get_property(seen GLOBAL PROPERTY lvtext_visible_${part})
    list(APPEND visible ${seen})
  endforeach()
  list(REMOVE_DUPLICATES visible)
  set_property(GLOBAL PROPERTY lvtext_visible_${name} ${visible})
  lvtext_describe_part()
  foreach(part ${name} ${visible})
    get_property(folder GLOBAL PROPERTY lvtext_folder_${part})
    get_filename_component(parent ${sees}/${folder} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${sees}/${folder} SYMBOLIC)
  endforeach()

  if(NOT sources)
    add_library(lvtext_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(lvtext_${name} STATIC ${sources})
    target_include_directories(lvtext_${name} PRIVATE ${sees} ${CMAKE_BINARY_DIR}/generated)
    target_link_libraries(lvtext_${name} PRIVATE lvtext_warnings)
    set(scope PUBLIC)
    if(PART_TORCH)
      lvtext_reuse_precompiled(lvtext_${name} TORCH)
    else()
      lvtext_reuse_precompiled(lvtext_${name})
    endif()
    if(PART_COLD)
      lvtext_cold(lvtext_${name})
    endif()
  endif()
  foreach(part ${PART_SEES})
    target_link_libraries(lvtext_${name} ${scope} lvtext_${part})
  endforeach()
  target_link_libraries(lvtext_${name} ${scope} ${PART_USES})
  if(PART_TORCH)
    target_link_libraries(lvtext_${name} ${scope} libtorch)
  endif()
  if(NOT LVTEXT_PCH)
    lvtext_headers(${name} ${PART_FOLDER})
  endif()
endfunction()

# Adds the part that lvtext_part() defines to the table and the diagram of the layers.
macro(lvtext_describe_part)
  list(JOIN PART_SEES ", " seen)
  set(torch "")
  if(PART_TORCH)
    set(torch "yes")
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY lvtext_layer_rows
    "| `${PART_FOLDER}` | ${PART_ABOUT} | ${seen} | ${torch} |\n")
  set_property(GLOBAL APPEND_STRING PROPERTY lvtext_layer_boxes "  ${name}[\"${PART_FOLDER}\"]\n")
  foreach(part ${PART_SEES})
    set_property(GLOBAL APPEND_STRING PROPERTY lvtext_layer_arrows "  ${part} --> ${name}\n")
  endforeach()
endmacro()

# Links all parts into one shared library, which the executable and every plug-in link.
function(lvtext_finish)
  foreach(what boxes arrows rows)
    get_property(${what} GLOBAL PROPERTY lvtext_layer_${what})
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/layers.md.in ${CMAKE_BINARY_DIR}/generated/layers.md @ONLY)
  if(EXISTS ${CMAKE_SOURCE_DIR}/framework/main.cpp)
    get_property(parts GLOBAL PROPERTY lvtext_parts)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/shared.cpp CONTENT "")
    add_library(lvtext SHARED ${CMAKE_BINARY_DIR}/shared.cpp)
    foreach(part ${parts})
      get_target_property(type lvtext_${part} TYPE)
      if(NOT type STREQUAL INTERFACE_LIBRARY)
        # Private: targets that link lvtext must not link a second copy of the parts.
        target_link_libraries(lvtext PRIVATE
          -Wl,--whole-archive $<TARGET_FILE:lvtext_${part}> -Wl,--no-whole-archive)
        add_dependencies(lvtext lvtext_${part})
      endif()
      get_target_property(uses lvtext_${part} INTERFACE_LINK_LIBRARIES)
      foreach(use ${uses})
        if(NOT use MATCHES "lvtext_")
          target_link_libraries(lvtext PUBLIC ${use})
        endif()
      endforeach()
    endforeach()
    target_include_directories(lvtext PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
    add_executable(lvtext_main framework/main.cpp)
    set_target_properties(lvtext_main PROPERTIES OUTPUT_NAME lvtext)
    target_link_libraries(lvtext_main PRIVATE lvtext lvtext_warnings)
    # Debug builds run all destructors: sanitizers and coverage report at a normal exit.
    target_compile_definitions(lvtext_main PRIVATE $<$<CONFIG:Release>:LVTEXT_SKIP_DESTRUCTORS>)
  endif()
endfunction()

# lvtext_tests(NAME FOLDER folder PARTS part... [TORCH]): one Catch2 executable, test_<name>. Its ctest
# entries are <name>/<case>. With TORCH they are <name>/<file>, without "test_": a process that loads
# LibTorch takes 0.25 s of CPU time to start, too slow for one process per case. Entries of cases
# tagged [long] have the label `long`; cases tagged [gpu] have no entry.
function(lvtext_tests name)
  cmake_parse_arguments(TEST "TORCH" "FOLDER" "PARTS;USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${TEST_FOLDER}/test_*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
  lvtext_cold(test_${name})
  foreach(part ${TEST_PARTS})
    target_link_libraries(test_${name} PRIVATE lvtext_${part})
  endforeach()
  target_link_libraries(test_${name} PRIVATE lvtext_test_main lvtext_warnings ${TEST_USES})
  # The precompiled headers are compiled with -fPIC, and clang requires the same flag to reuse them.
  set_target_properties(test_${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(test_${name} PRIVATE -fPIC)
  if(TEST_TORCH)
    target_link_libraries(test_${name} PRIVATE libtorch)
    lvtext_reuse_precompiled(test_${name} TORCH)
    lvtext_tests_by_file(${name} ${sources})
  else()
    lvtext_reuse_precompiled(test_${name})
    lvtext_tests_by_case(${name} ${sources})
  endif()
endfunction()

# lvtext_count_cases(SOURCE ALL LONG GPU): sets the variables to the number of test cases in a source.
function(lvtext_count_cases source all long gpu)
  file(READ ${source} text)
  foreach(count "${all};TEST_CASE\\(" "${long};\\[long\\]" "${gpu};\\[gpu\\]")
    list(GET count 0 variable)
    list(GET count 1 pattern)
    string(REGEX MATCHALL "${pattern}" found "${text}")
    list(LENGTH found found)
    set(${variable} ${found} PARENT_SCOPE)
  endforeach()
endfunction()

function(lvtext_tests_by_file name)
  foreach(source ${ARGN})
    lvtext_count_cases(${source} all long gpu)
    get_filename_component(file ${source} NAME_WE)
    string(REGEX REPLACE "^test_" "${name}/" entry ${file})
    math(EXPR quick "${all} - ${long} - ${gpu}")
    if(quick GREATER 0)
      add_test(NAME ${entry} COMMAND test_${name} --filenames-as-tags "[#${file}]~[long]~[gpu]"
               WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    endif()
    if(long GREATER 0)
      add_test(NAME ${entry}_long COMMAND test_${name} --filenames-as-tags "[#${file}][long]~[gpu]"
               WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
      set_tests_properties(${entry}_long PROPERTIES LABELS long)
    endif()
  endforeach()
endfunction()

function(lvtext_tests_by_case name)
  catch_discover_tests(test_${name} TEST_SPEC "~[long]~[gpu]" TEST_PREFIX ${name}/
                       WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  foreach(source ${ARGN})
    lvtext_count_cases(${source} all long gpu)
    if(long GREATER 0)
      catch_discover_tests(test_${name} TEST_SPEC "[long]~[gpu]" TEST_PREFIX ${name}/
                           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} PROPERTIES LABELS long)
      return()
    endif()
  endforeach()
endfunction()
