# KaTeX in the web page: Debian's libjs-katex, read where the page is joined. Without it the page shows formulas as their
# source.

# The folder of katex.min.js, katex.min.css and fonts/, or SKALD_KATEX-NOTFOUND.
find_path(SKALD_KATEX NAMES katex.min.js PATHS /usr/share/javascript/katex /usr/share/nodejs/katex/dist NO_DEFAULT_PATH
  DOC "Folder of KaTeX, which typesets formulas in the web page")

# The fonts of ordinary formulas: the page has no others.
set(KATEX_FONTS AMS-Regular Caligraphic-Regular Fraktur-Regular Main-Bold Main-Italic Main-Regular Math-BoldItalic
  Math-Italic SansSerif-Regular Script-Regular Size1-Regular Size2-Regular Size3-Regular Size4-Regular
  Typewriter-Regular)

# Sets <result> to the files that skald_katex() reads.
function(skald_katex_files result)
  set(files "")
  if(SKALD_KATEX)
    list(TRANSFORM KATEX_FONTS REPLACE "(.+)" "${SKALD_KATEX}/fonts/KaTeX_\\1.woff2" OUTPUT_VARIABLE files)
    list(APPEND files ${SKALD_KATEX}/katex.min.js ${SKALD_KATEX}/katex.min.css)
  endif()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# Sets <script> to KaTeX and its fonts, as bytes in hexadecimal digits, and <style> to its rules without addresses of fonts.
function(skald_katex script style)
  file(READ ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/katex_notice.txt notice)
  file(READ ${SKALD_KATEX}/katex.min.js code)
  file(READ ${SKALD_KATEX}/katex.min.css rules)
  string(REGEX REPLACE "@font-face{[^}]*}" "" rules "${rules}")
  set(fonts "")
  foreach(font IN LISTS KATEX_FONTS)
    file(READ ${SKALD_KATEX}/fonts/KaTeX_${font}.woff2 hex HEX)
    string(REGEX REPLACE "-.*" "" family ${font})
    set(weight 400)
    set(slant normal)
    if(font MATCHES "-Bold")
      set(weight 700)
    endif()
    if(font MATCHES "Italic$")
      set(slant italic)
    endif()
    string(APPEND fonts "{family: 'KaTeX_${family}', weight: '${weight}', style: '${slant}', hex: '${hex}'},\n")
  endforeach()
  set(begin "\n/* The carried part.\n${notice}*/\n")
  set(end "\n/* The end of the carried part. */\n")
  set(${script} "${begin}${code}\nglobalThis.katexFonts = [\n${fonts}];${end}" PARENT_SCOPE)
  set(${style} "${begin}${rules}${end}" PARENT_SCOPE)
endfunction()
