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

# lvtext_reuse_precompiled(TARGET [TORCH] [TEST]): compiles a target with the precompiled headers, with
# TORCH those of LibTorch, with TEST those of Catch2, too.
function(lvtext_reuse_precompiled target)
  set(headers lvtext)
  if("TORCH" IN_LIST ARGN)
    string(APPEND headers _torch)
  endif()
  if("TEST" IN_LIST ARGN)
    string(APPEND headers _test)
  endif()
  if(LVTEXT_PCH)
    target_precompile_headers(${target} REUSE_FROM ${headers}_pch)
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
  set(torch <ATen/ATen.h> <torch/csrc/autograd/autograd.h> <torch/csrc/autograd/custom_function.h>
            <torch/nn/module.h>)
  lvtext_precompile(lvtext_pch HEADERS ${standard})
  lvtext_precompile(lvtext_torch_pch libtorch HEADERS ${torch} ${standard})
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
# [TORCH] [COLD] [HOT folder...])
# HOT lists folders of a COLD part, relative to it, whose sources have loops of their own and keep -O2.
function(lvtext_part name)
  cmake_parse_arguments(PART "TORCH;COLD" "FOLDER;ABOUT" "SEES;USES;GENERATED;HOT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${PART_FOLDER}/*.cpp)
  list(APPEND sources ${PART_GENERATED})
  set(hot "")
  foreach(folder ${PART_HOT})
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${PART_FOLDER}/${folder}/*.cpp)
    list(APPEND hot ${found})
  endforeach()
  if(hot)
    list(REMOVE_ITEM sources ${hot})
  endif()
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

  set(libraries lvtext_${name})
  if(NOT sources)
    add_library(lvtext_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(lvtext_${name} STATIC ${sources})
    set(scope PUBLIC)
    if(PART_COLD)
      lvtext_cold(lvtext_${name})
    endif()
    if(hot)
      add_library(lvtext_${name}_hot OBJECT ${hot})
      target_sources(lvtext_${name} PRIVATE $<TARGET_OBJECTS:lvtext_${name}_hot>)
      list(APPEND libraries lvtext_${name}_hot)
    endif()
    foreach(library ${libraries})
      target_include_directories(${library} PRIVATE ${sees} ${CMAKE_BINARY_DIR}/generated)
      target_link_libraries(${library} PRIVATE lvtext_warnings)
      if(PART_TORCH)
        lvtext_reuse_precompiled(${library} TORCH)
      else()
        lvtext_reuse_precompiled(${library})
      endif()
    endforeach()
  endif()
  list(TRANSFORM PART_SEES PREPEND lvtext_ OUTPUT_VARIABLE seen)
  if(PART_TORCH)
    list(APPEND PART_USES libtorch)
  endif()
  foreach(library ${libraries})
    target_link_libraries(${library} ${scope} ${seen} ${PART_USES})
  endforeach()
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

# lvtext_tests(NAME FOLDER folder PARTS part... [TORCH] [UNITY]): one Catch2 executable, test_<name>;
# with UNITY several of its sources are compiled together, as those of parts; TORCH: the parts use LibTorch.
# Its ctest entries are <name>/<file>, without "test_": an entry per case would start a process for
# each (0.25 s of CPU time with LibTorch), and ctest divides names at a semicolon. Cases tagged
# [long] are the entry <name>/<file>_long with the label `long`.
function(lvtext_tests name)
  cmake_parse_arguments(TEST "TORCH;UNITY" "FOLDER" "PARTS;USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${TEST_FOLDER}/test_*.cpp)
  if(NOT sources)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY lvtext_test_sources ${sources})
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
  lvtext_cold(test_${name})
  if(NOT TEST_UNITY)
    set_target_properties(test_${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  foreach(part ${TEST_PARTS})
    target_link_libraries(test_${name} PRIVATE lvtext_${part})
  endforeach()
  target_link_libraries(test_${name} PRIVATE lvtext_test_main lvtext_warnings ${TEST_USES})
  # The precompiled headers are compiled with -fPIC, and clang requires the same flag to reuse them.
  set_target_properties(test_${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(test_${name} PRIVATE -fPIC)
  if(TEST_TORCH)
    target_link_libraries(test_${name} PRIVATE libtorch)
    lvtext_reuse_precompiled(test_${name} TORCH TEST)
  else()
    lvtext_reuse_precompiled(test_${name} TEST)
  endif()
  foreach(source ${sources})
    lvtext_test_entries(${name} ${source})
  endforeach()
endfunction()

# lvtext_count_cases(SOURCE ALL LONG): sets the variables to the number of test cases in a source.
function(lvtext_count_cases source all long)
  file(READ ${source} text)
  foreach(count "${all};TEST_CASE\\(" "${long};\\[long\\]")
    list(GET count 0 variable)
    list(GET count 1 pattern)
    string(REGEX MATCHALL "${pattern}" found "${text}")
    list(LENGTH found found)
    set(${variable} ${found} PARENT_SCOPE)
  endforeach()
endfunction()

# lvtext_test_entries(NAME SOURCE): the ctest entries of one source of test_<name>. An entry that finds
# no case fails.
function(lvtext_test_entries name source)
  lvtext_count_cases(${source} all long)
  get_filename_component(file ${source} NAME_WE)
  string(REGEX REPLACE "^test_" "${name}/" entry ${file})
  math(EXPR quick "${all} - ${long}")
  if(quick GREATER 0)
    add_test(NAME ${entry} COMMAND test_${name} --filenames-as-tags --warn NoTests "[#${file}]~[long]~[peer]"
             WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  endif()
  if(long GREATER 0)
    add_test(NAME ${entry}_long COMMAND test_${name} --filenames-as-tags --warn NoTests "[#${file}][long]"
             WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${entry}_long PROPERTIES LABELS long)
  endif()
endfunction()
