# The files of a room, a folder of src/, are compiled a few together: nlohmann/json.hpp and fmt are read once for all of them,
# which halves the time of a whole build. Names in unnamed namespaces therefore differ within a room, but for rooms of which each
# file defines the same names (SKALD_ROOMS_OF_KINDS). Sources that have flags of their own stay alone.
option(SKALD_ROOMS "Compile the files of a room together; OFF: one change compiles one file" ON)

set(SKALD_ROOMS_OF_KINDS cli/manual sampling/filters stores/kinds text/chat/replies/formats text/chat/jinja/builtins
  text/chat/jinja/methods tools/eval/suites)

# skald_rooms(<variable> <sources...>): the sources to compile in their place. Paths in them are relative: ccache finds what another
# clone has compiled.
function(skald_rooms out)
  set(most 8)
  set(sources)
  set(rooms)
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH path ${CMAKE_CURRENT_SOURCE_DIR} ${source})
    get_filename_component(room ${path} DIRECTORY)
    get_source_file_property(flags ${source} COMPILE_DEFINITIONS)
    if(NOT SKALD_ROOMS OR room IN_LIST SKALD_ROOMS_OF_KINDS OR path MATCHES "^\\.\\./" OR flags)
      list(APPEND sources ${source})
    else()
      list(APPEND rooms ${room})
      list(APPEND "files of ${room}" "#include \"${path}\"")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  foreach(room IN LISTS rooms)
    list(LENGTH "files of ${room}" n)
    math(EXPR parts "(${n} + ${most} - 1) / ${most}")
    foreach(part RANGE 1 ${parts})
      math(EXPR first "${n} * (${part} - 1) / ${parts}")
      math(EXPR size "${n} * ${part} / ${parts} - ${first}")
      list(SUBLIST "files of ${room}" ${first} ${size} lines)
      list(JOIN lines "\n" text)
      set(file ${GEN}/rooms/${room}_${part}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "${text}\n" @ONLY)
      # GCC exempts the main file from this warning, and what a room's file includes is none.
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS -Wno-subobject-linkage)
      list(APPEND sources ${file})
    endforeach()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()
