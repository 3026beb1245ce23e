# The web page of `skald serve`: its files joined into one HTML, and that as an array of bytes in a C++ source.

# skald_page(<output.cpp> <page.html> <folder>): both are made again when a file of the folder changes.
function(skald_page output html folder)
  file(GLOB parts CONFIGURE_DEPENDS ${folder}/*.html ${folder}/*.css ${folder}/*.js)
  set(join ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/JoinPage.cmake)
  add_custom_command(OUTPUT ${output} ${html}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D HTML=${html} -D OUTPUT=${output} -P ${join}
    DEPENDS ${parts} ${join}
    VERBATIM)
endfunction()
