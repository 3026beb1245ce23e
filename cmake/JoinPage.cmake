# cmake -D FOLDER=<in> -D HTML=<out.html> [-D OUTPUT=<out.cpp>] [-D SKALD_KATEX=<folder>] -P JoinPage.cmake
#
# Puts style.css and the scripts of a folder into its index.html, where it says @style@ and @script@. The scripts become one
# module: by name, main.js last, without the imports of each other, which have to be lines of their own, and without "export".
# So only main.js may do anything when it is loaded; names at the top of two files must differ. KaTeX comes before them.
cmake_minimum_required(VERSION 3.25) # a script has no policies of the project: without CMP0053 "@style@" is expanded

file(READ ${FOLDER}/style.css style)
file(GLOB scripts ${FOLDER}/*.js)
list(SORT scripts)
list(REMOVE_ITEM scripts ${FOLDER}/main.js)
set(script "")
foreach(path IN LISTS scripts ITEMS ${FOLDER}/main.js)
  file(READ ${path} text)
  string(APPEND script "\n${text}")
endforeach()
string(REGEX REPLACE "\nimport [^\n]*" "" script "${script}")
string(REGEX REPLACE "\nexport " "\n" script "${script}")
if(SKALD_KATEX)
  include(${CMAKE_CURRENT_LIST_DIR}/Katex.cmake)
  skald_katex(katex_script katex_style)
  string(PREPEND script "${katex_script}")
  string(PREPEND style "${katex_style}")
endif()
foreach(text style script)
  string(TOLOWER "${${text}}" lower)
  if(lower MATCHES "</${text}|<!--")
    message(FATAL_ERROR "the page's ${text} has ${CMAKE_MATCH_0}, which would end it")
  endif()
endforeach()

file(READ ${FOLDER}/index.html page)
foreach(text style script)
  string(FIND "${page}" "@${text}@" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${FOLDER}/index.html has no place for its ${text}")
  endif()
  string(REPLACE "@${text}@" "${${text}}" page "${page}")
endforeach()
file(WRITE ${HTML} "${page}")
if(NOT OUTPUT)
  return()
endif()

file(READ ${HTML} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "// Generated from src/serve/page/ by cmake/JoinPage.cmake.
#include \"serve/page_source.h\"

namespace skald::serve {

namespace {
constexpr unsigned char kBytes[] = {
${bytes}};
}  // namespace

std::string_view page_source() { return {reinterpret_cast<const char*>(kBytes), sizeof kBytes}; }

}  // namespace skald::serve
")
