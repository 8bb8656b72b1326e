# Writes generated/lvtext_version.h. The commit is that of the last configuration (scripts/build.sh
# always configures); only files that include the header are recompiled when it changes.
set(LVTEXT_COMMIT "")
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS ${CMAKE_SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short=12 HEAD
                  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE LVTEXT_COMMIT
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/lvtext_version.h.in
               ${CMAKE_BINARY_DIR}/generated/lvtext_version.h @ONLY)
