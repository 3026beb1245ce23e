# The web page of `skald serve`: its files joined into one HTML, and that as an array of bytes in a C++ source.
include(${CMAKE_CURRENT_LIST_DIR}/Katex.cmake)

# skald_page(<output.cpp> <page.html> <folder>): both are made again when a file of the folder changes.
function(skald_page output html folder)
  file(GLOB parts CONFIGURE_DEPENDS ${folder}/*.html ${folder}/*.css ${folder}/*.js)
  set(cmake_folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  skald_katex_files(katex_files)
  if(NOT SKALD_KATEX)
    message(STATUS "KaTeX is missing (libjs-katex): the web page shows formulas as their source")
  endif()
  add_custom_command(OUTPUT ${output} ${html}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D HTML=${html} -D OUTPUT=${output} -D SKALD_KATEX=${SKALD_KATEX}
      -P ${cmake_folder}/JoinPage.cmake
    DEPENDS ${parts} ${katex_files} ${cmake_folder}/JoinPage.cmake ${cmake_folder}/Katex.cmake ${cmake_folder}/katex_notice.txt
    VERBATIM)
endfunction()
