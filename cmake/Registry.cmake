# A folder is a registry: these functions turn its listing into a plain array of descriptors.

# skald_registry(<output.cpp> <header> <type> <function> <symbol prefix> <names...>)
# writes: std::span<const Type* const> function() { all of &<prefix><name> }
function(skald_registry output header type function prefix)
  set(externs "")
  set(items "")
  foreach(name IN LISTS ARGN)
    string(APPEND externs "extern const ${type} ${prefix}${name};\n")
    string(APPEND items "    &${prefix}${name},\n")
  endforeach()
  list(LENGTH ARGN count)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Generated from a folder listing by cmake/Registry.cmake.
#include \"@header@\"

#include <array>

namespace skald {

@externs@
std::span<const @type@* const> @function@() {
  static constexpr std::array<const @type@*, @count@> kAll = {
@items@  };
  return kAll;
}

}  // namespace skald
")
endfunction()

# The base names of the files that match a pattern, sorted.
function(skald_basenames out)
  file(GLOB paths CONFIGURE_DEPENDS ${ARGN})
  set(names "")
  foreach(path IN LISTS paths)
    get_filename_component(name ${path} NAME_WE)
    list(APPEND names ${name})
  endforeach()
  list(SORT names)
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# What the names of all `const <type> <prefix><name> = ...` at the beginnings of lines end with, sorted.
# skald_defined(<out> <type> <prefix> <patterns of files...>)
function(skald_defined out type prefix)
  file(GLOB paths CONFIGURE_DEPENDS ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${paths})
  set(names "")
  foreach(path IN LISTS paths)
    file(STRINGS ${path} lines REGEX "^const ${type} ${prefix}[a-z0-9_]+ ?=")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^const ${type} ${prefix}([a-z0-9_]+) ?=.*" "\\1" name "${line}")
      list(APPEND names ${name})
    endforeach()
  endforeach()
  list(SORT names)
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# The names of the folders that hold a file, sorted: skald_folders_with(out dir file)
function(skald_folders_with out dir file)
  file(GLOB paths CONFIGURE_DEPENDS ${dir}/*/${file})
  set(names "")
  foreach(path IN LISTS paths)
    get_filename_component(folder ${path} DIRECTORY)
    get_filename_component(name ${folder} NAME)
    list(APPEND names ${name})
  endforeach()
  list(SORT names)
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# skald_text_table(<output.cpp> <header> <type> <function> <files...>)
# writes: const std::vector<Type>& function() { {<file's name without its last ending>, <its text>} of each, by name }
# The texts have no "@" and no ")text\"" in them.
function(skald_text_table output header type function)
  set(items "")
  set(names "")
  foreach(path IN LISTS ARGN)
    get_filename_component(name ${path} NAME_WLE)
    set(path_of_${name} ${path})
    list(APPEND names ${name})
  endforeach()
  list(SORT names)
  foreach(name IN LISTS names)
    file(READ ${path_of_${name}} text)
    string(APPEND items "      {\"${name}\", R\"text(${text})text\"},\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Generated from text files by cmake/Registry.cmake.
#include \"@header@\"

namespace skald {

const std::vector<@type@>& @function@() {
  static const std::vector<@type@> all = {
@items@  };
  return all;
}

}  // namespace skald
")
endfunction()
