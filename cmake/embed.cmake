# Compiles page files (HTML, CSS, JavaScript) into the library as constants, so that no files are
# needed at run time.

# lvtext_embed(FOLDER folder RESULT variable): generates a source for each file of the folder, which
# defines `lvtext::k<Name><Extension>` (heat_map.css: kHeatMapCss), declared in folder/embedded.h. Sets
# the variable to these sources. A changed file recompiles only its own source.
function(lvtext_embed)
  cmake_parse_arguments(EMBED "" "FOLDER;RESULT" "" ${ARGN})
  set(folder ${CMAKE_SOURCE_DIR}/${EMBED_FOLDER})
  set(script ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.html ${folder}/*.css ${folder}/*.js)
  set(sources "")
  foreach(file ${files})
    get_filename_component(name ${file} NAME)
    set(source ${CMAKE_BINARY_DIR}/generated/${EMBED_FOLDER}/${name}.cpp)
    add_custom_command(
      OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DHEADER=${EMBED_FOLDER}/embedded.h -DSOURCE=${source} -P ${script}
      DEPENDS ${file} ${script} VERBATIM)
    list(APPEND sources ${source})
  endforeach()
  set(${EMBED_RESULT} ${sources} PARENT_SCOPE)
endfunction()
